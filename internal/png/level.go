package png

import (
	"sync/atomic"

	"github.com/sluice-js/sluice/internal/deflate"
)

// kind is what an image looks like to a compressor.
type kind uint8

const (
	flat   kind = iota // areas of one colour, lines and text: whole pixels repeat, and a filter would hide that
	smooth             // shaded relief: pixels differ little from their neighbours, and the differences repeat
	even               // the same, and the differences of whole pixels repeat
	grainy             // photographs, noise: the differences do not repeat, but small ones are frequent
	sparse             // antialiased shapes on transparency: bytes repeat across the borders of pixels
	kinds  = iota
)

// method is how rows of one kind are compressed.
type method struct {
	filter byte
	mode   deflate.Mode
}

// dictionary says whether the method finds matches in the strip before.
func (m method) dictionary() bool { return m.mode != deflate.Stored && m.mode != deflate.RLE }

// level is one trade between time and bytes.
type level struct {
	methods [kinds]method
	indices deflate.Mode // of an indexed image; its filter is none: neighbouring indices say nothing about each other
	// zlibHeader is CMF and FLG (RFC 1950, 2.2): deflate with a window of 32 KB, and a hint at the level.
	zlibHeader [2]byte
}

func (l *level) method(p *plan) method {
	if p.palette != nil {
		return method{filterNone, l.indices}
	}
	return l.methods[p.kind]
}

// tries returns the kinds that an image may be, one of each that the level treats alike.
func (l *level) tries(alpha bool) []kind {
	all := []kind{flat, smooth, even, grainy}
	if alpha {
		all = append(all, sparse)
	}
	var tries []kind
	seen := map[method]bool{}
	for _, k := range all {
		if m := l.methods[k]; !seen[m] {
			seen[m] = true
			tries = append(tries, k)
		}
	}
	return tries
}

var levels = map[string]*level{
	"stored": {zlibHeader: [2]byte{0x78, 0x01}},
	"fastest": {
		methods: [kinds]method{
			flat:   {filterPaeth, deflate.RLE},
			smooth: {filterPaeth, deflate.RLE},
			even:   {filterPaeth, deflate.RLE},
			grainy: {filterPaeth, deflate.RLE},
			sparse: {filterPaeth, deflate.RLE},
		},
		indices: deflate.Greedy, zlibHeader: [2]byte{0x78, 0x01},
	},
	"fast": {
		methods: [kinds]method{
			flat:   {filterNone, deflate.Greedy},
			smooth: {filterPaeth, deflate.Greedy},
			even:   {filterPaeth, deflate.Greedy},
			grainy: {filterPaeth, deflate.RLE},
			sparse: {filterNone, deflate.Overlay},
		},
		indices: deflate.Greedy, zlibHeader: [2]byte{0x78, 0x5e},
	},
	"balanced": {
		methods: [kinds]method{
			flat:   {filterNone, deflate.Balanced},
			smooth: {filterPaeth, deflate.Balanced},
			even:   {filterPaeth, deflate.Balanced},
			grainy: {filterPaeth, deflate.RLE},
			sparse: {filterNone, deflate.Lazy},
		},
		indices: deflate.Lazy, zlibHeader: [2]byte{0x78, 0x9c},
	},
	"small": {
		methods: [kinds]method{
			flat:   {filterNone, deflate.Thorough},
			smooth: {filterPaeth, deflate.Thorough},
			even:   {filterPaeth, deflate.Balanced},
			grainy: {filterPaeth, deflate.RLE},
			sparse: {filterNone, deflate.Balanced},
		},
		indices: deflate.Thorough, zlibHeader: [2]byte{0x78, 0xda},
	},
}

// leveler says which level a strip gets.
type leveler struct {
	fixed *level // nil: auto

	starved atomic.Int32 // strips that began while the consumer waited
}

func (l *leveler) set(name string) { l.fixed = levels[name] }

// buffered is how much the kernel may take for a socket before a slow link shows (bytes; Linux: the default maximum of
// tcp_wmem). Until then consumers on links of 2 Mbit/s and of 1000 look alike: both take everything.
const buffered = 4 << 20

// get returns the level of a strip that begins now.
//
// Up to some 100 Mbit/s fast is within a few percent of the best level, and fastest a third slower because of its bytes; so
// fast it is until the consumer is known. Where it holds the stream back, time spent on size is free and shortens the
// response. Where it has taken more than the kernel buffers and still waits, bytes now are worth more than few bytes; but
// a buffer may run empty by chance, so once is not enough.
func (l *leveler) get(e *Encoder) *level {
	if l.fixed != nil {
		return l.fixed
	}
	if !e.w.Paced() || !e.emitted.Load() {
		return levels["fast"] // nothing is known of the consumer, or it has had nothing to take yet
	}
	if e.w.HeldBack() {
		if e.w.Spare() {
			return levels["balanced"]
		}
		return levels["fast"] // other streams want the processor
	}
	if e.w.Given() > buffered && e.w.Starved() && l.starved.Add(1) > 2 {
		return levels["fastest"]
	}
	return levels["fast"]
}

// trial returns the level that plans are tried with.
func (l *leveler) trial() *level {
	if l.fixed != nil {
		return l.fixed
	}
	return levels["fast"]
}
