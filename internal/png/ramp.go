package png

// ramp says where strips end. Strips grow, so that the first bytes leave early and later strips compress well.
type ramp struct {
	height, rowBytes int // rowBytes: filtered
	index            int // of the next strip
}

func newRamp(height, rowBytes int) ramp { return ramp{height: height, rowBytes: rowBytes} }

// Strip sizes in filtered bytes: two of each size, the last size for ever.
const (
	firstStrip = 64 << 10
	lastStrip  = 256 << 10
)

// next returns the row before which the strip that begins with row top ends.
func (r *ramp) next(top int) int {
	size := min(firstStrip<<(r.index/2), lastStrip)
	r.index = min(r.index+1, 8)
	rows := max(1, size/r.rowBytes)
	// A small rest joins the last strip: it would pay for a dictionary and a Huffman table of its own.
	if left := r.height - top; left-rows <= rows/4 {
		return r.height
	}
	return top + rows
}
