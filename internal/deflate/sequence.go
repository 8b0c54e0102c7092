package deflate

// sequence is a run of literals and the match behind it: 16 bits of literals, 16 bits of length (0: no match), 16 bits of
// distance-1, and the distance's symbol.
type sequence uint64

const (
	maxLiterals = 1<<16 - 1
	maxLength   = 1<<16 - 1 // the block writer cuts it into deflate's matches of at most 258
)

func newSequence(literals, length, distance int) sequence {
	return sequence(uint64(literals) | uint64(length)<<16 | uint64(distance-1)<<32 | uint64(distanceSymbol(distance))<<48)
}

func (s sequence) literals() int          { return int(s & 0xffff) }
func (s sequence) length() int            { return int(s >> 16 & 0xffff) }
func (s sequence) distance() uint64       { return uint64(s >> 32 & 0xffff) } // less one
func (s sequence) distanceSymbol() uint64 { return uint64(s >> 48) }

// sequences are those of one block.
type sequences struct {
	n   int
	all [1 << 15]sequence
}

// room is how many sequences a parser may add: one match and the literals around it can take several more.
const room = 1<<15 - 16

// put stores a sequence of a match that needs no cutting at index n.
func (s *sequences) put(n, literals, length, distance int) {
	s.all[n&(len(s.all)-1)] = newSequence(literals, length, distance)
}

// add appends literals and a match, cut to what sequences can hold. Length 0 means no match.
func (s *sequences) add(n, literals, length, distance int) int {
	for ; literals > maxLiterals; literals -= maxLiterals {
		s.put(n, maxLiterals, 0, 1)
		n++
	}
	const cut = maxLength - 3 // leaves no rest under 3
	for ; length > maxLength; length -= cut {
		s.put(n, literals, cut, distance)
		n++
		literals = 0
	}
	s.put(n, literals, length, distance)
	return n + 1
}
