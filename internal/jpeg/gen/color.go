package main

import (
	"fmt"
	"strings"
)

// shuffles defines the constants that take two of three colours of each pixel apart, as pairs of 16 bits. red and blue are
// where these lie in a pixel.
func (g *generator) shuffles(prefix string, red, blue int) {
	const zero = -128
	shuffle := func(name string, a, b int) {
		var from []int
		for pixel := 0; pixel < 16; pixel += 4 {
			from = append(from, pixel+a, zero, pixel+b, zero)
		}
		g.constant(prefix+name, "int8", from...)
	}
	shuffle("RG", red, 1)
	shuffle("GB", 1, blue)
	shuffle("RB", red, blue)
}

// colorConstants defines what the conversion multiplies by and adds. Weights over 2^15 are split over two products.
func (g *generator) colorConstants() {
	g.shuffles("rgba", 0, 2)
	g.shuffles("bgra", 2, 0)
	g.constant("lumaRG", "int16", 19595, 16384)
	g.constant("lumaGB", "int16", 38470-16384, 7471)
	g.constant("blueRB", "int16", -11059, 16384)
	g.constant("blueGB", "int16", -21709, 16384)
	g.constant("redRB", "int16", 16384, -5329)
	g.constant("redRG", "int16", 16384, -27439)
	g.constant("lumaOffset", "int32", 1<<15-128<<16)
	g.constant("chromaOffset", "int32", 1<<15-1)
	g.constant("alpha", "uint32", 0xff000000)
	g.constant("one", "int16", 1)
	g.constant("bias", "int32", 1, 2)
	if g.lanes == 2 {
		g.constant("pixelOrder", "uint32", 0, 1, 4, 5, 2, 3, 6, 7)
		g.constant("meanOrder", "uint32", 0, 4, 1, 5, 2, 6, 3, 7)
	} else {
		var odd, even []int
		for i := range 32 {
			even, odd = append(even, 2*i), append(odd, 2*i+1)
		}
		g.constant("odd", "uint16", odd...)
		g.constant("even", "uint16", even...)
	}
}

// begin writes a colour kernel up to its loop over rows.
func (g *generator) begin(name string) {
	g.colorConstants()
	g.line("// %s%s is %sScalar, %d pixels at a time.", name, g.suffix, name, 4*g.lanes)
	g.line("func %s%s(t *tile, rows *rows, width int, blue bool) bool {", name, g.suffix)
	g.line("k := constantsFor%s", g.suffix)
	g.line("rg, gb, rb := &k.rgbaRG, &k.rgbaGB, &k.rgbaRB")
	g.line("if blue { rg, gb, rb = &k.bgraRG, &k.bgraGB, &k.bgraRB }")
	for _, name := range strings.Fields(g.keep) {
		g.line("%s := %s", name, g.load(name))
		g.kept[name] = true
	}
	g.line("opaque := %s.As%s()", g.load("alpha"), g.u8)
}

// end writes what follows the loop.
func (g *generator) end() {
	clear(g.kept)
	if g.lanes == 2 {
		g.line("all := opaque.As%s().Xor(%s).IsZero()", "Uint32x8", g.load("alpha"))
	} else {
		g.line("all := opaque.As%s().Equal(%s).ToBits() == 0xffff", "Uint32x16", g.load("alpha"))
	}
	g.line("archsimd.ClearAVXUpperBits()")
	g.line("return all")
	g.line("}\n")
}

// planes converts the pixels of p, two vectors, and stores the samples at x. Each plane is finished before the next.
func (g *generator) planes(ordered bool) {
	var rg, gb, rb [2]string
	for i := range 2 {
		v := g.let("archsimd.Load%s(%s)", g.u8, g.at("byte", fmt.Sprintf("p[%d:]", 16*g.lanes*i)))
		g.line("opaque = opaque.And(%s)", v)
		take := func(order string) string {
			return g.let("%s.As%s().PermuteOrZeroGrouped(archsimd.Load%s(%s)).As%s()", v, g.i8, g.i8, order, g.i16)
		}
		rg[i], gb[i], rb[i] = take("rg"), take("gb"), take("rb")
	}
	plane := func(name string, a [2]string, weightA string, b [2]string, weightB, offset string, ordered bool) {
		var sums [2]string
		for i := range sums {
			shift := ""
			if g.lanes == 2 {
				shift = ".ShiftAllRight(16)"
			}
			sums[i] = g.let("%s.DotProductPairs(%s).Add(%s.DotProductPairs(%s)).Add(%s)%s", a[i], g.load(weightA), b[i], g.load(weightB), g.load(offset), shift)
		}
		g.line("%s.Store(%s)", g.pack(sums[0], sums[1], ordered), g.at("int16", name+"[x:]"))
	}
	plane("y", rg, "lumaRG", gb, "lumaGB", "lumaOffset", true)
	plane("cb", rb, "blueRB", gb, "blueGB", "chromaOffset", ordered)
	plane("cr", rb, "redRB", rg, "redRG", "chromaOffset", ordered)
}

