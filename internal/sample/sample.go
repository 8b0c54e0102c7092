// Package sample draws images for tests and benchmarks: a map, a photograph's smooth surface and noise. All are
// 4 bytes a pixel, straight RGBA, packed, and the same every time.
package sample

import (
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// Noise returns pixels without any structure, opaque or not.
func Noise(width, height int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	pix := make([]byte, 4*width*height)
	for i := range pix {
		pix[i] = byte(r.Uint32())
	}
	return pix
}

// Photo returns an opaque, smooth image with a little grain, as photographs and shaded relief are.
func Photo(width, height int) []byte {
	r := rand.New(rand.NewPCG(3, 4))
	pix := make([]byte, 0, 4*width*height)
	for y := range height {
		for x := range width {
			u, v := float64(x)/97, float64(y)/61
			light := 128 + 70*math.Sin(u+math.Sin(v)) + 40*math.Cos(v*1.7-u/3)
			grain := float64(r.IntN(5))
			pix = append(pix, clamp(light+grain), clamp(light*0.9+20+grain), clamp(light*0.6+30+grain), 255)
		}
	}
	return pix
}

func clamp(v float64) byte { return byte(min(max(v, 0), 255)) }

// Map returns an opaque map: land and water, buildings, anti-aliased roads with casings, and labels.
func Map(width, height int) []byte {
	return draw(width, height, color.RGBA{242, 239, 233, 255}).Pix
}

// Overlay returns the same roads and labels on nothing: most pixels are transparent, edges are translucent.
func Overlay(width, height int) []byte {
	m := draw(width, height, color.RGBA{})
	pix := make([]byte, 0, len(m.Pix))
	for i := 0; i < len(m.Pix); i += 4 {
		c := color.NRGBAModel.Convert(color.RGBA{m.Pix[i], m.Pix[i+1], m.Pix[i+2], m.Pix[i+3]}).(color.NRGBA)
		pix = append(pix, c.R, c.G, c.B, c.A)
	}
	return pix
}

// draw draws a map whose land has the colour ground; without one, areas are left out.
func draw(width, height int, ground color.RGBA) *image.RGBA {
	m := &canvas{image.NewRGBA(image.Rect(0, 0, width, height)), vector.NewRasterizer(width, height)}
	r := rand.New(rand.NewPCG(5, 6))
	w, h := float64(width), float64(height)
	at := func() point { return point{r.Float64() * w, r.Float64() * h} }
	count := func(area float64) int { return 1 + int(w*h/area) } // one for so many pixels
	if ground.A != 0 {
		m.fill([]point{{0, 0}, {w, 0}, {w, h}, {0, h}}, ground)
		for range count(60000) {
			m.fill(blob(r, at(), 40+r.Float64()*120), color.RGBA{200, 224, 180, 255})
		}
		for range count(120000) {
			m.fill(blob(r, at(), 40+r.Float64()*150), color.RGBA{170, 211, 223, 255})
		}
		for range count(2500) {
			m.fill(building(r, at()), color.RGBA{217, 208, 201, 255})
		}
	}
	var roads [][]point
	for range count(15000) {
		roads = append(roads, road(r, at(), w/2))
	}
	for _, p := range roads {
		m.stroke(p, 7, color.RGBA{190, 160, 110, 255})
	}
	for i, p := range roads {
		m.stroke(p, 5, [...]color.RGBA{{255, 255, 255, 255}, {252, 214, 164, 255}, {249, 178, 156, 255}}[i%3])
	}
	for range count(12000) {
		m.label(at(), names[r.IntN(len(names))])
	}
	return m.RGBA
}

var names = [...]string{"Rue de la Paix", "Hauptstraße", "Calle Mayor", "Via Roma", "Station", "Nieuwmarkt", "Parque", "12", "47a"}

type point struct{ x, y float64 }

// blob is a round area with an uneven shore.
func blob(r *rand.Rand, c point, radius float64) []point {
	var p []point
	for i := range 40 {
		s, k := math.Sincos(float64(i) * math.Pi / 20)
		d := radius * (0.7 + 0.3*r.Float64())
		p = append(p, point{c.x + k*d, c.y + s*d})
	}
	return p
}

func building(r *rand.Rand, c point) []point {
	s, k := math.Sincos(r.Float64() * 0.4)
	a, b := 6+r.Float64()*14, 6+r.Float64()*14
	return []point{c, {c.x + k*a, c.y + s*a}, {c.x + k*a - s*b, c.y + s*a + k*b}, {c.x - s*b, c.y + k*b}}
}

func road(r *rand.Rand, c point, length float64) []point {
	p, angle := []point{c}, r.Float64()*2*math.Pi
	for d := 0.0; d < length; d += 30 {
		angle += (r.Float64() - 0.5) * 0.6
		s, k := math.Sincos(angle)
		c = point{c.x + k*30, c.y + s*30}
		p = append(p, c)
	}
	return p
}

type canvas struct {
	*image.RGBA
	raster *vector.Rasterizer
}

func (m *canvas) fill(p []point, c color.RGBA) {
	m.path(p)
	m.raster.Draw(m.RGBA, m.Rect, image.NewUniform(c), image.Point{})
	m.raster.Reset(m.Rect.Dx(), m.Rect.Dy())
}

func (m *canvas) path(p []point) {
	m.raster.MoveTo(float32(p[0].x), float32(p[0].y))
	for _, q := range p[1:] {
		m.raster.LineTo(float32(q.x), float32(q.y))
	}
	m.raster.ClosePath()
}

// stroke draws a line of the given width, a rectangle for each of its pieces.
func (m *canvas) stroke(p []point, width float64, c color.RGBA) {
	for i, a := range p[1:] {
		b := p[i]
		n := math.Hypot(a.x-b.x, a.y-b.y) * 2 / width
		dx, dy := (a.x-b.x)/n, (a.y-b.y)/n
		m.path([]point{{a.x - dy + dx/2, a.y + dx + dy/2}, {b.x - dy - dx/2, b.y + dx - dy/2},
			{b.x + dy - dx/2, b.y - dx - dy/2}, {a.x + dy + dx/2, a.y - dx + dy/2}})
	}
	m.raster.Draw(m.RGBA, m.Rect, image.NewUniform(c), image.Point{})
	m.raster.Reset(m.Rect.Dx(), m.Rect.Dy())
}

var face = sync.OnceValue(func() font.Face {
	f, err := opentype.Parse(goregular.TTF)
	if err != nil {
		panic(err)
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: 12, DPI: 72})
	if err != nil {
		panic(err)
	}
	return face
})

// faces are not for concurrent use.
var faceMu sync.Mutex

func (m *canvas) label(at point, text string) {
	faceMu.Lock()
	defer faceMu.Unlock()
	d := font.Drawer{Dst: m.RGBA, Src: image.NewUniform(color.RGBA{60, 60, 60, 255}), Face: face(),
		Dot: fixed.P(int(at.x), int(at.y))}
	d.DrawString(text)
}
