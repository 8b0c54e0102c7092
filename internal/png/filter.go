package png

// Filter types (PNG specification, 9.2).
const (
	filterNone  = 0
	filterPaeth = 4
)

// paeth writes cur less the prediction from its neighbours to dst. n is the bytes of a pixel; up is the row above, zeros
// above the first.
func paeth(dst, cur, up []byte, n int) {
	dst, up = dst[:len(cur)], up[:len(cur)]
	for i := range min(n, len(cur)) {
		dst[i] = cur[i] - up[i] // a and c are zero: the prediction is b
	}
	for i := n; i < len(cur); i++ {
		a, b, c := int(cur[i-n]), int(up[i]), int(up[i-n])
		pa, pb := b-c, a-c
		pc := abs(pa + pb)
		pa, pb = abs(pa), abs(pb)
		p := c
		if pa <= pb && pa <= pc {
			p = a
		} else if pb <= pc {
			p = b
		}
		dst[i] = cur[i] - byte(p)
	}
}

func abs(x int) int {
	m := x >> 63
	return (x ^ m) - m
}
