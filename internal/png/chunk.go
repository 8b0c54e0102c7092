package png

import (
	"encoding/binary"
	"hash/crc32"
	"io"

	"github.com/sluice-js/sluice/internal/raster"
)

// Colour types of IHDR.
const (
	grayscale      = 0
	truecolor      = 2
	indexed        = 3
	grayscaleAlpha = 4
	truecolorAlpha = 6
)

const signature = "\x89PNG\r\n\x1a\n"

// writeHead writes all that comes before the first IDAT.
func (e *Encoder) writeHead() error {
	b := make([]byte, 0, 64)
	b = append(b, signature...)
	b = writeIHDR(b, e.header, &e.plan, e.options.Interlace)
	b = e.options.writeColorSpace(b)
	if p := e.plan.palette; p != nil {
		b = writePLTE(b, p)
		b = writeTRNS(b, p)
	}
	b = e.options.writeNotes(b)
	_, err := e.w.Write(b)
	return err
}

func writeIHDR(b []byte, h raster.Header, p *plan, interlace bool) []byte {
	b, start := beginChunk(b, "IHDR")
	b = binary.BigEndian.AppendUint32(b, uint32(h.Width))
	b = binary.BigEndian.AppendUint32(b, uint32(h.Height))
	b = append(b, p.depth, p.colorType,
		0, // compression method: deflate
		0, // filter method: adaptive, a filter type before every row
		0) // interlace method: none
	if interlace {
		b[len(b)-1] = 1 // Adam7
	}
	return endChunk(b, start)
}

func writePLTE(b []byte, p *raster.Palette) []byte {
	b, start := beginChunk(b, "PLTE")
	for _, c := range p.Colors {
		b = append(b, c[0], c[1], c[2])
	}
	return endChunk(b, start)
}

// writeTRNS writes the alpha of the colours that are not opaque; they come first.
func writeTRNS(b []byte, p *raster.Palette) []byte {
	if p.Translucent == 0 {
		return b
	}
	b, start := beginChunk(b, "tRNS")
	for _, c := range p.Colors[:p.Translucent] {
		b = append(b, c[3])
	}
	return endChunk(b, start)
}

func writeIEND(w io.Writer) error {
	_, err := w.Write(endChunk(beginChunk(nil, "IEND")))
	return err
}

// chunkBytes is what a chunk takes beside its data: length, type and CRC.
const chunkBytes = 12

// beginChunk appends a chunk's length, yet unknown, and type. It returns where the chunk starts.
func beginChunk(b []byte, name string) ([]byte, int) {
	start := len(b)
	b = append(b, 0, 0, 0, 0)
	return append(b, name...), start
}

// endChunk sets the length of the chunk that starts at start and appends its CRC.
func endChunk(b []byte, start int) []byte {
	binary.BigEndian.PutUint32(b[start:], uint32(len(b)-start-8))
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[start+4:]))
}
