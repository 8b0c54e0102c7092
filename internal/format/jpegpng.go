package format

import (
	"encoding/json"

	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/jpeg"
	"github.com/sluice-js/sluice/internal/option"
	"github.com/sluice-js/sluice/internal/png"
	"github.com/sluice-js/sluice/internal/raster"
)

// jpegPNGOptions are those of image/vnd.jpeg-png.
type jpegPNGOptions struct {
	Quality int    `json:"quality" range:"0,100"`                                   // of the JPEG
	Level   string `json:"level" choices:"stored|fastest|fast|balanced|small|auto"` // of the PNG
	DPI     int    `json:"dpi" range:"0,65535"`                                     // of either, pixels per inch; 0: not said
}

func jpegPNGDefaults() *jpegPNGOptions {
	return &jpegPNGOptions{Quality: jpeg.Defaults().Quality, Level: png.Defaults().Level}
}

// newJPEGPNG returns an encoder to JPEG when no pixel is translucent, else to PNG. Whole images are looked through; of pushed
// ones only the promise is known.
func newJPEGPNG(w *flow.Writer, h raster.Header, options []byte, buffers [][]byte) (Encoder, error) {
	o := jpegPNGDefaults()
	if err := option.Decode("image/vnd.jpeg-png", options, buffers, o); err != nil {
		return nil, err
	}
	e := &jpegPNG{w: w, header: h, options: o}
	if h.Opaque || !h.PixelFormat.HasAlpha() {
		return e, e.choose(true)
	}
	if !h.Whole {
		return e, e.choose(false)
	}
	return undecided{e}, nil
}

type jpegPNG struct {
	Encoder
	w       *flow.Writer
	header  raster.Header
	options *jpegPNGOptions
	info    flow.Info // its format and media type
}

// undecided is a jpegPNG whose pixels must be seen first.
type undecided struct{ *jpegPNG }

// Look chooses by the pixels.
func (e undecided) Look(p flow.Part) error {
	s, err := raster.Rows(e.header, 0, p)
	if err != nil {
		return err
	}
	if err := e.w.Queue(); err != nil {
		return err
	}
	opaque := true
	for y := 0; y < s.Height && opaque && !e.w.Aborted(); y++ {
		opaque = e.header.PixelFormat.Opaque(s.Row(y, e.header.RowBytes()))
	}
	e.w.Release()
	return e.choose(opaque)
}

// Close fails when no pixels came, and there is no encoder yet.
func (e undecided) Close() error {
	if e.Encoder == nil {
		return raster.Complete(e.header, 0)
	}
	return e.Encoder.Close()
}

func (e *jpegPNG) choose(opaque bool) error {
	if opaque {
		j, err := jpeg.New(e.w, e.header, encode(map[string]any{"dpi": e.options.DPI, "quality": e.options.Quality}), nil)
		e.Encoder, e.info.Format, e.info.MediaType = j, "jpeg", "image/jpeg"
		return err
	}
	p, err := png.New(e.w, e.header, encode(map[string]any{"dpi": e.options.DPI, "level": e.options.Level}), nil)
	e.Encoder, e.info.Format, e.info.MediaType = p, "png", "image/png"
	return err
}

// Info says which of the two it is.
func (e *jpegPNG) Info() flow.Info {
	info := e.Encoder.Info()
	info.Format, info.MediaType = e.info.Format, e.info.MediaType
	return info
}

func encode(options map[string]any) []byte {
	b, err := json.Marshal(options)
	if err != nil {
		panic(err) // of numbers and strings: impossible
	}
	return b
}
