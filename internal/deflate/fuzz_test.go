package deflate

import (
	"bytes"
	"testing"
)

var pixelSizes = []int{1, 2, 3, 4, 6, 8}

// paint makes n bytes of rows from instructions, as maps have them: pixels that repeat the one to the left or above, a few
// colours, and colours that vary.
func paint(instructions []byte, g Geometry, n int) []byte {
	if len(instructions) == 0 {
		instructions = []byte{0}
	}
	p := make([]byte, 0, n+8)
	next := 0
	read := func() byte {
		next++
		return instructions[next%len(instructions)] + byte(next/len(instructions)/8*37)
	}
	for len(p) < n {
		if g.RowBytes > 0 && len(p)%g.RowBytes == 0 {
			p = append(p, read()%5&4)
		}
		op := read()
		run := 1 + int(op>>3)
		for ; run > 0 && len(p) < n; run-- {
			for i := range g.PixelBytes {
				var b byte
				switch at := len(p); {
				case op&7 < 3 && at >= g.PixelBytes:
					b = p[at-g.PixelBytes]
				case op&7 < 5 && g.RowBytes > 0 && at >= g.RowBytes:
					b = p[at-g.RowBytes]
				case op&7 < 7:
					b = op * byte(i+1)
				default:
					b = read()
				}
				p = append(p, b)
			}
		}
	}
	return p[:n]
}

// verify compresses data, and decodes it with Go's compress/flate.
func verify(t *testing.T, data []byte, dictionary int, m Mode, g Geometry, final bool) []byte {
	t.Helper()
	prefix := []byte("before")
	out := Compress(bytes.Clone(prefix), data, dictionary, m, g, final)
	if !bytes.HasPrefix(out, prefix) {
		t.Fatal("what was in dst is lost")
	}
	out = out[len(prefix):]
	if n := len(data) - dictionary; len(out) > n+n/1000+64 {
		t.Errorf("mode %d, %+v: %d bytes became %d", m, g, n, len(out))
	}
	all := out
	if !final {
		all = Compress(bytes.Clone(out), nil, 0, m, g, true)
	}
	if got := inflate(t, all, data[max(0, dictionary-windowSize):dictionary]); !bytes.Equal(got, data[dictionary:]) {
		t.Fatalf("mode %d, %+v, dictionary %d of %d bytes, final %v: not what was compressed", m, g, dictionary, len(data), final)
	}
	return out
}

func FuzzCompress(f *testing.F) {
	f.Add([]byte("\x00\x08\xff\x31a map of some\x05\x85\xc1 streets"), byte(2), uint16(300), uint32(40000), uint32(9000), byte(Greedy), true)
	f.Add([]byte{7, 15, 23, 31, 39, 255, 0, 1, 2, 3}, byte(3), uint16(8300), uint32(150000), uint32(70000), byte(Balanced), false)
	f.Add([]byte{1}, byte(0), uint16(0), uint32(400000), uint32(0), byte(RLE), true)
	f.Add([]byte{0xfd, 7, 0x80, 99}, byte(3), uint16(512), uint32(5000), uint32(2), byte(Lazy), true)
	f.Fuzz(func(t *testing.T, instructions []byte, pixel byte, width uint16, size, dictionary uint32, mode byte, final bool) {
		g := Geometry{PixelBytes: pixelSizes[pixel%6]}
		g.RowBytes = 1 + int(width%12000)*g.PixelBytes
		data := paint(instructions, g, int(size%400000))
		if pixel >= 128 {
			data = instructions // as they are
		}
		if pixel&64 != 0 {
			g.RowBytes = int(width) // any rows, which pixels need not fill
		}
		verify(t, data, int(dictionary%(uint32(len(data))+1)), Mode(mode%modes), g, final)
	})
}
