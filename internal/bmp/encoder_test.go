package bmp

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image/color"
	"testing"

	xbmp "golang.org/x/image/bmp"

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

func TestEncode(t *testing.T) {
	gray := sample.Map(37, 20)
	for i := 0; i < len(gray); i += 4 {
		gray[i+1], gray[i+2] = gray[i], gray[i]
	}
	for name, c := range map[string]struct {
		pixels  []byte
		options string
		bits    uint16
		opaque  bool
		gray    bool
	}{
		"map":                 {sample.Map(37, 20), `{"dpi":96}`, 24, true, false},
		"grey":                {gray, `{}`, 8, true, true},
		"overlay":             {sample.Overlay(37, 20), `{}`, 32, false, false},
		"overlay on a colour": {sample.Overlay(37, 20), `{"alpha":false,"background":"#1080f0"}`, 24, false, false},
	} {
		h := raster.Header{Width: 37, Height: 20, Opaque: c.opaque, Gray: c.gray}
		want, err := encode(h, c.pixels, c.options, 0)
		if err != nil {
			t.Fatal(name, err)
		}
		for _, cut := range []int{1, 7} {
			if got, err := encode(h, c.pixels, c.options, cut); err != nil || !bytes.Equal(got, want) {
				t.Fatal(name, "pushed is not as whole", err)
			}
		}
		if bits := binary.LittleEndian.Uint16(want[28:]); bits != c.bits {
			t.Fatalf("%s: %d bits a pixel, want %d", name, bits, c.bits)
		}
		m, err := xbmp.Decode(bytes.NewReader(want))
		if err != nil {
			t.Fatal(name, err)
		}
		rgb := make([]byte, 3*37*20)
		raster.Blend(h, false, [3]byte{0x10, 0x80, 0xf0})(rgb, c.pixels)
		for i := range 37 * 20 {
			p := c.pixels[4*i:]
			want := color.NRGBA{p[0], p[1], p[2], p[3]}
			if c.bits == 24 && !c.opaque {
				want = color.NRGBA{rgb[3*i], rgb[3*i+1], rgb[3*i+2], 255}
			}
			if got := color.NRGBAModel.Convert(m.At(i%37, i/37)); got != want {
				t.Fatalf("%s: pixel %d: got %v, want %v", name, i, got, want)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	for _, h := range []raster.Header{{Width: 1 << 16, Height: 1 << 15}, {Width: 1 << 16, Height: 1 << 15, Whole: true}} {
		_, err := New(flow.Unlimited(&bytes.Buffer{}), h, nil, nil)
		if f, ok := err.(*fault.Error); !ok || f.Code != fault.Limit {
			t.Errorf("%+v: got %v", h, err)
		}
	}
	_, err := New(flow.Unlimited(&bytes.Buffer{}), raster.Header{Width: 1, Height: 1}, []byte(`{"background":"red"}`), nil)
	if want := `Expected bmp option "background" to be a colour such as "#ffffff", got "red"`; fmt.Sprint(err) != want {
		t.Errorf("got %v", err)
	}
	if _, err := encode(raster.Header{Width: 2, Height: 2}, make([]byte, 8), `{}`, 1); err == nil {
		t.Error("rows are missing, and nobody says so")
	}
}

// aborter aborts its stream at the second write.
type aborter struct {
	w      *flow.Writer
	writes int
}

func (a *aborter) Write(p []byte) (int, error) {
	if a.writes++; a.writes == 2 {
		a.w.Abort(fault.Newf(fault.Aborted, "enough"))
	}
	return len(p), nil
}

// No row is converted after an abort.
func TestAbort(t *testing.T) {
	const side = 400 // eight blocks
	for _, whole := range []bool{true, false} {
		a := new(aborter)
		a.w = flow.Unlimited(a)
		h := raster.Header{Width: side, Height: side, Whole: whole}
		e, err := New(a.w, h, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		err = e.Write(flow.Part{Buffers: [][]byte{sample.Overlay(side, side)}})
		if f, ok := err.(*fault.Error); !ok || f.Code != fault.Aborted || a.writes > 2 {
			t.Errorf("whole %v: got %v after %d writes", whole, err, a.writes)
		}
	}
}
