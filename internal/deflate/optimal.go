package deflate

import "math"

// optimal looks for the cheapest sequences of a segment of text, where a symbol costs as many bits as its frequency says.
// Frequencies depend on the sequences again: they are those of the text before, then those of a first choice.
type optimal struct{ chain }

const (
	segment = 16 << 10 // bytes that are planned together
	passes  = 2

	// A match may be cut to fewer bytes than these. Long ones are better taken whole, and trying takes time.
	shortened = 24

	forget = 2 // the frequencies of a segment count so much less in the next
)

// edges are the matches of a segment, and the cheapest way through it.
type edges struct {
	all   []edge
	first [segment + 1]uint32 // of the edges at a position; those of the next position follow
	cost  [segment + 1]uint32 // of the way to a position
	last  [segment + 1]edge   // of that way: length 1 is a literal
	costs costs
}

type edge struct{ length, distance uint16 } // distance less one

func (p *optimal) begin(c *compressor) {
	p.chain.begin(c)
	if c.edges == nil {
		c.edges = new(edges)
	}
	c.edges.costs.reset()
}

func (p *optimal) parse(c *compressor, end int) {
	n, literals, pos, k := 0, c.pos, c.pos, &c.edges.costs
	for pos < end && n < room-segment/minMatch {
		size := min(end-pos, segment)
		p.collect(c, pos, size)
		for range passes {
			k.update()
			p.plan(c, pos, size)
			k.forget()
			c.edges.each(size, func(at int, e edge) { k.count(c.text.byte(pos+at), e) })
		}
		c.edges.each(size, func(at int, e edge) {
			if e.length > 1 {
				n = c.sequences.add(n, pos+at-literals, int(e.length), int(e.distance)+1)
				literals = pos + at + int(e.length)
			}
		})
		pos += size
	}
	if pos > literals {
		n = c.sequences.add(n, pos-literals, 0, 1)
	}
	c.sequences.n, c.pos = n, pos
}

// collect finds the matches at the positions from start on that end within size bytes.
func (p *optimal) collect(c *compressor, start, size int) {
	g := c.edges
	g.all = g.all[:0]
	skip := 0 // positions before it are within a long match, and need no other
	for i := range size {
		g.first[i] = uint32(len(g.all))
		if i < skip {
			continue
		}
		pos := start + i
		length := 0
		if size-i >= 8 {
			length = p.matches(c, pos, size-i)
		}
		if length < p.enough {
			p.learn(c, pos, c.text.load64(pos))
			continue
		}
		skip = i + length
		p.insert(c, pos, pos+min(length, longRun/16))
		p.insert(c, max(pos+longRun/16, pos+length-longRun/16), pos+length)
	}
	g.first[size] = uint32(len(g.all))
}

// matches adds the edges at pos, the near ones first, and returns the greatest length.
func (p *optimal) matches(c *compressor, pos, limit int) (longest int) {
	text, g := &c.text, c.edges
	v := text.load64(pos)
	longest = minMatch - 1
	consider := func(at int) {
		if text.byte(at+longest) == text.byte(pos+longest) || longest >= limit {
			if n := text.match(at, pos, min(limit, maxLength)); n > longest {
				g.all = append(g.all, edge{uint16(n), uint16(pos - at - 1)})
				longest = n
			}
		}
	}
	if pos-p.pixelBytes >= c.low {
		consider(pos - p.pixelBytes)
	}
	if longest >= p.enough {
		return longest
	}
	pixel, run := p.hashes(v)
	low := max(c.low, pos-windowSize)
	at := int(c.chains.pixels.last[pixel&(1<<chainBits-1)])
	for n := p.pixels; n > 0 && at > low; n-- {
		consider(at)
		at = int(c.chains.pixels.previous[at&(windowSize-1)])
	}
	at = int(c.chains.runs.last[run&(1<<chainBits-1)])
	for n := p.runs; n > 0 && at > low && longest < p.enough; n-- {
		consider(at)
		at = int(c.chains.runs.previous[at&(windowSize-1)])
	}
	if pos >= p.aboveFrom { // often a little shorter than others, and cheaper
		if n := text.match(pos-p.rowBytes, pos, min(limit, maxLength)); n >= minMatch {
			g.all = append(g.all, edge{uint16(n), uint16(p.rowBytes - 1)})
			longest = max(longest, n)
		}
	}
	return longest
}

// plan finds the cheapest way through the segment.
func (p *optimal) plan(c *compressor, start, size int) {
	g, k := c.edges, &c.edges.costs
	for i := 1; i <= size; i++ {
		g.cost[i] = math.MaxUint32
	}
	g.cost[0] = 0
	for i := range size {
		here := g.cost[i]
		if cost := here + k.literal[c.text.byte(start+i)]; cost < g.cost[i+1] {
			g.cost[i+1], g.last[i+1] = cost, edge{length: 1}
		}
		cheapest, covered := uint32(math.MaxUint32), 0
		for _, e := range g.all[g.first[i]:g.first[i+1]] {
			distance := here + k.distanceCost(e.distance)
			if distance < cheapest {
				cheapest, covered = distance, 0
			}
			from, to := max(minMatch, covered+1), min(int(e.length), maxMatch)
			try := func(n int) {
				if cost := distance + k.length[n]; cost < g.cost[i+n] {
					g.cost[i+n], g.last[i+n] = cost, edge{uint16(n), e.distance}
				}
			}
			for n := from; n < min(to, shortened); n++ {
				try(n)
			}
			try(to)
			if int(e.length) > maxMatch {
				whole, half, rest := cut(int(e.length))
				each := distance - here
				cost := here + uint32(whole)*(each+k.length[maxMatch]) + uint32(half)*(each+k.length[halfMatch]) + each + k.length[rest]
				if cost < g.cost[i+int(e.length)] {
					g.cost[i+int(e.length)], g.last[i+int(e.length)] = cost, e
				}
			}
			covered = max(covered, to)
		}
	}
	// Turn the way around: last[i] becomes the edge that begins at i.
	next := edge{}
	for i := size; ; {
		e := g.last[i]
		g.last[i] = next
		if i == 0 {
			break
		}
		next = e
		i -= int(e.length)
	}
}

// each calls f for the edges of the way.
func (g *edges) each(size int, f func(at int, e edge)) {
	for i := 0; i < size; i += int(g.last[i].length) {
		f(i, g.last[i])
	}
}
