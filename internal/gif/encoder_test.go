package gif

import (
	"bytes"
	stdgif "image/gif"
	"math"
	"testing"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/raster"
	"github.com/sluice-js/sluice/internal/sample"
)

func encode(h raster.Header, data []byte, options string, cut int) ([]byte, error) {
	var out bytes.Buffer
	h.Whole = cut == 0
	e, err := New(flow.Unlimited(&out), h, []byte(options), nil)
	if err == nil {
		err = sample.Feed(e, h, data, cut)
	}
	return out.Bytes(), err
}

// few returns an image of n opaque colours, and pixels that are transparent.
func few(n, width, height int, transparent bool) (pix []byte) {
	for i := range width * height {
		c := i * 7 % n
		p := []byte{byte(c * 3), byte(c), byte(255 - c), 255}
		if transparent && i%5 == 0 {
			p = make([]byte, 4)
		}
		pix = append(pix, p...)
	}
	return pix
}

// Few colours are kept exactly, for every number of bits.
func TestLossless(t *testing.T) {
	for _, transparent := range []bool{false, true} {
		for _, n := range []int{1, 2, 3, 4, 5, 8, 9, 16, 17, 64, 65, 128, 129, 255} {
			pix := few(n, 90, 40, transparent)
			h := raster.Header{Width: 90, Height: 40}
			b, err := encode(h, pix, `{}`, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, cut := range []int{1, 7} {
				if got, err := encode(h, pix, `{}`, cut); err != nil || !bytes.Equal(got, b) {
					t.Fatal("pushed is not as whole", err)
				}
			}
			check(t, b, pix, 90, 0, 0)
		}
	}
}

// check decodes a GIF and holds it against pixels. Samples may be off by off, on average by mean.
func check(t *testing.T, b, pix []byte, width, off int, mean float64) {
	t.Helper()
	m, err := stdgif.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i := 0; i < len(pix); i += 4 {
		r, g, bl, a := m.At(i/4%width, i/4/width).RGBA()
		if opaque := pix[i+3] >= 128; opaque != (a == 0xffff) {
			t.Fatalf("pixel %d of alpha %d has alpha %d", i/4, pix[i+3], a)
		} else if !opaque {
			continue
		}
		for k, v := range []uint32{r, g, bl} {
			d := math.Abs(float64(v>>8) - float64(pix[i+k]))
			if sum += d; int(d) > off {
				t.Fatalf("pixel %d: sample %d is %d, want %d", i/4, k, v>>8, pix[i+k])
			}
		}
	}
	if got := sum / float64(len(pix)); got > mean {
		t.Errorf("samples are off by %.2f on average", got)
	}
}

func TestManyColors(t *testing.T) {
	h := raster.Header{Width: 200, Height: 150}
	for name, pix := range map[string][]byte{"map": sample.Map(200, 150), "photo": sample.Photo(200, 150), "overlay": sample.Overlay(200, 150)} {
		for _, options := range []string{`{}`, `{"dither":0.75}`} {
			b, err := encode(h, pix, options, 0)
			if err != nil {
				t.Fatal(name, err)
			}
			check(t, b, pix, 200, 120, 6)
		}
		b, err := encode(h, pix, `{"colors":16,"transparency":"none","background":"#00f"}`, 0)
		if err != nil {
			t.Fatal(name, err)
		}
		m, err := stdgif.DecodeConfig(bytes.NewReader(b))
		if err != nil || b[10]&7 != 3 {
			t.Fatalf("%s: %v, %v: want 16 colours", name, m, err)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, h := range []raster.Header{{Width: 65536, Height: 1}, {Width: 1, Height: 65536, Whole: true}, {Width: 60000, Height: 60000}} {
		_, err := New(flow.Unlimited(&bytes.Buffer{}), h, nil, nil)
		if f, ok := err.(*fault.Error); !ok || f.Code != fault.Limit {
			t.Errorf("%+v: got %v", h, err)
		}
	}
	_, err := encode(raster.Header{Width: 2, Height: 2}, make([]byte, 8), `{}`, 1)
	if f, ok := err.(*fault.Error); !ok || f.Code != fault.Input {
		t.Errorf("a row is missing: got %v", err)
	}
	_, err = encode(raster.Header{Width: 2, Height: 2}, make([]byte, 16), `{"colors":1}`, 0)
	if f, ok := err.(*fault.Error); !ok || f.Code != fault.Option {
		t.Errorf("one colour: got %v", err)
	}
}
