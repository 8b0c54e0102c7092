package quantize

import "math"

// thresholds is among how many places a box is cut at the best.
const thresholds = 256

// box is a set of points that one entry of the palette may stand for, and how it would be cut in two.
type box struct {
	first, end int // in the order
	moments
	error      float64 // sum of the squared distances from their mean, by weight
	gain       float64 // how much less that is when the box is cut; at most so much while looked is false
	looked     bool    // for the best cut
	low, scale float32 // a point's place on the axis of the cut, from low on in steps of 1/scale, is below thresholds
	cut        int     // the last place of the lower half
}

// moments is what points add up to, by weight: their coordinates, and the products of these.
type moments struct {
	weight   float64
	sums     [4]float64
	products [10]float64 // xx, xy, xz, xt, yy, yz, yt, zz, zt, tt
}

// splitter cuts boxes.
type splitter struct {
	points []point
	order  []int32
	places []float32 // of the points on the axis of the cut of their box
	boxes  []box

	weights, sums [thresholds]float64 // of the points at each place
}

// split cuts the box of all points, then always the one that gains most, until there are n, or until the error is at most
// enough for a weight of 1. stop is asked before each cut; when it says true the result is of no use.
func (s *splitter) split(points []point, n int, enough float64, stop func() bool) {
	s.points = points
	s.order = grow(s.order, len(points))
	s.places = grow(s.places, len(points))
	for i := range s.order {
		s.order[i] = int32(i)
	}
	s.boxes = append(s.boxes[:0], newBox(0, len(points), s.add(0, len(points))))
	left := s.boxes[0].error
	enough *= s.boxes[0].weight
	for len(s.boxes) < n && left > enough && !stop() {
		best := 0
		for i := range s.boxes {
			if s.boxes[i].gain > s.boxes[best].gain {
				best = i
			}
		}
		b := &s.boxes[best]
		if b.gain <= 1e-9 {
			return
		}
		if !b.looked {
			s.look(b) // what a cut gains is less than the error: boxes of small errors need not be looked at
			continue
		}
		i := s.partition(b)
		if i == b.first || i == b.end {
			b.gain = 0
			continue
		}
		lower, upper := s.halves(b, i)
		left += lower.error + upper.error - b.error
		*b = lower
		s.boxes = append(s.boxes, upper)
	}
}

// halves returns the boxes of b's points before and from i on. It adds up those of the smaller one.
func (s *splitter) halves(b *box, i int) (lower, upper box) {
	first, end := b.first, b.end
	if i-first <= end-i {
		m := s.add(first, i)
		return newBox(first, i, m), newBox(i, end, b.less(&m))
	}
	m := s.add(i, end)
	return newBox(first, i, b.less(&m)), newBox(i, end, m)
}

// partition orders the points of b by the side of the cut that they are on, and returns where the upper ones begin.
func (s *splitter) partition(b *box) int {
	i, j := b.first, b.end-1
	for i <= j {
		if int((s.places[s.order[i]]-b.low)*b.scale) <= b.cut {
			i++
		} else {
			s.order[i], s.order[j] = s.order[j], s.order[i]
			j--
		}
	}
	return i
}

// newBox returns the box of points from first to before end, whose moments are m.
func newBox(first, end int, m moments) box {
	b := box{first: first, end: end, moments: m}
	if m.weight <= 0 {
		b.looked = true
		return b
	}
	for j, sum := range m.sums {
		b.error += m.products[diagonal[j]] - sum*sum/m.weight
	}
	b.error = max(b.error, 0)
	b.gain = b.error
	if end-first < 2 {
		b.gain, b.looked = 0, true
	}
	return b
}

// Where the products of equal coordinates are.
var diagonal = [4]int{0, 4, 7, 9}

