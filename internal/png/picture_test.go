package png

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	stdpng "image/png"
	"strings"
	"testing"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/raster"
	"github.com/sluice-js/sluice/internal/sample"
)

// picture is an image as a caller has it.
type picture struct {
	raster.Header
	data   []byte
	stride int
	want   []byte // wide's result, if it has been asked for
}

// writerOf returns a Writer for a consumer that takes everything, with so many slots.
func writerOf(out *bytes.Buffer, width int) *flow.Writer {
	window := flow.NewWindow()
	window.Grant(make([]byte, 1), 0)
	return flow.NewWriter(out, window, flow.NewAdmission(width), flow.NewMeter())
}

// encode returns the PNG of p. cut gives the rows of the next part of a pushed image; a whole one comes at once.
func encode(p picture, level string, reduce bool, width int, cut func() int) ([]byte, error) {
	return encodeWith(p, fmt.Sprintf(`{"level":%q,"reduce":%v}`, level, reduce), nil, width, cut)
}

// encodeWith takes any options, as JSON.
func encodeWith(p picture, options string, buffers [][]byte, width int, cut func() int) ([]byte, error) {
	var out bytes.Buffer
	w := writerOf(&out, width)
	e, err := New(w, p.Header, []byte(options), buffers)
	if err != nil {
		return nil, err
	}
	if out.Len() > 0 {
		return nil, errors.New("New wrote")
	}
	if err := feed(e, p, cut); err != nil {
		return nil, err
	}
	w.Wait()
	return out.Bytes(), nil
}

// feed writes p to an encoder and closes it.
func feed(e interface {
	Write(flow.Part) error
	Close() error
}, p picture, cut func() int) error {
	for y := 0; y < p.Height; {
		n := p.Height - y
		if !p.Whole {
			n = min(n, cut())
		}
		part := p.data[y*p.stride:]
		part = bytes.Clone(part[:min(n*p.stride, len(part))])
		meta := fmt.Appendf(nil, `{"stride":%d,"height":%d}`, p.stride, n)
		if err := e.Write(flow.Part{Buffers: [][]byte{part}, Meta: meta}); err != nil {
			return err
		}
		for i := range part { // it has been read or copied
			part[i] ^= 0x55
		}
		y += n
	}
	return e.Close()
}

// wide is the pixels as 16-bit straight RGBA, big endian: what a decoder must find.
func (p picture) wide() []byte {
	f := p.PixelFormat
	out := make([]byte, 0, 8*p.Width*p.Height)
	size := f.Depth() / 8
	sample := func(px []byte, i int) uint32 {
		if size == 2 {
			return uint32(binary.NativeEndian.Uint16(px[2*i:]))
		}
		return uint32(px[i])
	}
	most := uint32(1)<<f.Depth() - 1
	for y := range p.Height {
		for x := range p.Width {
			px := p.data[y*p.stride+x*f.BytesPerPixel():]
			var c [4]uint32
			for i := range f.Channels() {
				c[i] = sample(px, i)
			}
			switch f {
			case raster.BGRA:
				c[0], c[2] = c[2], c[0]
			case raster.RGB:
				c[3] = most
			case raster.GrayA:
				c[3] = c[1]
				c[1], c[2] = c[0], c[0]
			case raster.Gray, raster.Gray16:
				c[1], c[2], c[3] = c[0], c[0], most
			}
			for i := range c {
				if a := c[3]; p.Premultiplied && i < 3 {
					if a == 0 {
						c[i] = 0
					} else {
						c[i] = min((c[i]*most+a/2)/a, most)
					}
				}
				if size == 1 {
					c[i] *= 257
				}
				out = binary.BigEndian.AppendUint16(out, uint16(c[i]))
			}
		}
	}
	return out
}

// wideOf is the pixels of a decoded image in the same form.
func wideOf(m image.Image) []byte {
	b := m.Bounds()
	out := make([]byte, 0, 8*b.Dx()*b.Dy())
	put := func(v ...byte) {
		for _, v := range v {
			out = append(out, v, v)
		}
	}
	switch m := m.(type) {
	case *image.Gray:
		for _, v := range m.Pix {
			put(v, v, v, 255)
		}
	case *image.Gray16:
		for i := 0; i < len(m.Pix); i += 2 {
			v := m.Pix[i : i+2]
			out = append(append(append(append(out, v...), v...), v...), 255, 255)
		}
	case *image.NRGBA:
		put(m.Pix...)
	case *image.RGBA: // the decoder's choice for opaque colours
		put(m.Pix...)
	case *image.NRGBA64:
		out = append(out, m.Pix...)
	case *image.RGBA64:
		out = append(out, m.Pix...)
	case *image.Paletted:
		for _, i := range m.Pix {
			c := color.NRGBAModel.Convert(m.Palette[i]).(color.NRGBA)
			put(c.R, c.G, c.B, c.A)
		}
	default:
		panic(fmt.Sprintf("%T", m))
	}
	return out
}

