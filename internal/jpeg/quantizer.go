package jpeg

import "sync/atomic"

// zigzag is the natural index of each position in zigzag order (ITU-T T.81, figure A.6).
var zigzag = [64]uint8{
	0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5,
	12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
	35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
	58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
}

// steps are the quantisation tables of T.81, K.1, in natural order: luminance, chrominance.
var steps = [2][64]uint8{
	{
		16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55,
		14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51, 87, 80, 62,
		18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92,
		49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
	},
	{
		17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99,
		24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99, 99, 99, 99, 99,
		99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
		99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
	},
}

// quantizer divides coefficients, all in natural order. The transform's output is 8 times the coefficient, so a divisor is 8
// steps; x / divisor, rounded, is (x + corr) * recip >> shift, without an error for any x of 16 bits (Granlund and
// Montgomery).
type quantizer struct {
	// For vectors: rows of the tables, each over four lanes of 128 bits, with 2^(32-shift) for the second of two
	// multiplications that keep the high half. They come first, where the struct is aligned.
	vRecip, vCorr, vScale [8][32]uint16

	recip, corr [64]uint32
	shift       [64]uint8
	step        [64]uint8

	order [64]divisor // in zigzag order
}

// divisor is what dividing by one step takes, and the least dividend whose quotient is not zero.
type divisor struct {
	recip, corr, least uint32
	shift, natural     uint8
}

// quantizers are made when they are first asked for. Two goroutines may make the same: either will do.
var quantizers [2][101]atomic.Pointer[quantizer]

// quantizerFor returns the quantizer of a table for a quality from 0 to 100.
func quantizerFor(table, quality int) *quantizer {
	p := &quantizers[table][quality]
	q := p.Load()
	if q == nil {
		q = newQuantizer(&steps[table], quality)
		p.Store(q)
	}
	return q
}

// newQuantizer scales a table as libjpeg does: 50 leaves it as it is, 100 makes all steps 1.
func newQuantizer(table *[64]uint8, quality int) *quantizer {
	quality = max(quality, 1)
	percent := 200 - 2*quality
	if quality < 50 {
		percent = 5000 / quality
	}
	q := new(quantizer)
	for i := range q.step {
		step := min(max((int(table[i])*percent+50)/100, 1), 255)
		q.step[i] = uint8(step)
		q.set(i, uint32(8*step))
	}
	for k, n := range zigzag {
		q.order[k] = divisor{q.recip[n], q.corr[n], 4 * uint32(q.step[n]), q.shift[n], n}
	}
	return q
}

// set computes what dividing coefficient i by d takes.
func (q *quantizer) set(i int, d uint32) {
	shift := uint32(16)
	for d>>(shift-15) != 0 {
		shift++
	}
	recip, rest, corr := (1<<shift)/d, (1<<shift)%d, d/2
	switch {
	case rest == 0: // a power of two, whose reciprocal would take 17 bits
		recip >>= 1
		shift--
	case rest <= d/2:
		corr++
	default:
		recip++
	}
	q.recip[i], q.corr[i], q.shift[i] = recip, corr, uint8(shift)
	for lane := 0; lane < 32; lane += 8 {
		row, column := i/8, lane+i%8
		q.vRecip[row][column] = uint16(recip)
		q.vCorr[row][column] = uint16(corr)
		q.vScale[row][column] = 1 << (32 - shift)
	}
}
