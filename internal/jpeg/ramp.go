package jpeg

// smallImage is what a stream may encode before others that wait for a processor, pixels.
const smallImage = 1 << 16

// ramp says where strips begin. The first is small, so that bytes leave soon, unless the whole image is: waking a processor for
// a part of a tile takes longer than the part. No strip reaches over a restart marker.
type ramp struct {
	row, rows int // pixels of an MCU row; MCU rows
	restart   int // MCU rows between markers, 0: none
	size      int // of the next strip, pixels
	most      int // of any
}

const (
	firstStrip = 1 << 14 // pixels
	mostStrip  = 1 << 16
)

func newRamp(row, rows, restart int) ramp {
	r := ramp{row: row, rows: rows, restart: restart, size: firstStrip, most: mostStrip}
	if row*rows <= smallImage {
		r.size = smallImage
	}
	return r
}

// next returns the MCU row behind a strip that begins at top.
func (r *ramp) next(top int) int {
	n := max(1, r.size/r.row)
	r.size = min(2*r.size, r.most)
	if r.restart > 0 {
		n = min(n, r.restart-top%r.restart)
	}
	return min(top+n, r.rows)
}