// check decodes b and compares pixels.
func (p picture) check(b []byte) error {
	in := bytes.NewReader(b)
	m, err := stdpng.Decode(in)
	if err != nil {
		return err
	}
	if in.Len() > 0 {
		return fmt.Errorf("%d bytes after IEND", in.Len())
	}
	if size := m.Bounds().Size(); size != image.Pt(p.Width, p.Height) {
		return fmt.Errorf("decoded size %v", size)
	}
	got, want := wideOf(m), p.want
	if want == nil {
		want = p.wide()
	}
	for i := range want {
		if got[i] != want[i] {
			i = i / 8 * 8
			return fmt.Errorf("pixel %d, row %d: got %x, want %x", i/8%p.Width, i/8/p.Width, got[i:i+8], want[i:i+8])
		}
	}
	return nil
}

// from turns straight RGBA into a picture of another format: a grey one takes green, 16 bits are not just 8 repeated.
func from(rgba []byte, width int, f raster.PixelFormat, premultiplied bool, padding int) picture {
	p := picture{Header: raster.Header{Width: width, Height: len(rgba) / 4 / width, PixelFormat: f, Premultiplied: premultiplied, Whole: true}}
	p.stride = p.RowBytes() + padding
	for y := range p.Height {
		for x := range width {
			px := rgba[4*(y*width+x):][:4]
			c := [4]uint32{uint32(px[0]), uint32(px[1]), uint32(px[2]), uint32(px[3])}
			if f.Depth() == 16 {
				for i := range c {
					c[i] = c[i] * 257
				}
				c[1] ^= uint32(x & 3)
			}
			if premultiplied {
				for i := range 3 {
					c[i] = c[i] * c[3] / (1<<f.Depth() - 1)
				}
			}
			var keep []uint32
			switch f {
			case raster.BGRA:
				keep = []uint32{c[2], c[1], c[0], c[3]}
			case raster.RGB:
				keep = c[:3]
			case raster.GrayA:
				keep = []uint32{c[1], c[3]}
			case raster.Gray, raster.Gray16:
				keep = c[1:2]
			default:
				keep = c[:]
			}
			for _, v := range keep {
				if f.Depth() == 16 {
					p.data = binary.NativeEndian.AppendUint16(p.data, uint16(v))
				} else {
					p.data = append(p.data, byte(v))
				}
			}
		}
		if y < p.Height-1 {
			p.data = append(p.data, bytes.Repeat([]byte{0xa5}, padding)...)
		}
	}
	return p
}

func rowsOf(n int) func() int { return func() int { return n } }

// pictures draws what maps are made of, and what they are not.
func pictures(width, height int) map[string][]byte {
	gray := sample.Map(width, height)
	for i := 0; i < len(gray); i += 4 {
		gray[i], gray[i+2] = gray[i+1], gray[i+1]
	}
	return map[string][]byte{
		"map":     sample.Map(width, height),
		"overlay": sample.Overlay(width, height),
		"photo":   sample.Photo(width, height),
		"noise":   sample.Noise(width, height),
		"gray":    gray,
		"one":     bytes.Repeat([]byte{7, 8, 9, 10}, width*height),
	}
}

// head returns the colour type and depth of a PNG, and the lengths of its PLTE and tRNS.
func head(b []byte) (colorType, depth byte, palette, alphas int) {
	depth, colorType = b[24], b[25]
	for b = b[8:]; len(b) > 0; {
		n := int(binary.BigEndian.Uint32(b))
		switch string(b[4:8]) {
		case "PLTE":
			palette = n / 3
		case "tRNS":
			alphas = n
		}
		b = b[12+n:]
	}
	return
}

func wantFault(t *testing.T, err error, code fault.Code, text string) {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != code || !strings.Contains(f.Message, text) {
		t.Errorf("got %v, want %s with %q", err, code.Name(), text)
	}
}
