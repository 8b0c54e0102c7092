package quantize

import (
	"bytes"
	"math"
)

// effort is how many rounds of k-means are made, and in how many of the first ones entries move to where they are needed more.
type effort struct{ rounds, moves int }

// The search takes most of a tile's encode, and little of a large image's. Half of the rounds cost tiles about 0.1 dB.
var (
	usual    = effort{8, 5}
	forSmall = effort{4, 2}
)

// maxSmall is the pixels of a small image.
const maxSmall = 512 * 512

// settled is the part of the error that, when a round without moves leaves more than it, ends the search.
const settled = 0.995

// stretch is how many colours are looked at before stop is asked.
const stretch = 8192

// cluster is the points that are nearest to one entry of the palette.
type cluster struct {
	mean   [4]float64 // in the space
	weight float64    // of its points
	error  float64    // sum of their squared distances, by weight
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

// refine runs the rounds. located are the points rounded. When stop says true the result is of no use.
func (m *means) refine(points []point, located []packed, e effort, stop func() bool) {
	left := math.Inf(1)
	for round := range e.rounds {
		m.before, m.assigned = m.assigned, m.before
		m.load()
		if !m.nearest.assign(m.assigned, located, stop) {
			return
		}
		if round >= e.moves && bytes.Equal(m.before, m.assigned) {
			return
		}
		before := left
		if left = m.update(points); round > e.moves && left > settled*before {
			return
		}
		if round < e.moves {
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

// update moves each cluster to the mean of its points and computes its error. One that has no points stays.
func (m *means) update(points []point) (left float64) {
	var sums [MaxColors]sum
	addAll(&sums, points, m.assigned)
	for i := range m.clusters {
		c, s := &m.clusters[i], &sums[i]
		c.weight, c.error = s.weight[0], 0
		if c.weight == 0 {
			continue
		}
		for j := range c.mean {
			c.mean[j] = s.x[j] / c.weight
			c.error += s.squares[j] - float64(s.x[j]*c.mean[j])
		}
		left += c.error
	}
	return left
}

// sum is what points add up to.
type sum struct {
	x       [4]float64 // coordinates by weight
	squares [4]float64 // of the coordinates, by weight
	weight  [2]float64 // twice the same
}

// move takes clusters that cost least to be without into the costliest ones, where they halve the way to the farthest point.
func (m *means) move(points []point) {
	costs := m.costs()
	var used [MaxColors]bool
	var pairs [MaxColors/8 + 1][2]int
	n := 0
	for n < len(m.clusters)/8+1 {
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
		if low < 0 || low == high || 3*float64(costs[low]) > m.clusters[high].error {
			break
		}
		used[low], used[high] = true, true
		pairs[n] = [2]int{low, high}
		n++
	}
	if n == 0 {
		return
	}
	far := m.farthest(points, pairs[:n])
	for _, p := range pairs[:n] {
		low, high := p[0], p[1]
		from, to := m.clusters[high].mean, points[far[high]].x
		for j := range from {
			m.clusters[low].mean[j] = (from[j] + float64(to[j])) / 2
		}
	}
}

// farthest returns the point that adds most to the error of each cluster that is the second of a pair.
func (m *means) farthest(points []point, pairs [][2]int) (far [MaxColors]int) {
	var wanted [MaxColors]bool
	var most [MaxColors]float64
	for _, p := range pairs {
		wanted[p[1]] = true
	}
	for i, c := range m.assigned {
		if !wanted[c] {
			continue
		}
		p := &points[i]
		x := [4]float64{float64(p.x[0]), float64(p.x[1]), float64(p.x[2]), float64(p.x[3])}
		if e := distance(&x, &m.clusters[c].mean) * float64(p.w); e > most[c] {
			most[c], far[c] = e, i
		}
	}
	return far
}

func distance(a, b *[4]float64) float64 {
	d0, d1, d2, d3 := a[0]-b[0], a[1]-b[1], a[2]-b[2], a[3]-b[3]
	return d0*d0 + d1*d1 + d2*d2 + d3*d3
}

// costs returns by how much the error would grow, for each cluster, if it joined another: the squared distance of the two times
// the product of their weights by the sum.
func (m *means) costs() (costs [MaxColors]float32) {
	var all joints
	n := 0
	var index [MaxColors]uint8
	for i := range m.clusters {
		if c := &m.clusters[i]; c.weight > 0 {
			for j := range c.mean {
				all.x[j][n] = float32(c.mean[j])
			}
			all.weight[n] = float32(c.weight)
			index[n] = uint8(i)
			n++
		}
	}
	var least [MaxColors]float32
	all.costs(&least, n)
	for i, k := range index[:n] {
		costs[k] = least[i]
	}
	return costs
}

// joints is clusters that have points.
type joints struct {
	x      [4][MaxColors]float32
	weight [MaxColors]float32
}

// costs finds what each of n clusters costs to join the one that it costs least to join.
func (a *joints) costs(least *[MaxColors]float32, n int) {
	if vectors && n > 1 {
		a.costsVectors(least, n)
		return
	}
	for i := range n {
		least[i] = math.MaxFloat32
	}
	for i := range n {
		for j := range i {
			cost := a.cost(i, j)
			least[i], least[j] = min(least[i], cost), min(least[j], cost)
		}
	}
}

// cost rounds after each operation, as vectors do.
func (a *joints) cost(i, j int) float32 {
	d0, d1, d2, d3 := a.x[0][i]-a.x[0][j], a.x[1][i]-a.x[1][j], a.x[2][i]-a.x[2][j], a.x[3][i]-a.x[3][j]
	d := float32(float32(float32(d0*d0)+float32(d1*d1))+float32(d2*d2)) + float32(d3*d3)
	w, v := a.weight[i], a.weight[j]
	return float32(d*float32(w*v)) / (w + v)
}

// addAll adds each point to the sum of its cluster. It rounds after each operation, as vectors do.
func addAll(sums *[MaxColors]sum, points []point, assigned []uint8) {
	if vectors {
		addAllVectors(sums, points, assigned)
		return
	}
	for i := range points {
		p, s := &points[i], &sums[assigned[i]]
		w := float64(p.w)
		x, y, z, t := float64(p.x[0]), float64(p.x[1]), float64(p.x[2]), float64(p.x[3])
		kx, ky, kz, kt := float64(w*x), float64(w*y), float64(w*z), float64(w*t)
		s.x[0] += kx
		s.x[1] += ky
		s.x[2] += kz
		s.x[3] += kt
		s.squares[0] += float64(kx * x)
		s.squares[1] += float64(ky * y)
		s.squares[2] += float64(kz * z)
		s.squares[3] += float64(kt * t)
		s.weight[0] += w
	}
}
