package png

import (
	"bytes"
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/klauspost/compress/zlib"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/option"
)

// Metadata is what an image says of itself beside its pixels. Nothing of it is written unless asked for.
type Metadata struct {
	// DPI is the resolution in pixels per inch (pHYs, which counts per metre). 0, the default: none.
	DPI float64 `json:"dpi" range:"0,1000000"`
	// SRGB says that colours are sRGB's, to be rendered perceptually. Default false.
	SRGB bool `json:"srgb"`
	// Gamma is the exponent of the display that the samples are made for: 2.2 writes a gAMA of 45455. 0, the default: none.
	Gamma float64 `json:"gamma" range:"0,100"`
	// ICC is an ICC profile (iCCP). It excludes SRGB. Default none.
	ICC option.Bytes `json:"icc"`
	// Text is notes by keyword, such as Title, Author or Copyright: Latin-1 as tEXt, else as iTXt. Default none.
	Text map[string]string `json:"text"`
}

// check judges what tags cannot. format is what it is an option of.
func (m *Metadata) check(format string) error {
	if m.SRGB && m.ICC != nil {
		return fault.Newf(fault.Option, `Expected %s option "srgb" or "icc", got both`, format)
	}
	for keyword := range m.Text {
		if !isKeyword(keyword) {
			return fault.Newf(fault.Option, `Expected keywords in %s option "text" of 1 to 79 Latin-1 characters without outer or double spaces, got %q`, format, keyword)
		}
		if strings.ContainsRune(m.Text[keyword], 0) {
			return fault.Newf(fault.Option, `Expected %s option "text" without zero characters, got %q`, format, m.Text[keyword])
		}
	}
	return nil
}

// isKeyword follows the PNG specification, 11.3.3.2.
func isKeyword(s string) bool {
	latin, ok := latin1(s)
	if !ok || len(latin) < 1 || len(latin) > 79 || strings.TrimSpace(s) != s || strings.Contains(s, "  ") {
		return false
	}
	return !slices.ContainsFunc(latin, func(b byte) bool { return b < 32 || b > 126 && b < 161 })
}

// latin1 returns s in that coding, or false.
func latin1(s string) ([]byte, bool) {
	b := make([]byte, 0, len(s))
	for _, r := range s {
		if r > 255 {
			return nil, false
		}
		b = append(b, byte(r))
	}
	return b, true
}

// writeColorSpace writes what must come before PLTE.
func (m *Metadata) writeColorSpace(b []byte) []byte {
	if m.ICC != nil {
		b = writeICCP(b, m.ICC)
	}
	if m.SRGB {
		c, start := beginChunk(b, "sRGB")
		b = endChunk(append(c, 0), start) // rendering intent: perceptual
	}
	if m.Gamma > 0 {
		c, start := beginChunk(b, "gAMA")
		b = endChunk(binary.BigEndian.AppendUint32(c, uint32(math.Round(100000/m.Gamma))), start)
	}
	return b
}

func writeICCP(b, profile []byte) []byte {
	b, start := beginChunk(b, "iCCP")
	b = append(b, "ICC profile\x00\x00"...) // name, and compression method: deflate
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	z.Write(profile) // a Buffer takes everything
	z.Close()
	return endChunk(append(b, packed.Bytes()...), start)
}

// writeNotes writes what may come anywhere before IDAT.
func (m *Metadata) writeNotes(b []byte) []byte {
	if m.DPI > 0 {
		c, start := beginChunk(b, "pHYs")
		perMetre := uint32(math.Round(m.DPI / 0.0254))
		c = binary.BigEndian.AppendUint32(c, perMetre)
		c = binary.BigEndian.AppendUint32(c, perMetre)
		b = endChunk(append(c, 1), start) // unit: metre
	}
	for _, keyword := range slices.Sorted(maps.Keys(m.Text)) {
		b = writeText(b, keyword, m.Text[keyword])
	}
	return b
}

func writeText(b []byte, keyword, text string) []byte {
	key, _ := latin1(keyword)
	if latin, ok := latin1(text); ok {
		b, start := beginChunk(b, "tEXt")
		b = append(append(b, key...), 0)
		return endChunk(append(b, latin...), start)
	}
	b, start := beginChunk(b, "iTXt")
	b = append(b, key...)
	b = append(b, 0, 0, 0, 0, 0) // end of keyword, not compressed, method 0, no language, no translated keyword
	return endChunk(append(b, text...), start)
}
