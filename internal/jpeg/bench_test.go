package jpeg

import (
	"bytes"
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
