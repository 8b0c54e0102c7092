package jpeg

import "math/bits"

// spec is a Huffman table as DHT writes it: how many codes there are of each length from 1 to 16, and their symbols.
type spec struct {
	count  [16]uint8
	symbol []uint8
}

// specs are the tables of an image: DC and AC of luminance, DC and AC of chrominance.
type specs [4]spec

// typical are the tables of T.81, K.3. They have a code for every symbol that 8-bit samples can lead to.
var typical = specs{
	{[16]uint8{0, 1, 5, 1, 1, 1, 1, 1, 1}, []uint8{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
	{[16]uint8{0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125}, []uint8{
		0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07,
		0x22, 0x71, 0x14, 0x32, 0x81, 0x91, 0xa1, 0x08, 0x23, 0x42, 0xb1, 0xc1, 0x15, 0x52, 0xd1, 0xf0,
		0x24, 0x33, 0x62, 0x72, 0x82, 0x09, 0x0a, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x25, 0x26, 0x27, 0x28,
		0x29, 0x2a, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3a, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49,
		0x4a, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5a, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69,
		0x6a, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89,
		0x8a, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7,
		0xa8, 0xa9, 0xaa, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba, 0xc2, 0xc3, 0xc4, 0xc5,
		0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda, 0xe1, 0xe2,
		0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8,
		0xf9, 0xfa,
	}},
	{[16]uint8{0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1}, []uint8{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
	{[16]uint8{0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 119}, []uint8{
		0x00, 0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41, 0x51, 0x07, 0x61, 0x71,
		0x13, 0x22, 0x32, 0x81, 0x08, 0x14, 0x42, 0x91, 0xa1, 0xb1, 0xc1, 0x09, 0x23, 0x33, 0x52, 0xf0,
		0x15, 0x62, 0x72, 0xd1, 0x0a, 0x16, 0x24, 0x34, 0xe1, 0x25, 0xf1, 0x17, 0x18, 0x19, 0x1a, 0x26,
		0x27, 0x28, 0x29, 0x2a, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3a, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48,
		0x49, 0x4a, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5a, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68,
		0x69, 0x6a, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87,
		0x88, 0x89, 0x8a, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a, 0xa2, 0xa3, 0xa4, 0xa5,
		0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba, 0xc2, 0xc3,
		0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda,
		0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8,
		0xf9, 0xfa,
	}},
}

// Symbols of AC coefficients (T.81, F.1.2.2): a run of zeros in the high half, the size of the value behind it in the low.
const (
	endOfBlock = 0x00
	sixteen    = 0xf0 // zeros
)

// codes is what symbols become, two ways.
//
// entry has what a symbol and the bits of its value are together: the bits, left aligned and at most 24, and their number
// in the low byte. AC coefficients from -127 to 127 are at class*acClass + uint8(value)<<4 + run, where value 0 is the end
// of a block with run 0 and 16 zeros with run 15; differences of DC from -255 to 255 are at dcBase + class*dcClass + 256 +
// difference. Runs are innermost because short ones, of small values, are most of all symbols: they share cache lines.
//
// table has the codes alone, for what is larger.
type codes struct {
	entry [1 << 14]uint64
	table [4]codeTable
}

const (
	acClass = 1 << 12
	dcBase  = 2 * acClass
	dcClass = 1 << 9
	zeros16 = 15 // index of 16 zeros
)

// codeTable is the code of each symbol and its length in bits; 0: there is none.
type codeTable struct {
	code   [256]uint16
	length [256]uint8
}

// typicalCodes are those of most images.
var typicalCodes = newCodes(&typical)

func newCodes(s *specs) *codes {
	c := new(codes)
	for i := range s {
		c.table[i].assign(&s[i])
	}
	for class := range 2 {
		dc, ac := &c.table[2*class], &c.table[2*class+1]
		for value := -127; value <= 127; value++ {
			for run := range 16 {
				if value == 0 && run != 0 && run != zeros16 {
					continue
				}
				size, low := magnitude(int32(value))
				c.entry[class*acClass+int(uint8(value))<<4+run] = ac.entry(uint8(run<<4)|size, size, low)
			}
		}
		for difference := -255; difference <= 255; difference++ {
			size, low := magnitude(int32(difference))
			c.entry[dcBase+class*dcClass+256+difference] = dc.entry(size, size, low)
		}
	}
	return c
}

// assign numbers the codes (T.81, C.2).
func (t *codeTable) assign(s *spec) {
	code, symbols := uint16(0), s.symbol
	for i, n := range s.count {
		for _, symbol := range symbols[:n] {
			t.code[symbol], t.length[symbol] = code, uint8(i+1)
			code++
		}
		symbols = symbols[n:]
		code <<= 1
	}
}

// entry returns the code of a symbol with size bits of a value behind it, as codes.entry has them.
func (t *codeTable) entry(symbol, size uint8, low uint32) uint64 {
	length := t.length[symbol]
	if length == 0 {
		return 0
	}
	all := uint64(length) + uint64(size)
	return (uint64(t.code[symbol])<<size|uint64(low))<<(64-all) | all
}

// magnitude returns how many bits a value takes and these bits (T.81, F.1.2.1.1).
func magnitude(v int32) (size uint8, low uint32) {
	sign := v >> 31
	size = uint8(bits.Len32(uint32((v ^ sign) - sign)))
	return size, uint32(v+sign) & (1<<size - 1)
}

// optimal returns the table of least bits for symbols of these frequencies (T.81, K.2, whose steps decide between equals).
func optimal(frequency *[256]int) spec {
	const none = -1
	var weight [257]int
	var size, next [257]int // of a symbol's code; the symbol that shares its tree's branch
	for i := range next {
		next[i] = none
	}
	copy(weight[:], frequency[:])
	weight[256] = 1 // reserves the code of all ones
	for {
		a, b := none, none // the least weight, and the least but for that
		for i, w := range weight {
			switch {
			case w == 0:
			case a == none || w <= weight[a]:
				a, b = i, a
			case b == none || w <= weight[b]:
				b = i
			}
		}
		if b == none {
			break
		}
		weight[a] += weight[b]
		weight[b] = 0
		for {
			size[a]++
			if next[a] == none {
				break
			}
			a = next[a]
		}
		next[a] = b
		for ; b != none; b = next[b] {
			size[b]++
		}
	}
	var count [258]int
	for _, n := range size {
		if n > 0 {
			count[n]++
		}
	}
	return limit(count[:], size[:256])
}

// limit makes a table of codes whose lengths are at most 16 (T.81, figures K.3 and K.4). count is how many codes of each
// length there are, with the one that is reserved.
func limit(count, size []int) spec {
	const longest = 16
	for i := len(count) - 1; i > longest; i-- {
		for count[i] > 0 {
			j := i - 2
			for count[j] == 0 {
				j--
			}
			count[i] -= 2
			count[i-1]++
			count[j+1] += 2
			count[j]--
		}
	}
	last := longest
	for count[last] == 0 {
		last--
	}
	count[last]--
	var s spec
	for i := range s.count {
		s.count[i] = uint8(count[i+1])
	}
	for n := 1; n < len(count); n++ {
		for symbol, m := range size {
			if m == n {
				s.symbol = append(s.symbol, uint8(symbol))
			}
		}
	}
	return s
}
