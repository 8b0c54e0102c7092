package deflate

import "math"

// costs are what symbols take, in parts of a bit, by their frequencies.
type costs struct {
	literal  [256]uint32
	length   [maxMatch + 1]uint32
	distance [32]uint32
	counts   struct{ literals, distances [288]uint32 }
}

const bit = 32 // parts

// reset assumes what holds for most maps.
func (k *costs) reset() {
	for i := range 256 {
		k.counts.literals[i] = 4
	}
	for i := range literalSymbols - firstLength {
		k.counts.literals[firstLength+i] = 16
	}
	k.counts.literals[firstLength] = 512
	k.counts.literals[firstLength+3] = 256
	for i := range distanceSymbols {
		k.counts.distances[i] = 16
	}
}

// forget makes the counts so far matter less.
func (k *costs) forget() {
	for i, n := range k.counts.literals {
		k.counts.literals[i] = n / forget
	}
	for i, n := range k.counts.distances {
		k.counts.distances[i] = n / forget
	}
}

// count counts an edge, at which text is b.
func (k *costs) count(b byte, e edge) {
	if e.length == 1 {
		k.counts.literals[b]++
		return
	}
	times := uint32(1)
	length := int(e.length)
	if length > maxMatch {
		whole, half, rest := cut(length)
		k.counts.literals[firstLength+int(lengthSymbols[maxMatch])] += uint32(whole)
		times += uint32(whole + half)
		length = rest
	}
	k.counts.literals[firstLength+int(lengthSymbols[length])]++
	k.counts.distances[distanceSymbol(int(e.distance)+1)] += times
}

// update turns frequencies into costs.
func (k *costs) update() {
	symbols := bitsOf(k.counts.literals[:literalSymbols])
	for i := range k.literal {
		k.literal[i] = symbols(i)
	}
	for n := minMatch; n <= maxMatch; n++ {
		s := int(lengthSymbols[n])
		k.length[n] = symbols(firstLength+s) + uint32(lengthExtra[s])*bit
	}
	symbols = bitsOf(k.counts.distances[:distanceSymbols])
	for i, extra := range distanceExtra {
		k.distance[i] = symbols(i) + uint32(extra)*bit
	}
}

func (k *costs) distanceCost(less1 uint16) uint32 {
	return k.distance[distanceTable[distanceIndex(int(less1))&511]&31]
}

// bitsOf returns a function for the cost of a symbol. One that did not occur costs a little more than one that did once.
func bitsOf(counts []uint32) func(symbol int) uint32 {
	total := 0.0
	for _, n := range counts {
		total += float64(n) + 0.5
	}
	return func(symbol int) uint32 {
		return uint32(min(14, max(1, math.Log2(total/(float64(counts[symbol])+0.5)))) * bit)
	}
}
