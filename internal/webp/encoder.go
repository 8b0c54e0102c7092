// Package webp encodes WebP images, lossy or lossless, by libwebp.
//
// A WebP begins with its length, and its codes are made from all pixels. So rows are gathered, encoded at the end, and leave
// then.
package webp

import (
	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/option"
	"github.com/sluice-js/sluice/internal/raster"
)

// Options are what a caller may choose. The defaults are libwebp's.
type Options struct {
	// Quality is what a lossy image keeps; a lossless one takes more time with more of it, and fewer bytes. Default 75.
	Quality float64 `json:"quality" range:"0,100"`
	// Method is how long it may take, from fast to small. Default 4.
	Method int `json:"method" range:"0,6"`
	// Lossless keeps every pixel that shows as it is. Default false.
	Lossless bool `json:"lossless"`
	// NearLossless lets lossless pixels change a little, more with less of it; 100 is off. Default 100.
	NearLossless int `json:"nearLossless" range:"0,100"`
	// Exact keeps the colours of transparent pixels, too. Default false.
	Exact bool `json:"exact"`
	// Alpha keeps it; without, pixels are blended on Background. Default true.
	Alpha bool `json:"alpha"`
	// Background is what translucent pixels are blended on without alpha. Default white.
	Background option.Color `json:"background"`
	// AlphaQuality is what a lossy image keeps of alpha. Default 100: all.
	AlphaQuality int `json:"alphaQuality" range:"0,100"`
	// AlphaFiltering is how alpha is predicted: not, fast, best. Default 1.
	AlphaFiltering int `json:"alphaFiltering" range:"0,2"`
	// AlphaCompression compresses alpha. Default true.
	AlphaCompression bool `json:"alphaCompression"`
	// Hint is what a lossless image shows. Default default.
	Hint string `json:"hint" choices:"default|picture|photo|graph"`
	// TargetSize is the bytes that a lossy image should have, with Passes above 1; 0: none. Default 0.
	TargetSize int `json:"targetSize" range:"0,2147483647"`
	// TargetPSNR is the least distortion in dB, with Passes above 1; 0: none. Default 0.
	TargetPSNR float64 `json:"targetPsnr" range:"0,99"`
	// Passes is how often codes are made anew, with a target. Default 1.
	Passes int `json:"passes" range:"1,10"`
	// Segments is how many parts of an image get a quality of their own. Default 4.
	Segments int `json:"segments" range:"1,4"`
	// NoiseShaping moves bytes to where loss shows (libwebp's sns_strength). Default 50.
	NoiseShaping int `json:"noiseShaping" range:"0,100"`
	// FilterStrength smooths the borders of blocks. Default 60.
	FilterStrength int `json:"filterStrength" range:"0,100"`
	// FilterSharpness is how little of it. Default 0.
	FilterSharpness int `json:"filterSharpness" range:"0,7"`
	// FilterType is which. Default strong.
	FilterType string `json:"filterType" choices:"simple|strong"`
	// Autofilter chooses its strength. Default false.
	Autofilter bool `json:"autofilter"`
	// SharpYUV converts colours slowly, with sharper borders. Default false.
	SharpYUV bool `json:"sharpYuv"`
}

// Defaults returns the options of a caller who chooses nothing.
func Defaults() *Options {
	return &Options{
		Quality: 75, Method: 4, NearLossless: 100, Alpha: true, Background: option.White, AlphaQuality: 100, AlphaFiltering: 1,
		AlphaCompression: true, Hint: "default", Passes: 1, Segments: 4, NoiseShaping: 50, FilterStrength: 60, FilterType: "strong",
	}
}

// maxSide is WebP's limit of width and height.
const maxSide = 16383

// Encoder writes one image.
type Encoder struct {
	w       *flow.Writer
	header  raster.Header
	options *Options
	read    func(dst []uint32, src []byte)
	pixels  []uint32 // of the rows that came
	rows    int
	err     error // the first error; it sticks
}

// New returns an Encoder of an image. It writes nothing yet.
func New(w *flow.Writer, h raster.Header, options []byte, buffers [][]byte) (*Encoder, error) {
	o := Defaults()
	if err := option.Decode("webp", options, buffers, o); err != nil {
		return nil, err
	}
	if h.Width > maxSide || h.Height > maxSide {
		return nil, fault.Newf(fault.Limit, "Expected a WebP of at most %d pixels each way, got %d x %d", maxSide, h.Width, h.Height)
	}
	if h.Width*h.Height <= smallPixels {
		w.Small()
	}
	return &Encoder{w: w, header: h, options: o, read: reader(h, o)}, nil
}

// smallPixels is what counts as a tile.
const smallPixels = 64 << 10

// reader returns the function that turns pixels into libwebp's.
func reader(h raster.Header, o *Options) func(dst []uint32, src []byte) {
	n, size := h.PixelFormat.BytesPerPixel(), 4
	convert := raster.Straight(h)
	if !o.Alpha {
		convert, size = raster.Blend(h, false, o.Background), 3
	}
	return func(dst []uint32, src []byte) {
		var block [4 * 256]byte
		for len(dst) > 0 {
			pixels := min(256, len(dst))
			samples := block[:pixels*size]
			convert(samples, src[:pixels*n])
			for i := range pixels {
				p := samples[i*size:][:size]
				a := uint32(255)
				if size == 4 {
					a = uint32(p[3])
				}
				dst[i] = a<<24 | uint32(p[0])<<16 | uint32(p[1])<<8 | uint32(p[2])
			}
			dst, src = dst[pixels:], src[pixels*n:]
		}
	}
}

// Info says nothing that the table does not.
func (e *Encoder) Info() flow.Info { return flow.Info{Compressed: true} }

// Write takes the next rows: all of them, when the header says that the image is whole. It returns when they have been
// copied.
func (e *Encoder) Write(p flow.Part) error {
	if e.err == nil {
		e.err = e.write(p)
	}
	return e.err
}

func (e *Encoder) write(p flow.Part) error {
	s, err := raster.Rows(e.header, e.rows, p)
	if err != nil {
		return err
	}
	if err := e.admitted(func() error { return e.gather(s) }); err != nil {
		return err
	}
	if e.rows < e.header.Height {
		return nil
	}
	var file packed
	if err := e.admitted(func() (err error) {
		file, err = compress(e.w, e.options, e.pixels, e.header.Width, e.header.Height)
		return err
	}); err != nil {
		return err
	}
	defer file.free()
	e.pixels = nil
	_, err = e.w.Write(file.bytes())
	return err
}

// gather converts rows into the whole picture.
func (e *Encoder) gather(s raster.Strip) error {
	width, n := e.header.Width, e.header.RowBytes()
	if e.pixels == nil {
		e.pixels = make([]uint32, width*e.header.Height)
	}
	for y := range s.Height {
		if e.w.Aborted() {
			return errAborted
		}
		row := s.Row(y, n)
		if !e.header.Whole {
			if err := e.header.Keeps(row, e.rows); err != nil {
				return err
			}
		}
		e.read(e.pixels[e.rows*width:][:width], row)
		e.rows++
	}
	return nil
}

// admitted runs f in an admission slot. f must not write.
func (e *Encoder) admitted(f func() error) error {
	if err := e.w.Acquire(); err != nil {
		return err
	}
	defer e.w.Release()
	return flow.Guard(f)
}

// Close fails if rows are missing.
func (e *Encoder) Close() error {
	if e.err == nil {
		e.err = raster.Complete(e.header, e.rows)
	}
	return e.err
}

var errAborted = fault.Newf(fault.Aborted, "The operation was aborted")
