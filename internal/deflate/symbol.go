package deflate

// Symbols of the literal and length alphabet, and of the distance alphabet (RFC 1951, 3.2.5).
const (
	endOfBlock      = 256
	firstLength     = 257 // the symbol of length 3
	literalSymbols  = 286
	distanceSymbols = 30
	minMatch        = 3
	maxMatch        = 258
)

var lengthExtra = [literalSymbols - firstLength]uint8{
	8: 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
}

var distanceExtra = [distanceSymbols]uint8{
	4: 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
}

// lengthSymbols has the symbol less firstLength of every length, lengthBase the least length of every such symbol.
var lengthSymbols, lengthBase = func() (symbols [maxMatch + 1]uint8, base [literalSymbols - firstLength]uint16) {
	length := minMatch
	for s := range base {
		base[s] = uint16(length)
		for range 1 << lengthExtra[s] {
			if length < maxMatch { // the last symbol but one would reach it too
				symbols[length] = uint8(s)
				length++
			}
		}
	}
	last := len(base) - 1
	symbols[maxMatch], base[last] = uint8(last), maxMatch
	return symbols, base
}()

// distanceBase has the least distance less one of every symbol.
//
// distanceTable has the symbols of the distances 1 to 256, then those of the distances above, 128 of them to an entry.
var distanceBase, distanceTable = func() (base [distanceSymbols]uint16, table [512]uint8) {
	d := 0
	for s := range base {
		base[s] = uint16(d)
		for range 1 << distanceExtra[s] {
			table[distanceIndex(d)] = uint8(s)
			d++
		}
	}
	return base, table
}()

func distanceIndex(less1 int) int {
	if less1 < 256 {
		return less1
	}
	return 256 + less1>>7
}

func distanceSymbol(distance int) uint8 {
	return distanceTable[distanceIndex(distance-1)&511]
}
