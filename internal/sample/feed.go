package sample

import (
	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/raster"
)

// Encoder is what Feed feeds: any encoder of pixels.
type Encoder interface {
	Write(p flow.Part) error
	Close() error
}

// Feed writes data, the rows of an image with header h, to e, so many rows at a time (0: all at once), and closes it.
func Feed(e Encoder, h raster.Header, data []byte, rows int) error {
	n := h.RowBytes() * rows
	if rows == 0 {
		n = len(data)
	}
	for ; len(data) > 0; data = data[min(n, len(data)):] {
		if err := e.Write(flow.Part{Buffers: [][]byte{data[:min(n, len(data))]}}); err != nil {
			return err
		}
	}
	return e.Close()
}
