package jpeg

import (
	"bytes"
	"image"
	"image/jpeg"
	"io"
	"testing"

	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/raster"
)

// BenchmarkEncode: a megapixel on one core, by kernels.
func BenchmarkEncode(b *testing.B) {
	const width, height = 1201, 801
	rgba := draw(1, width, height)
	for _, options := range []string{`{}`, `{"subsampling":"4:4:4"}`, `{"optimize":true}`} {
		for _, kernels := range levels() {
			b.Run(options+kernels.name, func(b *testing.B) {
				b.SetBytes(width * height)
				b.ReportAllocs()
				var out bytes.Buffer
				for b.Loop() {
					out.Reset()
					window := flow.NewWindow()
					window.Grant(make([]byte, 1), 0)
					w := flow.NewWriter(&out, window, flow.NewAdmission(1), flow.NewMeter())
					e, err := New(w, raster.Header{Width: width, Height: height, Whole: true}, []byte(options), nil)
					if err != nil {
						b.Fatal(err)
					}
					e.kernels = kernels
					if err := e.Write(flow.Part{Buffers: [][]byte{rgba}}); err != nil {
						b.Fatal(err)
					}
					if err := e.Close(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(out.Len()), "bytes")
			})
		}
	}
}

// BenchmarkStandardLibrary: the same image by image/jpeg, which the scalar kernels are to be twice as fast as.
func BenchmarkStandardLibrary(b *testing.B) {
	const width, height = 1201, 801
	rgba := &image.RGBA{Pix: draw(1, width, height), Stride: 4 * width, Rect: image.Rect(0, 0, width, height)}
	b.SetBytes(width * height)
	for b.Loop() {
		if err := jpeg.Encode(io.Discard, rgba, &jpeg.Options{Quality: 85}); err != nil {
			b.Fatal(err)
		}
	}
}
