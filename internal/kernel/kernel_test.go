package kernel

import (
	"bytes"
	"fmt"
	"hash/adler32"
	"math/rand/v2"
	"testing"
)

// check holds every function against the specification written down plainly, with vectors and without, for one row and
// the row above. n is the bytes of a pixel.
func check(t *testing.T, cur, up []byte, n int) {
	t.Helper()
	up = up[:len(cur)]
	expect := func(name string, want []byte, f func(dst []byte)) {
		t.Helper()
		run := func(how string) {
			room := bytes.Repeat([]byte{0xa5}, len(want)+2) // a byte on either side must stay
			f(room[1 : 1+len(want) : 1+len(want)])
			if !bytes.Equal(room[1:1+len(want)], want) {
				t.Fatalf("%s, %s, %d bytes, pixels of %d: got %x want %x (cur %x up %x)", name, how, len(cur), n, room[1:1+len(want)], want, cur, up)
			}
			if room[0] != 0xa5 || room[len(room)-1] != 0xa5 {
				t.Fatalf("%s, %s, %d bytes: wrote outside of dst", name, how, len(cur))
			}
		}
		run("vectors")
		scalarly(func() { run("scalar") })
	}
	expect("Sub", reference(cur, up, n, func(a, b, c int) int { return a }), func(dst []byte) { Sub(dst, cur, n) })
	expect("Up", reference(cur, up, n, func(a, b, c int) int { return b }), func(dst []byte) { Up(dst, cur, up) })
	expect("Average", reference(cur, up, n, func(a, b, c int) int { return (a + b) / 2 }), func(dst []byte) { Average(dst, cur, up, n) })
	expect("Paeth", reference(cur, up, n, predict), func(dst []byte) { Paeth(dst, cur, up, n) })

	pix := cur[:len(cur)&^3]
	var rgb, bgr, swapped []byte
	opaque, gray, sum := true, true, 0
	for i := 0; i < len(pix); i += 4 {
		p := pix[i : i+4]
		rgb = append(rgb, p[0], p[1], p[2])
		bgr = append(bgr, p[2], p[1], p[0])
		swapped = append(swapped, p[2], p[1], p[0], p[3])
		opaque = opaque && p[3] == 255
		gray = gray && p[0] == p[1] && p[1] == p[2]
	}
	for _, b := range cur {
		sum += min(int(b), 256-int(b))
	}
	expect("RGBAToRGB", rgb, func(dst []byte) { RGBAToRGB(dst, pix) })
	expect("BGRAToRGB", bgr, func(dst []byte) { BGRAToRGB(dst, pix) })
	spread := bytes.Clone(pix)
	for i := 3; i < len(spread); i += 4 {
		spread[i] = 255
	}
	expect("RGBToRGBA", spread, func(dst []byte) { RGBToRGBA(dst, rgb) })
	expect("BGRAToRGBA", swapped, func(dst []byte) { BGRAToRGBA(dst, pix) })
	expect("BGRAToRGBA in place", swapped, func(dst []byte) { copy(dst, pix); BGRAToRGBA(dst, dst) })
	expect("answers", fmt.Append(nil, opaque, gray, sum, adler32.Checksum(cur)), func(dst []byte) {
		half := len(cur) / 2
		copy(dst, fmt.Append(nil, Opaque(pix), Gray(pix), AbsoluteSum(cur), Adler32(Adler32(1, cur[:half]), cur[half:])))
	})
}

// reference filters by the formula: predict gets left, above and above left.
func reference(cur, up []byte, n int, predict func(a, b, c int) int) []byte {
	var out []byte
	for i := range cur {
		var a, c int
		if i >= n {
			a, c = int(cur[i-n]), int(up[i-n])
		}
		out = append(out, cur[i]-byte(predict(a, int(up[i]), c)))
	}
	return out
}

// predict is PaethPredictor of the PNG specification, 9.4.
func predict(a, b, c int) int {
	p := a + b - c
	best, distance := a, 1<<30
	for _, v := range []int{a, b, c} {
		if d := max(p-v, v-p); d < distance {
			best, distance = v, d
		}
	}
	return best
}

func TestLengths(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for length := range 201 {
		for _, n := range []int{1, 2, 3, 4, 6, 8} {
			for offset := range 4 {
				check(t, random(r, offset+length)[offset:], random(r, length+3)[3:], n)
			}
		}
	}
}

