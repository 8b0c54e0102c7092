package jpeg

import "encoding/binary"

// The kernels without vectors: what the others must equal, and what runs elsewhere.

var scalar = &kernels{
	name: "scalar", align: 32,
	color420: color420Scalar, color444: color444Scalar, gray: grayScalar, transform: transformScalar, code: codeBlocks,
}

// Weights of JFIF's colours in 16.16 fixed point. Half of what the sum is rounded by is in luma's offset, beside the 128 that
// samples are less.
const (
	yR, yG, yB = 19595, 38470, 7471
	bR, bG, bB = -11059, -21709, 32768
	rR, rG, rB = 32768, -27439, -5329

	yOffset = 1<<15 - 128<<16
	cOffset = 1<<15 - 1
)

// Two sums at once, in the halves of 64 bits: luma below blue's difference, and red's difference of two pixels. What is below
// must not borrow from above, so it is kept positive: luma gets its 128 off later, and red's difference one on that goes later.
const (
	ybOffset = cOffset<<32 + 1<<15
	rrOffset = (cOffset + 128<<16) * (1<<32 + 1)
)

// weights are those of the four bytes of a pixel but the last, for two sums at once.
type weights struct{ yb, rr [3]uint64 }

func newWeights(blue bool) (w weights) {
	y, b, r := [3]int64{yR, yG, yB}, [3]int64{bR, bG, bB}, [3]int64{rR, rG, rB}
	for i := range 3 {
		from := i
		if blue {
			from = 2 - i
		}
		w.yb[i], w.rr[i] = uint64(y[from]+b[from]<<32), uint64(r[from])
	}
	return w
}

var rgbWeights, bgrWeights = newWeights(false), newWeights(true)

func color420Scalar(t *tile, rows *rows, width int, blue bool) bool {
	w := &rgbWeights
	if blue {
		w = &bgrWeights
	}
	yb0, yb1, yb2, rr0, rr1, rr2 := w.yb[0], w.yb[1], w.yb[2], w.rr[0], w.rr[1], w.rr[2]
	opaque := ^uint64(0)
	for r := range 8 {
		a, b := rows[2*r][:4*width], rows[2*r+1][:4*width]
		ya, yb := t.y[2*r*spanWidth:][:width], t.y[(2*r+1)*spanWidth:][:width]
		cb, cr := t.cb[r*spanWidth/2:][:width/2], t.cr[r*spanWidth/2:][:width/2]
		bias := int32(1) // alternates, as libjpeg's rounding of averages does
		for x := range cb {
			const first = 0xff | 0xff<<32 // of two pixels
			p, q := binary.LittleEndian.Uint64(a[8*x:][:8]), binary.LittleEndian.Uint64(b[8*x:][:8])
			opaque &= p & q

			s := p&0xff*yb0 + p>>8&0xff*yb1 + p>>16&0xff*yb2 + ybOffset
			u := int32(s>>32) >> 16
			ya[2*x] = int16(uint32(s)>>16) - 128
			s = p>>32&0xff*yb0 + p>>40&0xff*yb1 + p>>48&0xff*yb2 + ybOffset
			u += int32(s>>32) >> 16
			ya[2*x+1] = int16(uint32(s)>>16) - 128
			s = q&0xff*yb0 + q>>8&0xff*yb1 + q>>16&0xff*yb2 + ybOffset
			u += int32(s>>32) >> 16
			yb[2*x] = int16(uint32(s)>>16) - 128
			s = q>>32&0xff*yb0 + q>>40&0xff*yb1 + q>>48&0xff*yb2 + ybOffset
			u += int32(s>>32) >> 16
			yb[2*x+1] = int16(uint32(s)>>16) - 128
			cb[x] = int16((u + bias) >> 2)

			s = p&first*rr0 + p>>8&first*rr1 + p>>16&first*rr2 + rrOffset
			v := int32(uint32(s)>>16) + int32(s>>48)
			s = q&first*rr0 + q>>8&first*rr1 + q>>16&first*rr2 + rrOffset
			v += int32(uint32(s)>>16) + int32(s>>48)
			cr[x] = int16((v - 4*128 + bias) >> 2)
			bias ^= 3
		}
	}
	return opaque&(0xff<<24|0xff<<56) == 0xff<<24|0xff<<56
}

func color444Scalar(t *tile, rows *rows, width int, blue bool) bool {
	red, opaque := 0, byte(255)
	if blue {
		red = 2
	}
	for r := range 8 {
		a := rows[r][:4*width]
		y, cb, cr := t.y[r*spanWidth:][:width], t.cb[r*spanWidth:][:width], t.cr[r*spanWidth:][:width]
		for x := range y {
			p := a[4*x:][:4:4]
			R, G, B := int32(p[red&3]), int32(p[1]), int32(p[2-red&3])
			y[x] = int16((yR*R + yG*G + yB*B + yOffset) >> 16)
			cb[x] = int16((bR*R + bG*G + bB*B + cOffset) >> 16)
			cr[x] = int16((rR*R + rG*G + rB*B + cOffset) >> 16)
			opaque &= p[3]
		}
	}
	return opaque == 255
}

