package main

import "fmt"

// Constants of the transform: see scalar.go.
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

// transform writes the kernel that makes blocks: one in each lane.
func (g *generator) transform() {
	g.line("// transform%s is transformScalar, %d blocks at a time.", g.suffix, g.lanes)
	g.line("func transform%s(t *tile, src []int16, stride, pairs, base, in, step int, q *quantizer) {", g.suffix)
	g.line("k := constantsFor%s", g.suffix)
	if g.lanes == 2 {
		g.line("for p := range pairs {")
		g.line("first := base + p*step")
		g.line("index := [2]int{first, first + in}")
	} else {
		g.line("p := 0")
		g.line("for ; p+2 <= pairs; p += 2 {")
		g.line("first := base + p*step")
		g.line("index := [4]int{first, first + in, first + step, first + step + in}")
	}
	var x [8]string
	for i := range x {
		x[i] = g.let("archsimd.Load%s(%s)", g.i16, g.at("int16", fmt.Sprintf("src[16*p+%d*stride:]", i)))
	}
	x = g.transpose(x)
	between := func(i int) string { return g.at("int16", fmt.Sprintf("t.ws[%d][:]", i)) }
	g.dct(x, 1, func(i int, v string) { g.line("%s.Store(%s)", v, between(i)) })
	for i := range x {
		x[i] = g.let("archsimd.Load%s(%s)", g.i16, between(i))
	}
	x = g.transpose(x)
	magnitudes := ""
	g.dct(x, 2, func(i int, v string) {
		row := func(table string) string {
			return fmt.Sprintf("archsimd.Load%s(%s)", g.u16, g.at("uint16", fmt.Sprintf("q.%s[%d][:]", table, i)))
		}
		a := g.let("%s.Abs().As%s().Add(%s).MulHigh(%s).MulHigh(%s).As%s()", v, g.u16, row("vCorr"), row("vRecip"), row("vScale"), g.i16)
		counts := a
		if i == 0 {
			counts = g.let("%s.And(%s)", a, g.load(g.constant("noDC", "int16", 0, -1, -1, -1, -1, -1, -1, -1)))
		}
		if magnitudes == "" {
			magnitudes = counts
		} else {
			magnitudes = g.let("%s.Or(%s)", magnitudes, counts)
		}
		if g.lanes == 2 {
			g.line("%s.CopySign(%s).Store(%s)", a, v, between(i))
		} else {
			sign := g.let("%s.ShiftAllRight(15)", v)
			g.line("%s.Xor(%s).Sub(%s).Store(%s)", a, sign, sign, between(i))
		}
	})
	g.zigzag(between)
	g.masks()
	g.line("if %s {", map[int]string{
		2: fmt.Sprintf("big := %s.Greater(%s).ToInt16x16(); !big.IsZero()", magnitudes, g.load(g.constant("most", "int16", 127))),
		4: fmt.Sprintf("%s.Greater(%s).ToBits() != 0", magnitudes, g.load(g.constant("most", "int16", 127))),
	}[g.lanes])
	g.line("for lane, i := range index { t.keepWide(lane, i) }")
	g.line("}")
	g.line("}")
	if g.lanes == 4 {
		g.line("if p < pairs { transformAVX2(t, src[16*p:], stride, pairs-p, base+p*step, in, step, q) }")
	}
	g.line("archsimd.ClearAVXUpperBits()")
	g.line("}\n")
}

// transpose exchanges rows and columns of the block in each lane.
func (g *generator) transpose(a [8]string) [8]string {
	var b, c, d [8]string
	for i := 0; i < 8; i += 2 {
		b[i] = g.let("%s.InterleaveLoGrouped(%s).As%s()", a[i], a[i+1], g.i32)
		b[i+1] = g.let("%s.InterleaveHiGrouped(%s).As%s()", a[i], a[i+1], g.i32)
	}
	for half := 0; half < 8; half += 4 {
		for i := range 2 {
			c[half+2*i] = g.let("%s.InterleaveLoGrouped(%s).As%s()", b[half+i], b[half+2+i], g.i64)
			c[half+2*i+1] = g.let("%s.InterleaveHiGrouped(%s).As%s()", b[half+i], b[half+2+i], g.i64)
		}
	}
	for i := range 4 {
		d[2*i] = g.let("%s.InterleaveLoGrouped(%s).As%s()", c[i], c[i+4], g.i16)
		d[2*i+1] = g.let("%s.InterleaveHiGrouped(%s).As%s()", c[i], c[i+4], g.i16)
	}
	return d
}

