package jpeg

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"
)

// TestOptimal: lengths are at most 16, no code is the start of another, all ones is none, and no other table takes fewer bits
// where the limit does not matter.
func TestOptimal(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	fibonacci := func() (f [256]int) {
		a, b := 1, 1
		for i := range 60 {
			f[i*3] = a
			a, b = b, a+b
		}
		return f
	}
	cases := map[string]func() [256]int{
		"one": func() (f [256]int) { f[7] = 5; return f },
		"two": func() (f [256]int) { f[0], f[255] = 1, 1000; return f },
		"even": func() (f [256]int) {
			for i := range f {
				f[i] = 3
			}
			return f
		},
		"fibonacci": fibonacci,
		"random": func() (f [256]int) {
			for i := range f {
				f[i] = r.IntN(1 << r.IntN(20))
			}
			return f
		},
	}
	for name, make := range cases {
		for range 20 {
			f := make()
			s := optimal(&f)
			var c codeTable
			c.assign(&s)
			total, space, used := 0, 0, 0
			for symbol, n := range f {
				length := int(c.length[symbol])
				if (length > 0) != (n > 0) || length > 16 {
					t.Fatalf("%s: symbol %d occurs %d times and has %d bits", name, symbol, n, length)
				}
				if length > 0 {
					used++
					space += 1 << (16 - length)
					total += n * length
					if c.code[symbol] == 1<<length-1 {
						t.Fatalf("%s: symbol %d has all ones", name, symbol)
					}
				}
			}
			if space >= 1<<16 || used != len(s.symbol) {
				t.Fatalf("%s: codes take %d of 65536", name, space)
			}
			if best := leastBits(f); name != "fibonacci" && total > best+best/100 {
				t.Errorf("%s: %d bits, %d would do", name, total, best)
			}
		}
	}
}

// leastBits is the size of a Huffman code without limits, with one more symbol for all ones.
func leastBits(f [256]int) (total int) {
	weights := []int{1}
	for _, n := range f {
		if n > 0 {
			weights = append(weights, n)
		}
	}
	for len(weights) > 1 {
		for k := range 2 {
			for i := k + 1; i < len(weights); i++ {
				if weights[i] < weights[k] {
					weights[i], weights[k] = weights[k], weights[i]
				}
			}
		}
		total += weights[0] + weights[1]
		weights[1] += weights[0]
		weights = weights[1:]
	}
	return total
}

// TestMagnitude holds sizes and bits against the standard's table (T.81, F.1).
func TestMagnitude(t *testing.T) {
	for size := range 12 {
		for v := 1 << size >> 1; v < 1<<size; v++ {
			if s, low := magnitude(int32(v)); int(s) != size || int(low) != v {
				t.Fatalf("%d: %d, %b", v, s, low)
			}
			if s, low := magnitude(int32(-v)); int(s) != size || int(low) != 1<<size-1-v {
				t.Fatalf("%d: %d, %b", -v, s, low)
			}
		}
	}
}

// TestJoiner joins pieces of a bit string and compares with the string stuffed at once.
func TestJoiner(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 300 {
		var whole []byte // one bit each
		var out bytes.Buffer
		j := joiner{w: &out}
		for range r.IntN(6) {
			n := r.IntN(1 << r.IntN(16))
			piece := make([]byte, n)
			for i := range piece {
				piece[i] = byte(r.IntN(8)+6) / 7 // mostly ones
			}
			whole = append(whole, piece...)
			packed := pack(piece)
			if err := j.bits(packed[:n/8], append(packed, 0)[n/8], uint(n%8)); err != nil {
				t.Fatal(err)
			}
		}
		j.pad()
		if err := j.flush(); err != nil {
			t.Fatal(err)
		}
		for len(whole)%8 > 0 {
			whole = append(whole, 1)
		}
		if want := bytes.ReplaceAll(pack(whole), []byte{255}, []byte{255, 0}); !bytes.Equal(out.Bytes(), want) {
			t.Fatalf("%d bits: other bytes", len(whole))
		}
	}
	j := joiner{w: failing{}}
	if err := j.bits(make([]byte, 2*outSize), 0, 0); err != io.ErrClosedPipe {
		t.Errorf("a writer that fails: %v", err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func pack(bits []byte) []byte {
	out := make([]byte, (len(bits)+7)/8)
	for i, b := range bits {
		out[i/8] |= b << (7 - i%8)
	}
	return out
}
