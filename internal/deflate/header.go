package deflate

// header is the code lengths of a dynamic block (RFC 1951, 3.2.7).
type header struct {
	literals, distances int        // how many lengths of each
	symbols             [316]uint8 // of the code length alphabet
	extra               [316]uint8
	n                   int // symbols
	counts              [codeLengthSymbols]uint32
	code                code
	codeLengths         int // how many lengths of the code length alphabet
}

// Symbols of the code length alphabet beyond the lengths themselves.
const (
	repeat            = 16
	zeros             = 17
	manyZeros         = 18
	codeLengthSymbols = 19
)

var codeLengthExtra = [codeLengthSymbols]uint8{repeat: 2, zeros: 3, manyZeros: 7}

// codeLengthOrder is the order in which the lengths of the code length codes are written.
var codeLengthOrder = [codeLengthSymbols]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// make prepares the header for two codes.
func (h *header) make(b *builder, literals, distances *code) {
	h.n = 0
	clear(h.counts[:])
	h.literals, h.distances = literalSymbols, distanceSymbols
	for h.literals > firstLength && literals.bits(h.literals-1) == 0 {
		h.literals--
	}
	for h.distances > 1 && distances.bits(h.distances-1) == 0 {
		h.distances--
	}
	at := func(i int) int {
		if i < h.literals {
			return literals.bits(i)
		}
		return distances.bits(i - h.literals)
	}
	for i, n := 0, h.literals+h.distances; i < n; {
		length, run := at(i), 1
		for i+run < n && at(i+run) == length {
			run++
		}
		i += run
		h.run(length, run)
	}
	b.build(&h.code, h.counts[:], 7)
	h.codeLengths = codeLengthSymbols
	for h.codeLengths > 4 && h.code.bits(int(codeLengthOrder[h.codeLengths-1])) == 0 {
		h.codeLengths--
	}
}

// run adds a run of equal lengths.
func (h *header) run(length, run int) {
	if length == 0 {
		for run >= 3 {
			n := min(run, 138)
			if n > 10 {
				h.add(manyZeros, n-11)
			} else {
				h.add(zeros, n-3)
			}
			run -= n
		}
	} else if run > 3 {
		h.add(length, 0)
		for run--; run >= 3; {
			n := min(run, 6)
			h.add(repeat, n-3)
			run -= n
		}
	}
	for range run {
		h.add(length, 0)
	}
}

func (h *header) add(symbol, extra int) {
	h.symbols[h.n], h.extra[h.n] = uint8(symbol), uint8(extra)
	h.n++
	h.counts[symbol]++
}

// bits returns what the header takes, with the block's type.
func (h *header) bits() int {
	n := 3 + 5 + 5 + 4 + 3*h.codeLengths
	for symbol, count := range h.counts {
		n += int(count) * (h.code.bits(symbol) + int(codeLengthExtra[symbol]))
	}
	return n
}

func (h *header) write(w *bitWriter) {
	w.put(uint64(h.literals-firstLength)|uint64(h.distances-1)<<5|uint64(h.codeLengths-4)<<10, 14)
	for _, symbol := range codeLengthOrder[:h.codeLengths] {
		w.put(uint64(h.code.bits(int(symbol))), 3)
	}
	for i, symbol := range h.symbols[:h.n] {
		c := h.code[symbol]
		n := uint(c >> 16)
		w.put(uint64(c&0xffff)|uint64(h.extra[i])<<n, n+uint(codeLengthExtra[symbol]))
	}
}

// The codes of fixed blocks (RFC 1951, 3.2.6).
var fixedLiterals, fixedDistances = func() (literals, distances code) {
	for symbol := range literals {
		length := uint32(8)
		switch {
		case symbol >= 144 && symbol < 256:
			length = 9
		case symbol >= 256 && symbol < 280:
			length = 7
		}
		literals[symbol] = length << 16
	}
	literals.assign(len(literals))
	for symbol := range 32 {
		distances[symbol] = 5 << 16
	}
	distances.assign(32)
	return literals, distances
}()