// random returns bytes of which many are 0 or 255, or close to the one before.
func random(r *rand.Rand, n int) []byte {
	p := make([]byte, n)
	for i := range p {
		switch r.IntN(4) {
		case 0:
			p[i] = byte(r.Uint32())
		case 1:
			p[i] = byte(r.IntN(2)) * 255
		case 2:
			if i > 0 {
				p[i] = p[i-1] + byte(r.IntN(3)) - 1
			}
		}
	}
	return p
}

func TestPaethEverything(t *testing.T) {
	// Every left and above under some above lefts: 64 Ki pixels of one byte each, the left ones as pixels of their own.
	for c := 0; c < 256; c += 5 {
		var cur, up []byte
		for a := range 256 {
			for b := range 256 {
				cur = append(cur, byte(a), 0)
				up = append(up, byte(c), byte(b))
			}
		}
		want := reference(cur, up, 1, predict)
		got := make([]byte, len(cur))
		Paeth(got, cur, up, 1)
		if !bytes.Equal(got, want) {
			t.Fatalf("above left %d: wrong", c)
		}
	}
}

func TestAnswers(t *testing.T) {
	for _, pixels := range []int{1, 2, 7, 255, 256, 257, 3000} {
		pix := bytes.Repeat([]byte{9, 9, 9, 255}, pixels)
		for at := range 4 * pixels {
			if !Opaque(pix) || !Gray(pix) {
				t.Fatal("opaque grey pixels are not")
			}
			pix[at]--
			if got, want := Opaque(pix), at%4 != 3; got != want {
				t.Fatalf("%d pixels, byte %d changed: opaque %v", pixels, at, got)
			}
			if got, want := Gray(pix), at%4 == 3; got != want {
				t.Fatalf("%d pixels, byte %d changed: grey %v", pixels, at, got)
			}
			pix[at]++
		}
	}
}

func TestAdler32(t *testing.T) {
	for _, n := range []int{0, 1, 31, 32, 33, adlerBatch - 1, adlerBatch, adlerBatch + 1, 5552, 5553, 100000} {
		p := bytes.Repeat([]byte{255}, n) // the greatest sums
		if got, want := Adler32(1, p), adler32.Checksum(p); got != want {
			t.Errorf("%d bytes of 255: got %08x want %08x", n, got, want)
		}
		if got, want := Adler32(adler32.Checksum(p), p), adler32.Checksum(append(p, p...)); got != want {
			t.Errorf("%d bytes of 255, twice: got %08x want %08x", n, got, want)
		}
	}
}

func FuzzKernels(f *testing.F) {
	f.Add([]byte("an image row of at least thirty-two bytes, and the one above"), byte(3), byte(1), uint16(0))
	f.Add(bytes.Repeat([]byte{1, 1, 1, 255}, 64), byte(4), byte(0), uint16(40))
	f.Fuzz(func(t *testing.T, p []byte, n, offset byte, times uint16) {
		p = bytes.Repeat(p, 1+int(times)%64)
		p = p[min(int(offset)%32, len(p)):min(len(p), 1<<15)]
		half := len(p) / 2
		check(t, p[:half], p[half:], []int{1, 2, 3, 4, 6, 8}[n%6])
	})
}

func BenchmarkKernels(b *testing.B) {
	r := rand.New(rand.NewPCG(2, 2))
	cur, up, dst := random(r, 4804), random(r, 4804), make([]byte, 4804)
	opaque := bytes.Repeat([]byte{7, 7, 7, 255}, 1201)
	colors, starts := make([]uint32, 1201), make([]uint16, 1201+RunsRoom)
	for _, k := range []struct {
		name string
		f    func()
	}{
		{"Sub", func() { Sub(dst, cur, 4) }},
		{"Up", func() { Up(dst, cur, up) }},
		{"Average", func() { Average(dst, cur, up, 4) }},
		{"Paeth", func() { Paeth(dst, cur, up, 4) }},
		{"AbsoluteSum", func() { AbsoluteSum(cur) }},
		{"Adler32", func() { Adler32(1, cur) }},
		{"RGBAToRGB", func() { RGBAToRGB(dst, cur) }},
		{"BGRAToRGBA", func() { BGRAToRGBA(dst, cur) }},
		{"PremultiplyAll", func() { Colors(colors, cur); PremultiplyAll(colors) }},
		{"Bound", func() { Colors(colors, cur); Bound(colors) }},
		{"Runs", func() { Runs(starts, colors) }},
		{"Opaque", func() { Opaque(opaque) }},
		{"Gray", func() { Gray(opaque) }},
	} {
		b.Run(k.name, func(b *testing.B) {
			b.SetBytes(int64(len(cur)))
			b.ReportAllocs()
			for b.Loop() {
				k.f()
			}
		})
	}
}
