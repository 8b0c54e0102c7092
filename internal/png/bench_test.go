package png

import (
	"fmt"
	"testing"

	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/raster"
	"github.com/sluice-js/sluice/internal/sample"
)

func BenchmarkEncode(b *testing.B) {
	for _, image := range []struct {
		name          string
		width, height int
		draw          func(width, height int) []byte
	}{
		{"map", 1201, 801, sample.Map},
		{"overlay", 1201, 801, sample.Overlay},
		{"photo", 1201, 801, sample.Photo},
		{"noise", 1201, 801, sample.Noise},
		{"tile", 256, 256, sample.Map},
	} {
		pix := image.draw(image.width, image.height)
		for _, level := range levelNames[:5] {
			b.Run(fmt.Sprintf("%s/%s", image.name, level), func(b *testing.B) {
				b.SetBytes(int64(len(pix)))
				b.ReportAllocs()
				var n counter
				for b.Loop() {
					n = 0
					h := raster.Header{Width: image.width, Height: image.height, Whole: true}
					e, err := New(flow.Unlimited(&n), h, fmt.Appendf(nil, `{"level":%q}`, level), nil)
					if err == nil {
						err = e.Write(flow.Part{Buffers: [][]byte{pix}})
					}
					if err == nil {
						err = e.Close()
					}
					if err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(n), "bytes")
			})
		}
	}
}

type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