func grayScalar(t *tile, rows *rows, width int) {
	for r := range 8 {
		y := t.y[r*spanWidth:][:width]
		for x, v := range rows[r][:width] {
			y[x] = int16(v) - 128
		}
	}
}

func transformScalar(t *tile, src []int16, stride, pairs, base, in, step int, q *quantizer) {
	for p := range pairs {
		for i := range 2 {
			var d [64]int32
			transformRows(&d, src[16*p+8*i:], stride)
			transformColumns(&d)
			t.quantize(&d, base+p*step+i*in, q)
		}
	}
}

// Constants of the transform by Loeffler, Ligtenberg and Moschytz, in 13 bits after the point, as libjpeg's accurate integer
// method ("islow") has them. Rows go first, and keep two bits more.
const (
	f0298 = 2446
	f0390 = 3196
	f0541 = 4433
	f0765 = 6270
	f0899 = 7373
	f1175 = 9633
	f1501 = 12299
	f1847 = 15137
	f1961 = 16069
	f2053 = 16819
	f2562 = 20995
	f3072 = 25172
)

func transformRows(d *[64]int32, src []int16, stride int) {
	for r := range 8 {
		s := src[r*stride:][:8:8]
		s0, s1, s2, s3 := int32(s[0]), int32(s[1]), int32(s[2]), int32(s[3])
		s4, s5, s6, s7 := int32(s[4]), int32(s[5]), int32(s[6]), int32(s[7])
		t0, t7, t1, t6, t2, t5, t3, t4 := s0+s7, s0-s7, s1+s6, s1-s6, s2+s5, s2-s5, s3+s4, s3-s4
		e0, e3, e1, e2 := t0+t3, t0-t3, t1+t2, t1-t2
		o := d[8*r:][:8:8]
		o[0] = (e0 + e1) << 2
		o[4] = (e0 - e1) << 2
		z1 := (e2+e3)*f0541 + 1<<10
		o[2] = (z1 + e3*f0765) >> 11
		o[6] = (z1 - e2*f1847) >> 11
		z1, z2, z3, z4 := t4+t7, t5+t6, t4+t6, t5+t7
		z5 := (z3+z4)*f1175 + 1<<10
		z1 *= -f0899
		z2 *= -f2562
		z3 = z5 - z3*f1961
		z4 = z5 - z4*f0390
		o[7] = (t4*f0298 + z1 + z3) >> 11
		o[5] = (t5*f2053 + z2 + z4) >> 11
		o[3] = (t6*f3072 + z2 + z3) >> 11
		o[1] = (t7*f1501 + z1 + z4) >> 11
	}
}

func transformColumns(d *[64]int32) {
	for c := range 8 {
		s0, s1, s2, s3 := d[c], d[8+c], d[16+c], d[24+c]
		s4, s5, s6, s7 := d[32+c], d[40+c], d[48+c], d[56+c]
		t0, t7, t1, t6, t2, t5, t3, t4 := s0+s7, s0-s7, s1+s6, s1-s6, s2+s5, s2-s5, s3+s4, s3-s4
		e0, e3, e1, e2 := t0+t3, t0-t3, t1+t2, t1-t2
		d[c] = (e0 + e1 + 2) >> 2
		d[32+c] = (e0 - e1 + 2) >> 2
		z1 := (e2+e3)*f0541 + 1<<14
		d[16+c] = (z1 + e3*f0765) >> 15
		d[48+c] = (z1 - e2*f1847) >> 15
		z1, z2, z3, z4 := t4+t7, t5+t6, t4+t6, t5+t7
		z5 := (z3+z4)*f1175 + 1<<14
		z1 *= -f0899
		z2 *= -f2562
		z3 = z5 - z3*f1961
		z4 = z5 - z4*f0390
		d[56+c] = (t4*f0298 + z1 + z3) >> 15
		d[40+c] = (t5*f2053 + z2 + z4) >> 15
		d[24+c] = (t6*f3072 + z2 + z3) >> 15
		d[8+c] = (t7*f1501 + z1 + z4) >> 15
	}
}

// quantize makes block i of coefficients. Most are zero.
func (b *blocks) quantize(d *[64]int32, i int, q *quantizer) {
	var mask uint64
	var magnitude uint32
	z := &b.z[i]
	*z = [64]int8{}
	for k := range q.order {
		o := &q.order[k]
		x := d[o.natural&63]
		sign := x >> 31
		a := uint32((x ^ sign) - sign)
		if a < o.least {
			continue
		}
		a = (a + o.corr) * o.recip >> (o.shift & 31)
		z[k] = int8((int32(a) ^ sign) - sign)
		if k > 0 {
			magnitude |= a
		}
		mask |= 1 << k
	}
	b.dc[i], b.mask[i], b.wide[i] = int16(q.quotient(d, 0)), mask&^1, magnitude > 127
	if b.wide[i] {
		for n := range d {
			b.all[i][n] = int16(q.quotient(d, n))
		}
	}
}

// quotient returns coefficient n.
func (q *quantizer) quotient(d *[64]int32, n int) int32 {
	x := d[n]
	sign := x >> 31
	a := (uint32((x^sign)-sign) + q.corr[n]) * q.recip[n] >> (q.shift[n] & 31)
	return (int32(a) ^ sign) - sign
}
