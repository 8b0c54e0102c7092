package webp

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	xwebp "golang.org/x/image/webp"

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

func TestLossless(t *testing.T) {
	for name, pix := range map[string][]byte{"map": sample.Map(130, 70), "overlay": sample.Overlay(130, 70), "noise": sample.Noise(130, 70)} {
		h := raster.Header{Width: 130, Height: 70}
		b, err := encode(h, pix, `{"lossless":true,"exact":true}`, 0)
		if err != nil {
			t.Fatal(name, err)
		}
		if got, err := encode(h, pix, `{"lossless":true,"exact":true}`, 9); err != nil || !bytes.Equal(got, b) {
			t.Fatal(name, "pushed is not as whole", err)
		}
		m, err := xwebp.Decode(bytes.NewReader(b))
		if err != nil {
			t.Fatal(name, err)
		}
		for i := 0; i < len(pix); i += 4 {
			want := color.NRGBA{pix[i], pix[i+1], pix[i+2], pix[i+3]}
			if got := color.NRGBAModel.Convert(m.At(i/4%130, i/520)); got != want && want.A > 0 {
				t.Fatalf("%s: pixel %d: got %v, want %v", name, i/4, got, want)
			}
		}
	}
}

func TestLossy(t *testing.T) {
	pix := sample.Photo(200, 150)
	h := raster.Header{Width: 200, Height: 150}
	last := 0
	for _, quality := range []int{10, 50, 75, 95} {
		b, err := encode(h, pix, fmt.Sprintf(`{"quality":%d,"method":2}`, quality), 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(b) <= last {
			t.Errorf("quality %d takes %d bytes, less takes %d", quality, len(b), last)
		}
		last = len(b)
		m, err := xwebp.Decode(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for i := 0; i < len(pix); i += 4 {
			r, g, bl, _ := m.At(i/4%200, i/800).RGBA()
			for k, v := range []uint32{r, g, bl} {
				sum += math.Abs(float64(v>>8) - float64(pix[i+k]))
			}
		}
		if off := sum / float64(len(pix)*3/4); off > 12 { // this decoder takes video levels for full ones, which is 8; test/unit has others
			t.Errorf("quality %d: samples are off by %.1f on average", quality, off)
		}
	}
	overlay := sample.Overlay(200, 150)
	with, err := encode(h, overlay, `{}`, 0)
	if err != nil || !bytes.Contains(with[:40], []byte("VP8X")) {
		t.Errorf("alpha: % x, %v", with[:40], err)
	}
	without, err := encode(h, overlay, `{"alpha":false}`, 0)
	if err != nil || !bytes.Contains(without[:40], []byte("VP8 ")) {
		t.Errorf("no alpha: % x, %v", without[:40], err)
	}
}

// Every option reaches libwebp and is taken.
func TestOptions(t *testing.T) {
	pix := sample.Overlay(120, 120)
	h := raster.Header{Width: 120, Height: 120}
	plain, err := encode(h, pix, `{}`, 0)
	if err != nil {
		t.Fatal(err)
	}
	for options, changes := range map[string]bool{
		`{"quality":30.5}`: true, `{"method":0}`: true, `{"lossless":true}`: true, `{"alphaQuality":10}`: true, `{"alphaFiltering":0}`: false,
		`{"alphaCompression":false}`: true, `{"targetSize":900,"passes":6}`: true, `{"targetPsnr":50,"passes":6}`: true, `{"segments":1}`: true,
		`{"noiseShaping":0}`: true, `{"filterStrength":0}`: true, `{"filterSharpness":7}`: false, `{"filterType":"simple"}`: true, `{"autofilter":true}`: false,
		`{"sharpYuv":true}`: true, `{"hint":"graph"}`: false, `{"exact":true}`: true, `{"nearLossless":0,"lossless":true}`: true,
	} {
		b, err := encode(h, pix, options, 0)
		if err != nil {
			t.Errorf("%s: %v", options, err)
		} else if changes && bytes.Equal(b, plain) {
			t.Errorf("%s changes nothing", options)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, h := range []raster.Header{{Width: 16384, Height: 1}, {Width: 1, Height: 16384, Whole: true}} {
		_, err := New(flow.Unlimited(&bytes.Buffer{}), h, nil, nil)
		if f, ok := err.(*fault.Error); !ok || f.Code != fault.Limit {
			t.Errorf("%+v: got %v", h, err)
		}
	}
	if _, err := encode(raster.Header{Width: 2, Height: 2}, make([]byte, 8), `{}`, 1); err == nil {
		t.Error("a row is missing, and nobody says so")
	}
}

// An abort stops libwebp in the middle.
func TestAbort(t *testing.T) {
	const side = 600
	pix := sample.Photo(side, side)
	for _, options := range []string{`{"method":4}`, `{"lossless":true,"method":3}`} {
		run := func(after time.Duration) (time.Duration, error) {
			w := flow.Unlimited(&bytes.Buffer{})
			e, err := New(w, raster.Header{Width: side, Height: side, Whole: true}, []byte(options), nil)
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			time.AfterFunc(after, func() { w.Abort(errAborted) })
			err = e.Write(flow.Part{Buffers: [][]byte{pix}})
			return time.Since(start), err
		}
		whole, err := run(time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		aborted, err := run(whole / 10)
		if f, ok := err.(*fault.Error); !ok || f.Code != fault.Aborted {
			t.Fatalf("%s: got %v", options, err)
		}
		t.Logf("%s: %v, aborted after %v", options, whole, aborted)
		if aborted > whole*9/10 {
			t.Errorf("%s: an abort after a tenth of %v took effect after %v", options, whole, aborted)
		}
	}
}

// The layouts that libwebp.h declares are those of the module's own header.
func TestLayouts(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/bep/gowebp").Output()
	if err != nil {
		t.Fatal(err)
	}
	ours, err := filepath.Abs("libwebp.h")
	if err != nil {
		t.Fatal(err)
	}
	header := filepath.Join(strings.TrimSpace(string(dir)), "libwebp_src/src/webp/encode.h")
	var c strings.Builder
	fmt.Fprintf(&c, "#include <stddef.h>\n#include <stdint.h>\nnamespace real {\n#include <stdint.h>\n#include %q\n}\nnamespace ours {\n#include %q\n}\n", header, ours)
	c.WriteString("static_assert(ABI == WEBP_ENCODER_ABI_VERSION, \"ABI\");\n")
	for ourName, realName := range map[string]string{"webp_config": "WebPConfig", "webp_picture": "WebPPicture", "webp_memory": "WebPMemoryWriter"} {
		fmt.Fprintf(&c, "static_assert(sizeof(ours::%s) == sizeof(real::%s), %q);\n", ourName, realName, ourName)
	}
	for _, f := range []string{
		"config lossless quality method image_hint target_size target_PSNR segments sns_strength filter_strength filter_sharpness filter_type autofilter alpha_compression alpha_filtering alpha_quality pass near_lossless exact use_sharp_yuv qmin qmax",
		"picture use_argb width height argb argb_stride writer custom_ptr error_code progress_hook user_data memory_ memory_argb_",
		"memory mem size max_size",
	} {
		names := strings.Fields(f)
		realName := map[string]string{"config": "WebPConfig", "picture": "WebPPicture", "memory": "WebPMemoryWriter"}[names[0]]
		for _, n := range names[1:] {
			fmt.Fprintf(&c, "static_assert(offsetof(ours::webp_%s, %s) == offsetof(real::%s, %s), %q);\n", names[0], n, realName, n, n)
		}
	}
	file := filepath.Join(t.TempDir(), "layouts.cc")
	if err := os.WriteFile(file, []byte(c.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("g++", "-fsyntax-only", "-Wno-invalid-offsetof", file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
