package quantize

import (
	"math"
	"slices"
)

// nearest finds the entry of a palette that is nearest to a colour; the first of equals.
//
// The score of an entry P for a colour X is 256 (|P|^2 - 2 P.X) + index: the least has the least distance, and the index
// comes with it. Vectors compute it for eight entries at once, P.X from products of 16 bits: the scale of 512 is split into
// 64 on the side of X and -8 on that of P, which just fit.
type nearest struct {
	n      int
	groups int           // of eight entries
	rg, ba [32][16]int16 // -8 P, red and green, blue and alpha side by side
	bias   [32][8]int32  // 256 |P|^2 + index; beyond n, more than any score
	axis   int           // that the entries differ along most, which the scalar search follows
	order  [256]uint8    // entries by their coordinate on that axis
	sorted [256]vector   // in that order
	from   [1024]uint8   // by coordinate, from -512: where the search begins in order
	points [256]vector   // the entries
}

// packed is a vector times 64, in two pairs of 16 bits.
type packed struct{ rg, ba int32 }

func pack(v vector) packed {
	return packed{pair(64*v[0], 64*v[1]), pair(64*v[2], 64*v[3])}
}

func pair(low, high int32) int32 { return int32(uint32(uint16(low)) | uint32(high)<<16) }

func (p packed) vector() vector {
	return vector{int32(int16(p.rg)) / 64, p.rg >> 16 / 64, int32(int16(p.ba)) / 64, p.ba >> 16 / 64}
}

// set makes q search among entries, of which there is at least one.
func (q *nearest) set(entries []vector) {
	q.n = len(entries)
	q.groups = (q.n + 7) / 8
	copy(q.points[:], entries)
	for i := range 8 * q.groups {
		g, k := i/8, i%8
		if i >= q.n {
			q.rg[g][2*k], q.rg[g][2*k+1], q.ba[g][2*k], q.ba[g][2*k+1] = 0, 0, 0, 0
			q.bias[g][k] = math.MaxInt32
			continue
		}
		p := entries[i]
		q.rg[g][2*k], q.rg[g][2*k+1] = int16(-8*p[0]), int16(-8*p[1])
		q.ba[g][2*k], q.ba[g][2*k+1] = int16(-8*p[2]), int16(-8*p[3])
		q.bias[g][k] = 256*square(p) + int32(i)
	}
	if !vectors {
		q.sort()
	}
}

func square(p vector) int32 { return p[0]*p[0] + p[1]*p[1] + p[2]*p[2] + p[3]*p[3] }

// sort prepares the scalar search.
func (q *nearest) sort() {
	entries := q.points[:q.n]
	widest := int32(-1)
	for a := range 4 {
		low, high := int32(math.MaxInt32), int32(math.MinInt32)
		for i := range entries {
			low, high = min(low, entries[i][a]), max(high, entries[i][a])
		}
		if high-low > widest {
			widest, q.axis = high-low, a
		}
	}
	for i := range entries {
		q.order[i] = uint8(i)
	}
	slices.SortFunc(q.order[:q.n], func(i, j uint8) int {
		if d := q.points[i][q.axis] - q.points[j][q.axis]; d != 0 {
			return int(d)
		}
		return int(i) - int(j)
	})
	next := 0
	for i := range q.from {
		for next < q.n-1 && q.points[q.order[next]][q.axis] < int32(i-512) {
			next++
		}
		q.from[i] = uint8(next)
	}
	for i, k := range q.order[:q.n] {
		q.sorted[i] = q.points[k]
	}
}

// scalar is the search without vectors: from the colour's place on the axis to both sides, until the axis alone is farther
// than the best.
func (q *nearest) scalar(x vector) uint8 {
	at := x[q.axis]
	start := int(q.from[(at+512)&1023])
	best := int32(math.MaxInt32) // 256 times the squared distance, plus the index
	for i := start; i < q.n; i++ {
		d := q.sorted[i][q.axis] - at
		if d > 0 && 256*d*d > best {
			break
		}
		best = min(best, q.score(i, x))
	}
	for i := start - 1; i >= 0; i-- {
		d := q.sorted[i][q.axis] - at
		if d < 0 && 256*d*d > best {
			break
		}
		best = min(best, q.score(i, x))
	}
	return uint8(best)
}

func (q *nearest) score(i int, x vector) int32 {
	p := &q.sorted[i]
	d := vector{p[0] - x[0], p[1] - x[1], p[2] - x[2], p[3] - x[3]}
	return 256*square(d) + int32(q.order[i])
}

// find returns the entry nearest to x.
func (q *nearest) find(x vector) uint8 {
	if vectors {
		return q.findVectors(pack(x))
	}
	return q.scalar(x)
}

// findAll finds the entry nearest to each of xs.
func (q *nearest) findAll(found []uint8, xs []packed) {
	found = found[:len(xs)]
	if vectors {
		q.findAllVectors(found, xs)
		return
	}
	for i, x := range xs {
		found[i] = q.scalar(x.vector())
	}
}