// dct writes one pass over eight vectors: the first of rows, the second of columns. Products of pairs of samples and pairs of
// constants are added by one instruction, in 32 bits. sink takes each of the results as soon as it is there.
func (g *generator) dct(x [8]string, pass int, sink func(i int, v string)) {
	add := func(a, b string) string { return g.let("%s.Add(%s)", a, b) }
	sub := func(a, b string) string { return g.let("%s.Sub(%s)", a, b) }
	t0, t7 := add(x[0], x[7]), sub(x[0], x[7])
	t1, t6 := add(x[1], x[6]), sub(x[1], x[6])
	t2, t5 := add(x[2], x[5]), sub(x[2], x[5])
	t3, t4 := add(x[3], x[4]), sub(x[3], x[4])
	e0, e3, e1, e2 := add(t0, t3), sub(t0, t3), add(t1, t2), sub(t1, t2)
	shift := 11
	if pass == 1 {
		sink(0, g.let("%s.Add(%s).ShiftAllLeft(2)", e0, e1))
		sink(4, g.let("%s.Sub(%s).ShiftAllLeft(2)", e0, e1))
	} else {
		shift = 15
		two := g.load(g.constant("two", "int16", 2))
		sink(0, g.let("%s.Add(%s).Add(%s).ShiftAllRight(2)", e0, e1, two))
		sink(4, g.let("%s.Sub(%s).Add(%s).ShiftAllRight(2)", e0, e1, two))
	}
	round := g.load(g.constant(fmt.Sprintf("round%d", pass), "int32", 1<<(shift-1)))
	multiply := func(a, pair string) string { return g.let("%s.DotProductPairs(%s)", a, g.load(pair)) }
	narrow := func(low, high string) string {
		return g.let("%s.ShiftAllRight(%d).SaturateToInt16ConcatGrouped(%s.ShiftAllRight(%d))", low, shift, high, shift)
	}

	low, high := g.lowHigh(e3, e2)
	for _, even := range []struct{ i, a, b int }{{2, f0541 + f0765, f0541}, {6, f0541, f0541 - f1847}} {
		pair := g.constant(fmt.Sprintf("even%d", even.i), "int16", even.a, even.b)
		a := g.let("%s.Add(%s)", multiply(low, pair), round)
		b := g.let("%s.Add(%s)", multiply(high, pair), round)
		sink(even.i, narrow(a, b))
	}

	low, high = g.lowHigh(add(t4, t6), add(t5, t7))
	rotated := func(name string, a, b int) [2]string {
		pair := g.constant(name, "int16", a, b)
		l := g.let("%s.Add(%s)", multiply(low, pair), round)
		return [2]string{l, g.let("%s.Add(%s)", multiply(high, pair), round)}
	}
	z3 := rotated("z3", f1175-f1961, f1175)
	z4 := rotated("z4", f1175, f1175-f0390)
	odd := func(i, a, b int, z [2]string) {
		pair := g.constant(fmt.Sprintf("odd%d", i), "int16", a, b)
		l := g.let("%s.Add(%s)", multiply(low, pair), z[0])
		h := g.let("%s.Add(%s)", multiply(high, pair), z[1])
		sink(i, narrow(l, h))
	}
	low, high = g.lowHigh(t4, t7)
	odd(7, f0298-f0899, -f0899, z3)
	odd(1, -f0899, f1501-f0899, z4)
	low, high = g.lowHigh(t5, t6)
	odd(5, f2053-f2562, -f2562, z4)
	odd(3, -f2562, f3072-f2562, z3)
}

var order = [64]int{
	0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5,
	12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
	35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
	58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
}

// zigzag packs the low bytes of two rows each into a vector, whose bytes are 2*column + row&1, and gathers quarters of the
// zigzag order from these: quarter0 to quarter3.
func (g *generator) zigzag(row func(i int) string) {
	var packed [4]string
	low := g.load(g.constant("lowByte", "int16", 255))
	for i := range packed {
		a := fmt.Sprintf("archsimd.Load%s(%s)", g.i16, row(2*i))
		b := fmt.Sprintf("archsimd.Load%s(%s)", g.i16, row(2*i+1))
		packed[i] = g.let("%s.And(%s).Or(%s.ShiftAllLeft(8)).As%s()", a, low, b, g.i8)
	}
	for quarter := range 4 {
		sum := ""
		for i := range packed {
			from, any := make([]int, 16), false
			for k := range from {
				natural := order[16*quarter+k]
				from[k] = -128 // a zero
				if natural/16 == i {
					from[k], any = 2*(natural%8)+natural/8%2, true
				}
			}
			if !any {
				continue
			}
			part := g.let("%s.PermuteOrZeroGrouped(%s)", packed[i], g.load(g.constant(fmt.Sprintf("zigzag%d%d", quarter, i), "int8", from...)))
			if sum == "" {
				sum = part
			} else {
				sum = g.let("%s.Or(%s)", sum, part)
			}
		}
		g.line("quarter%d := %s", quarter, sum)
	}
}

// masks stores the quarters and says which of their bytes are not zero.
func (g *generator) masks() {
	g.line("var zero archsimd.%s", g.i8)
	for q := range 4 {
		g.line("mask%d := ^quarter%d.Equal(zero).ToBits()", q, q)
	}
	for lane := range g.lanes {
		g.line("i%d := index[%d]", lane, lane)
		g.line("z%d := &t.z[i%d]", lane, lane)
	}
	halves := []string{"GetLo()", "GetHi()"}
	for q := range 4 {
		v := fmt.Sprintf("quarter%d", q)
		if g.lanes == 4 {
			g.line("low%d, high%d := %s.GetLo(), %s.GetHi()", q, q, v, v)
		}
		for lane := range g.lanes {
			if g.lanes == 4 {
				v = fmt.Sprintf("%s%d", []string{"low", "high"}[lane/2], q)
			}
			g.line("%s.%s.Store((*[16]int8)(z%d[%d:]))", v, halves[lane%2], lane, 16*q)
		}
	}
	for lane := range g.lanes {
		part := func(q int) string { return fmt.Sprintf("uint64(mask%d>>%d&0xffff)<<%d", q, 16*lane, 16*q) }
		g.line("t.mask[i%d] = (%s | %s | %s | %s) &^ 1", lane, part(0), part(1), part(2), part(3))
		g.line("t.dc[i%d], t.wide[i%d] = t.ws[0][%d], false", lane, lane, 8*lane)
	}
}
