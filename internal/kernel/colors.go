package kernel

import "encoding/binary"

// Premultiply returns a straight RGBA colour, red in the low byte and alpha in the high one, with its samples multiplied by
// alpha: round(c * a / 255).
func Premultiply(c uint32) uint32 {
	a := c >> 24
	switch a {
	case 255:
		return c
	case 0:
		return 0
	}
	return multiply(c&0xff, a) | multiply(c>>8&0xff, a)<<8 | multiply(c>>16&0xff, a)<<16 | a<<24
}

// multiply divides by 255 exactly: t/255 = (t + t/256)/256 for the numerators that occur.
func multiply(c, a uint32) uint32 {
	t := c*a + 128
	return (t + t>>8) >> 8
}

// PremultiplyAll does that to every colour.
func PremultiplyAll(colors []uint32) {
	for i := premultiplyVectors(colors); i < len(colors); i++ {
		if c := colors[i]; c < 0xff000000 {
			colors[i] = Premultiply(c)
		}
	}
}

// Bound makes samples that exceed their alpha, which premultiplied ones cannot, equal to it.
func Bound(colors []uint32) {
	for i := boundVectors(colors); i < len(colors); i++ {
		c := colors[i]
		if a := c >> 24; a < 255 {
			colors[i] = min(c&0xff, a) | min(c>>8&0xff, a)<<8 | min(c>>16&0xff, a)<<16 | a<<24
		}
	}
}

// Colors reads RGBA, red as the low byte.
func Colors(dst []uint32, src []byte) {
	src = src[:4*len(dst)]
	for i := colorVectors(dst, src); i < len(dst); i++ {
		dst[i] = binary.LittleEndian.Uint32(src[4*i : 4*i+4])
	}
}

// SwapRedBlue exchanges them in every colour.
func SwapRedBlue(colors []uint32) {
	for i := swapColorVectors(colors); i < len(colors); i++ {
		c := colors[i]
		colors[i] = c&0xff00ff00 | c>>16&0xff | c&0xff<<16
	}
}

// RunsRoom is by how much the starts of Runs are more than the colours.
const RunsRoom = 8

// Runs writes where runs of equal colours begin, the first at 0, and returns how many there are. Of the RunsRoom that starts
// has beyond colors, at most 65535, it may write any.
func Runs(starts []uint16, colors []uint32) int {
	if len(colors) == 0 {
		return 0
	}
	starts = starts[:len(colors)+RunsRoom]
	starts[0] = 0
	i, n := runVectors(starts, colors)
	for ; i < len(colors); i++ {
		starts[n] = uint16(i)
		if colors[i] != colors[i-1] {
			n++
		}
	}
	return n
}
