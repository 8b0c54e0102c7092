//go:build !race

package png

import (
	"bytes"
	stdpng "image/png"
	"testing"

	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/raster"
	"github.com/sluice-js/sluice/internal/sample"
)

const thin = false

// TestChangingPixels: who changes borrowed pixels gets wrong pixels, in a file that decodes. It is a data race, on
// purpose, so it is not for the race detector.
func TestChangingPixels(t *testing.T) {
	const width, height = 400, 500
	for _, level := range []string{"fast", "balanced", "auto"} {
		for range 5 {
			pix := sample.Overlay(width, height)
			stop, stopped := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(stopped)
				for i := 0; ; i = (i + 4001) % len(pix) {
					select {
					case <-stop:
						return
					default:
						pix[i]++
					}
				}
			}()
			var out bytes.Buffer
			e, err := New(flow.Unlimited(&out), raster.Header{Width: width, Height: height, Whole: true}, []byte(`{"level":"`+level+`"}`), nil)
			if err == nil {
				err = e.Write(flow.Part{Buffers: [][]byte{pix}})
			}
			if err == nil {
				err = e.Close()
			}
			close(stop)
			<-stopped
			if err == nil {
				_, err = stdpng.Decode(&out)
			}
			if err != nil {
				t.Fatalf("%s: %v", level, err)
			}
		}
	}
}
