package quantize

import (
	"bytes"
	"math"
)

// Rounds of k-means, and in how many of the first ones entries move to where they are needed more.
const (
	rounds     = 8
	moveRounds = 5
)

// stretch is how many colours are looked at before stop is asked.
const stretch = 8192

// cluster is the points that are nearest to one entry of the palette.
type cluster struct {
	mean   [4]float64 // in the space
	weight float64    // of its points
	error  float64    // sum of their squared distances, by weight
	far    int        // the point that adds most to error
	most   float64    // what it adds
}

// means moves clusters to the means of the points that are nearest to them (Lloyd's algorithm).
type means struct {
	clusters []cluster
	nearest  nearest
	assigned []uint8 // the cluster of each point
	before   []uint8 // the same a round ago
}

// begin makes the clusters from boxes.
func (m *means) begin(s *splitter) {
	m.assigned = grow(m.assigned, len(s.points))
	m.before = grow(m.before, len(s.points))
	for i, b := range s.boxes {
		for _, o := range s.order[b.first:b.end] {
			m.assigned[o] = uint8(i)
		}
	}
	m.clusters = grow(m.clusters, len(s.boxes))
	m.update(s.points)
}

// refine runs all rounds. located are the points rounded. When stop says true the result is of no use.
func (m *means) refine(points []point, located []packed, stop func() bool) {
	for round := range rounds {
		m.before, m.assigned = m.assigned, m.before
		m.load()
		if !m.nearest.assign(m.assigned, located, stop) {
			return
		}
		if round >= moveRounds && bytes.Equal(m.before, m.assigned) {
			return
		}
		m.update(points)
		if round < moveRounds {
			m.measure(points)
			m.move(points)
		}
	}
}

// load makes nearest search among the clusters.
func (m *means) load() {
	var entries [MaxColors]vector
	for i := range m.clusters {
		entries[i] = round(m.clusters[i].mean)
	}
	m.nearest.set(entries[:len(m.clusters)])
}

// assign is findAll; it reports false when stop said true.
func (q *nearest) assign(found []uint8, xs []packed, stop func() bool) bool {
	for len(xs) > 0 {
		if stop() {
			return false
		}
		n := min(stretch, len(xs))
		q.findAll(found[:n], xs[:n])
		found, xs = found[n:], xs[n:]
	}
	return true
}

// update moves each cluster to the mean of its points. One that has none stays.
func (m *means) update(points []point) {
	var sums [MaxColors][5]float64
	for i := range points {
		p, s := &points[i], &sums[m.assigned[i]]
		w := float64(p.w)
		s[0] += w * float64(p.x[0])
		s[1] += w * float64(p.x[1])
		s[2] += w * float64(p.x[2])
		s[3] += w * float64(p.x[3])
		s[4] += w
	}
	for i := range m.clusters {
		c, s := &m.clusters[i], &sums[i]
		c.weight = s[4]
		if s[4] == 0 {
			continue
		}
		for j := range c.mean {
			c.mean[j] = s[j] / s[4]
		}
	}
}

// measure computes the errors of the clusters.
func (m *means) measure(points []point) {
	for i := range m.clusters {
		c := &m.clusters[i]
		c.error, c.far, c.most = 0, 0, 0
	}
	for i := range points {
		p, c := &points[i], &m.clusters[m.assigned[i]]
		x := [4]float64{float64(p.x[0]), float64(p.x[1]), float64(p.x[2]), float64(p.x[3])}
		e := distance(&x, &c.mean) * float64(p.w)
		c.error += e
		if e > c.most {
			c.most, c.far = e, i
		}
	}
}

func distance(a, b *[4]float64) float64 {
	d0, d1, d2, d3 := a[0]-b[0], a[1]-b[1], a[2]-b[2], a[3]-b[3]
	return d0*d0 + d1*d1 + d2*d2 + d3*d3
}

// move takes clusters that cost least to be without into the costliest ones, where they halve the way to the farthest point.
func (m *means) move(points []point) {
	costs := m.costs()
	var used [MaxColors]bool
	for range len(m.clusters)/8 + 1 {
		low, high := -1, -1
		for i := range m.clusters {
			if used[i] {
				continue
			}
			if low < 0 || costs[i] < costs[low] {
				low = i
			}
			if high < 0 || m.clusters[i].error > m.clusters[high].error {
				high = i
			}
		}
		if low < 0 || low == high || 3*costs[low] > m.clusters[high].error {
			return
		}
		used[low], used[high] = true, true
		from, far := m.clusters[high].mean, points[m.clusters[high].far].x
		for j := range from {
			m.clusters[low].mean[j] = (from[j] + float64(far[j])) / 2
		}
	}
}

// costs returns by how much the error would grow, for each cluster, if it joined another: the squared distance of the two times
// the product of their weights by the sum, which is at least half of the lesser.
func (m *means) costs() (costs [MaxColors]float64) {
	for i := range m.clusters {
		if m.clusters[i].weight > 0 {
			costs[i] = math.Inf(1)
		}
	}
	for i := range m.clusters {
		a := &m.clusters[i]
		for j := range m.clusters[:i] {
			b := &m.clusters[j]
			d := distance(&a.mean, &b.mean)
			if d*min(a.weight, b.weight) >= 2*max(costs[i], costs[j]) {
				continue
			}
			if a.weight > 0 && b.weight > 0 {
				cost := d * a.weight * b.weight / (a.weight + b.weight)
				costs[i], costs[j] = min(costs[i], cost), min(costs[j], cost)
			}
		}
	}
	return costs
}