// pack joins two results to samples of 16 bits. With two lanes these are in the order of pixels only if ordered.
func (g *generator) pack(a, b string, ordered bool) string {
	if g.lanes == 4 {
		return g.let("%s.AsInt16x32().ConcatPermute(%s.AsInt16x32(), %s)", a, b, g.load("odd"))
	}
	v := g.let("%s.SaturateToInt16ConcatGrouped(%s)", a, b)
	if !ordered {
		return v
	}
	return g.let("%s.AsInt32x8().Permute(%s).AsInt16x16()", v, g.load("pixelOrder"))
}

// color444 writes the kernel without subsampling.
func (g *generator) color444() {
	full := 8 * g.lanes // pixels
	g.begin("color444")
	g.line("for r := range 8 {")
	g.line("row := rows[r][:4*width]")
	g.line("y, cb, cr := t.y[r*spanWidth:][:spanWidth], t.cb[r*spanWidth:][:spanWidth], t.cr[r*spanWidth:][:spanWidth]")
	g.line("for x := 0; x <= width-%d; x += %d {", full, full)
	g.line("p := (*[%d]byte)(row[4*x:])", 4*full)
	g.planes(true)
	g.line("}\n}")
	g.end()
}

// color420 writes the kernel that averages chroma: full rows first, then each two of them.
func (g *generator) color420() {
	full := 8 * g.lanes
	g.begin("color420")
	g.line("for r := range 16 {")
	g.line("row := rows[r][:4*width]")
	g.line("y := t.y[r*spanWidth:][:spanWidth]")
	g.line("cb, cr := &t.cs[r&1*2], &t.cs[r&1*2+1]")
	g.line("for x := 0; x <= width-%d; x += %d {", full, full)
	g.line("p := (*[%d]byte)(row[4*x:])", 4*full)
	g.planes(false)
	g.line("}")
	g.line("if r&1 == 0 { continue }")
	for i, plane := range []string{"cb", "cr"} {
		g.line("mean%s := t.%s[r/2*spanWidth/2:][:spanWidth/2]", plane, plane)
		g.line("for x := 0; x <= width-%d; x += %d {", 2*full, 2*full)
		var half [2]string
		for h := range half {
			upper := g.let("archsimd.Load%s(%s)", g.i16, g.at("int16", fmt.Sprintf("t.cs[%d][x+%d:]", i, h*full)))
			lower := g.let("archsimd.Load%s(%s)", g.i16, g.at("int16", fmt.Sprintf("t.cs[%d][x+%d:]", 2+i, h*full)))
			half[h] = g.let("%s.Add(%s).DotProductPairs(%s).Add(%s).ShiftAllRight(2)", upper, lower, g.load("one"), g.load("bias"))
		}
		v := ""
		if g.lanes == 2 {
			v = g.let("%s.SaturateToInt16ConcatGrouped(%s).AsInt32x8().Permute(%s).AsInt16x16()", half[0], half[1], g.load("meanOrder"))
		} else {
			v = g.let("%s.AsInt16x32().ConcatPermute(%s.AsInt16x32(), %s)", half[0], half[1], g.load("even"))
		}
		g.line("%s.Store(%s)", v, g.at("int16", fmt.Sprintf("mean%s[x/2:]", plane)))
		g.line("}")
	}
	g.line("}")
	g.end()
}

// gray writes the kernel of grey pixels.
func (g *generator) gray() {
	full := 8 * g.lanes
	g.constant("middle", "int16", 128)
	g.line("// gray%s is grayScalar, %d pixels at a time.", g.suffix, full)
	g.line("func gray%s(t *tile, rows *rows, width int) {", g.suffix)
	g.line("k := constantsFor%s", g.suffix)
	g.line("middle := %s", g.load("middle"))
	g.line("for r := range 8 {")
	g.line("row, y := rows[r][:width], t.y[r*spanWidth:][:spanWidth]")
	g.line("for x := 0; x <= width-%d; x += %d {", full, full)
	g.line("v := archsimd.LoadUint8x%d((*[%d]byte)(row[x:]))", full, full)
	g.line("v.ExtendToUint16().As%s().Sub(middle).Store(%s)", g.i16, g.at("int16", "y[x:]"))
	g.line("}\n}")
	g.line("archsimd.ClearAVXUpperBits()")
	g.line("}\n")
}
