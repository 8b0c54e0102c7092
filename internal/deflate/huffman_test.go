package deflate

import (
	"math/rand/v2"
	"testing"
)

func TestHuffman(t *testing.T) {
	fibonacci := make([]uint32, 40) // the frequencies that make the longest codes
	fibonacci[0], fibonacci[1] = 1, 1
	for i := 2; i < len(fibonacci); i++ {
		fibonacci[i] = fibonacci[i-1] + fibonacci[i-2]
	}
	all := [][]uint32{
		make([]uint32, 30), {5, 0, 0}, {0, 0, 7}, {1, 1}, {1, 1, 1}, fibonacci, fibonacci[:19],
	}
	r := rand.New(rand.NewPCG(3, 3))
	for range 300 {
		f := make([]uint32, 2+r.IntN(285))
		for i := range f {
			f[i] = uint32(r.Uint64()>>(40+r.IntN(24))) & uint32(-r.IntN(2))
		}
		all = append(all, f)
	}
	var b builder
	for _, frequencies := range all {
		for _, limit := range []int{7, 9, 14, 15} {
			if len(frequencies) > 1<<limit {
				continue
			}
			var c code
			b.build(&c, frequencies, limit)
			sum, codes := 0, map[uint32]bool{}
			for symbol, f := range frequencies {
				n := c.bits(symbol)
				if n > limit || f > 0 && n == 0 {
					t.Fatalf("%v, limit %d: symbol %d has %d bits", frequencies, limit, symbol, n)
				}
				if n > 0 {
					sum += 1 << (limit - n)
					codes[c[symbol]] = true
				}
				for other, g := range frequencies {
					if f > g && g > 0 && n > c.bits(other) {
						t.Fatalf("%v: symbol %d is more frequent than %d and longer", frequencies, symbol, other)
					}
				}
			}
			if sum != 1<<limit {
				t.Errorf("%v, limit %d: %d of %d code points used", frequencies, limit, sum, 1<<limit)
			}
		}
	}
}

func TestSymbols(t *testing.T) {
	// The table of RFC 1951, 3.2.5: some codes with their extra bits and first values.
	for symbol, want := range map[int][2]int{257: {0, 3}, 264: {0, 10}, 265: {1, 11}, 272: {2, 31}, 276: {3, 59}, 280: {4, 115}, 281: {5, 131}, 284: {5, 227}, 285: {0, 258}} {
		i := symbol - firstLength
		if int(lengthExtra[i]) != want[0] || int(lengthBase[i]) != want[1] || lengthSymbols[want[1]] != uint8(i) {
			t.Errorf("length code %d: %d extra bits, from %d", symbol, lengthExtra[i], lengthBase[i])
		}
	}
	if lengthSymbols[257] != 284-firstLength {
		t.Error("length 257 is not in code 284")
	}
	for symbol, want := range map[int][2]int{0: {0, 1}, 3: {0, 4}, 4: {1, 5}, 9: {3, 25}, 16: {7, 257}, 17: {7, 385}, 29: {13, 24577}} {
		if int(distanceExtra[symbol]) != want[0] || int(distanceBase[symbol])+1 != want[1] || distanceSymbol(want[1]) != uint8(symbol) {
			t.Errorf("distance code %d: %d extra bits, from %d", symbol, distanceExtra[symbol], distanceBase[symbol]+1)
		}
	}
	if distanceSymbol(32768) != 29 || distanceSymbol(384) != 16 {
		t.Error("the last distance of a code is not in it")
	}
}