// add returns the moments of the points from first to before end.
func (s *splitter) add(first, end int) moments {
	var w, s0, s1, s2, s3 float64
	var q00, q11, q22, q33, q01, q02, q03, q12, q13, q23 float64
	for _, o := range s.order[first:end] {
		p := &s.points[o]
		k, x, y, z, t := float64(p.w), float64(p.x[0]), float64(p.x[1]), float64(p.x[2]), float64(p.x[3])
		w += k
		kx, ky, kz, kt := k*x, k*y, k*z, k*t
		s0, s1, s2, s3 = s0+kx, s1+ky, s2+kz, s3+kt
		q00, q01, q02, q03 = q00+kx*x, q01+kx*y, q02+kx*z, q03+kx*t
		q11, q12, q13 = q11+ky*y, q12+ky*z, q13+ky*t
		q22, q23 = q22+kz*z, q23+kz*t
		q33 += kt * t
	}
	return moments{w, [4]float64{s0, s1, s2, s3}, [10]float64{q00, q01, q02, q03, q11, q12, q13, q22, q23, q33}}
}

// less returns m without o.
func (m *moments) less(o *moments) moments {
	d := moments{weight: m.weight - o.weight}
	for i := range m.sums {
		d.sums[i] = m.sums[i] - o.sums[i]
	}
	for i := range m.products {
		d.products[i] = m.products[i] - o.products[i]
	}
	return d
}

// covariance returns how the points vary together, by weight.
func (m *moments) covariance() (c [4][4]float64) {
	k := 0
	for i := range 4 {
		for j := i; j < 4; j++ {
			c[i][j] = m.products[k] - m.sums[i]*m.sums[j]/m.weight
			c[j][i] = c[i][j]
			k++
		}
	}
	return c
}

// look finds how b is cut best: across the direction in which its points vary most.
func (s *splitter) look(b *box) {
	b.gain, b.looked = 0, true
	if axis, length := principal(b.covariance()); length > 0 {
		s.findCut(b, axis)
	}
}

// principal returns the direction of the greatest variance, by power iteration, and 0 when there is none.
func principal(m [4][4]float64) (axis [4]float64, length float64) {
	widest := 0
	for i := range m {
		if m[i][i] > m[widest][widest] {
			widest = i
		}
	}
	axis = m[widest]
	for range 8 {
		var next [4]float64
		for i := range m {
			next[i] = m[i][0]*axis[0] + m[i][1]*axis[1] + m[i][2]*axis[2] + m[i][3]*axis[3]
		}
		length = math.Sqrt(next[0]*next[0] + next[1]*next[1] + next[2]*next[2] + next[3]*next[3])
		if length == 0 {
			return axis, 0
		}
		for i := range next {
			axis[i] = next[i] / length
		}
	}
	return axis, length
}

// findCut finds the threshold across axis that leaves the least error.
func (s *splitter) findCut(b *box, axis [4]float64) {
	a0, a1, a2, a3 := float32(axis[0]), float32(axis[1]), float32(axis[2]), float32(axis[3])
	low, high := float32(math.MaxFloat32), float32(-math.MaxFloat32)
	for _, o := range s.order[b.first:b.end] {
		p := &s.points[o]
		x := p.x[0]*a0 + p.x[1]*a1 + p.x[2]*a2 + p.x[3]*a3
		s.places[o] = x
		low, high = min(low, x), max(high, x)
	}
	if high <= low {
		return
	}
	n := thresholds
	if b.end-b.first < 64 {
		n = 64
	}
	weights, sums := s.weights[:n], s.sums[:n]
	clear(weights)
	clear(sums)
	b.low, b.scale = low, float32(n-1)/(high-low)*0.99999
	for _, o := range s.order[b.first:b.end] {
		x, k := s.places[o], float64(s.points[o].w)
		i := int((x - low) * b.scale)
		weights[i] += k
		sums[i] += k * float64(x)
	}
	total := b.sums[0]*float64(a0) + b.sums[1]*float64(a1) + b.sums[2]*float64(a2) + b.sums[3]*float64(a3)
	weight, sum := 0.0, 0.0
	for i := range n - 1 {
		if weights[i] == 0 {
			continue
		}
		weight += weights[i]
		sum += sums[i]
		rest := b.weight - weight
		if rest <= 1e-9 {
			break
		}
		d := sum/weight - (total-sum)/rest
		if gain := d * d * weight * rest / b.weight; gain > b.gain {
			b.gain, b.cut = gain, i
		}
	}
}

// grow returns s with n elements, whose values do not matter.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}
