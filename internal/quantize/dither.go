package quantize

// Ditherer maps rows to indices and spreads what each pixel is off over its neighbours (Floyd and Steinberg), row by row in
// alternating directions. It works on premultiplied colours, so that nothing comes out of transparent ones.
type Ditherer struct {
	palette   *Palette
	colors    [MaxColors][4]float32
	strength  float32
	cur, next [][4]float32 // what is owed to the pixels of this row and of the next, with one more at both ends
	odd       bool
}

// NewDitherer returns a Ditherer for rows of so many pixels. strength, 0 to 1, is the part of the error that is spread: all
// of it costs the smooth edges of overlays and adds noise to flat areas.
func NewDitherer(p *Palette, width int, strength float64) *Ditherer {
	d := &Ditherer{palette: p, strength: float32(strength), cur: make([][4]float32, width+2), next: make([][4]float32, width+2)}
	for i, c := range p.Colors {
		q := premultiplied(c)
		d.colors[i] = [4]float32{float32(q & 0xff), float32(q >> 8 & 0xff), float32(q >> 16 & 0xff), float32(q >> 24)}
	}
	return d
}

// Index writes the indices of the next row. It is for one goroutine at a time.
func (d *Ditherer) Index(dst []byte, row []uint32) {
	cache := d.palette.cache()
	clear(d.next)
	x, step := 0, 1
	if d.odd {
		x, step = len(row)-1, -1
	}
	for range row {
		owed := &d.cur[x+1]
		c := row[x]
		a := clamp(float32(c>>24)+owed[3], 255)
		most := float32(uint32(a))
		v := [4]float32{
			clamp(float32(c&0xff)+owed[0], most),
			clamp(float32(c>>8&0xff)+owed[1], most),
			clamp(float32(c>>16&0xff)+owed[2], most),
			a,
		}
		i := cache.find(d.palette, uint32(v[0])|uint32(v[1])<<8|uint32(v[2])<<16|uint32(v[3])<<24)
		dst[x] = i
		p := &d.colors[i]
		ahead, behind, below, corner := &d.cur[x+1+step], &d.next[x+1-step], &d.next[x+1], &d.next[x+1+step]
		for j := range v {
			e := (float32(uint32(v[j])) - p[j]) * d.strength
			ahead[j] += e * (7.0 / 16)
			behind[j] += e * (3.0 / 16)
			below[j] += e * (5.0 / 16)
			corner[j] += e * (1.0 / 16)
		}
		x += step
	}
	caches.Put(cache)
	d.cur, d.next = d.next, d.cur
	d.odd = !d.odd
}

// clamp returns x within 0 and most, plus a half so that it rounds when its fraction is cut off.
func clamp(x, most float32) float32 { return min(max(x, 0), most) + 0.5 }
