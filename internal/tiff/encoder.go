// Package tiff encodes TIFF images (TIFF 6.0, BigTIFF, GeoTIFF) in strips or tiles as their rows arrive.
//
// A TIFF begins with the place of its directory, which holds the places and lengths of all strips. Without compression these
// are known before the first row, so the directory comes first and the strips stream behind it. With compression they are
// not: compressed strips are kept until the last one is known.
package tiff

import (
	"encoding/binary"
	"encoding/json"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/option"
	"github.com/sluice-js/sluice/internal/raster"
)

// Options are what a caller may choose.
type Options struct {
	// Compression is how strips are compressed. deflate and lzw keep the compressed strips, so nothing leaves before the
	// last row; none streams. Default deflate.
	Compression string `json:"compression" choices:"none|deflate|lzw"`
	// Level is what deflate spends on size. Default fast.
	Level string `json:"level" choices:"stored|fast|balanced|small"`
	// Predictor horizontal compresses differences from the pixel to the left: better for photographs, worse for maps.
	// Default none.
	Predictor string `json:"predictor" choices:"none|horizontal"`
	// RowsPerStrip is the height of a strip; 0: as many rows as 128 KB hold. Default 0.
	RowsPerStrip int `json:"rowsPerStrip" range:"0,1048576"`
	// Tiled makes tiles instead of strips. Default false.
	Tiled bool `json:"tiled"`
	// TileWidth is the width of a tile, a multiple of 16. 0, the default: 256.
	TileWidth int `json:"tileWidth" range:"0,65536"`
	// TileHeight is the height of a tile, a multiple of 16. 0, the default: 256.
	TileHeight int `json:"tileHeight" range:"0,65536"`
	// Alpha keeps it; without, pixels of 8 bits a sample are blended on Background. Default true.
	Alpha bool `json:"alpha"`
	// Background is what translucent pixels are blended on without alpha. Default white.
	Background option.Color `json:"background"`
	// DPI is the resolution in pixels per inch; 0, the default: none.
	DPI float64 `json:"dpi" range:"0,1000000"`
	// Geo is where the image lies: see Geo. Default none.
	Geo json.RawMessage `json:"geo"`
}

// Defaults returns the options of a caller who chooses nothing.
func Defaults() *Options {
	return &Options{Compression: "deflate", Level: "fast", Predictor: "none", Alpha: true, Background: option.White}
}

// Limits of what is kept in memory.
const (
	maxKept     = 1 << 30 // bytes of rows of a compressed image
	maxSegments = 1 << 22 // strips or tiles: each takes up to 16 bytes of the directory
	maxBand     = 1 << 28 // bytes of the rows that a strip or a row of tiles holds
)

// Encoder writes one image.
type Encoder struct {
	w       *flow.Writer
	header  raster.Header
	options *Options
	geo     *Geo
	samples samples
	shape   shape
	big     bool // for tests: write a BigTIFF though it is small
	bands   *flow.Ordered[*band]
	next    *band // that pushed rows go to
	rows    int   // that came
	kept    [][]byte
	begun   bool
	err     error // the first error; it sticks
}

// New returns an Encoder of an image. It writes nothing yet.
func New(w *flow.Writer, h raster.Header, options []byte, buffers [][]byte) (*Encoder, error) {
	o := Defaults()
	if err := option.Decode("tiff", options, buffers, o); err != nil {
		return nil, err
	}
	geo, err := decodeGeo(o.Geo, h)
	if err != nil {
		return nil, err
	}
	e := &Encoder{w: w, header: h, options: o, geo: geo, samples: samplesOf(h, o)}
	if e.shape, err = shapeOf(h, o, e.samples.bytes()); err != nil {
		return nil, err
	}
	if n := int64(h.Width*e.samples.bytes()) * int64(h.Height); e.keeps() && n > maxKept {
		return nil, fault.Newf(fault.Limit, "Expected a compressed TIFF of at most %d bytes of pixels, got %d: it has to be in memory; compression none streams", maxKept, n)
	}
	if e.shape.bands(h.Height) == 1 {
		w.Small()
	}
	e.bands = flow.NewOrdered(w, e.emit)
	return e, nil
}

// keeps reports whether output is kept until its lengths are known.
func (e *Encoder) keeps() bool { return e.options.Compression != "none" }

// Info says which level was asked for.
func (e *Encoder) Info() flow.Info {
	if e.options.Compression != "deflate" {
		return flow.Info{Compressed: e.options.Compression != "none"}
	}
	return flow.Info{Level: e.options.Level, Compressed: true}
}

// Write encodes the next rows: all of them, when the header says that the image is whole. It returns when they have been
// read or copied.
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
	if e.header.Whole {
		return e.bands.All(func() (func() (*band, error), bool) {
			top := e.rows
			height := min(e.shape.height, s.Height-top)
			e.rows += height
			return e.job(&band{rows: raster.Strip{Data: s.Data[top*s.Stride:], Stride: s.Stride, Height: height}})
		})
	}
	n := e.header.RowBytes()
	for y := range s.Height {
		if e.next == nil {
			height := min(e.shape.height, e.header.Height-e.rows)
			e.next = &band{own: newBuffer(n * height)}
		}
		row := s.Row(y, n)
		if err := e.header.Keeps(row, e.rows); err != nil {
			return err
		}
		e.next.own = append(e.next.own, row...)
		if e.rows++; e.rows%e.shape.height == 0 || e.rows == e.header.Height {
			b := e.next
			e.next = nil
			b.rows = raster.Strip{Data: b.own, Stride: n, Height: len(b.own) / n}
			if err := e.bands.Submit(e.job(b)); err != nil {
				return err
			}
		}
	}
	return nil
}

// job returns what encodes a band that ends at the rows counted so far, and whether it is the last.
func (e *Encoder) job(b *band) (encode func() (*band, error), last bool) {
	return func() (*band, error) { return b, e.encode(b) }, e.rows == e.header.Height
}

// emit writes a band's segments, or keeps them. Calls come in order and do not overlap.
func (e *Encoder) emit(b *band) error {
	if e.keeps() {
		e.kept = append(e.kept, b.segments...)
		return nil
	}
	if !e.begun {
		e.begun = true
		if _, err := e.w.Write(e.head(e.shape.sizes(e.header.Height))); err != nil {
			return err
		}
	}
	for _, s := range b.segments {
		if err := e.writeSegment(s); err != nil {
			return err
		}
	}
	b.recycle()
	return nil
}

// writeSegment writes a strip or tile; each begins at an even place.
func (e *Encoder) writeSegment(s []byte) error {
	if _, err := e.w.Write(s); err != nil || len(s)%2 == 0 {
		return err
	}
	_, err := e.w.Write([]byte{0})
	return err
}

// Close writes what was kept.
func (e *Encoder) Close() error {
	if e.err == nil {
		e.err = e.close()
	}
	return e.err
}

func (e *Encoder) close() error {
	if err := raster.Complete(e.header, e.rows); err != nil {
		return err
	}
	if err := e.bands.Wait(); err != nil || !e.keeps() {
		return err
	}
	sizes := make([]uint64, len(e.kept))
	for i, s := range e.kept {
		sizes[i] = uint64(len(s))
	}
	if _, err := e.w.Write(e.head(sizes)); err != nil {
		return err
	}
	for i, s := range e.kept {
		if err := e.writeSegment(s); err != nil {
			return err
		}
		e.kept[i] = nil
	}
	return nil
}

// head returns the file up to the first strip, for strips of these lengths: a BigTIFF if 4 GB do not suffice.
func (e *Encoder) head(sizes []uint64) []byte {
	d := e.directory(sizes, e.big)
	end := d.headBytes()
	for _, n := range sizes {
		end += n + n%2
	}
	if end >= 1<<32 && !d.big {
		d = e.directory(sizes, true)
	}
	return d.bytes()
}

func (e *Encoder) directory(sizes []uint64, big bool) *directory {
	d := e.describe(sizes, make([]uint64, len(sizes)), big)
	places := make([]uint64, len(sizes))
	at := d.headBytes()
	for i, n := range sizes {
		places[i] = at
		at += n + n%2
	}
	return e.describe(sizes, places, big)
}

// describe returns the directory.
func (e *Encoder) describe(sizes, places []uint64, big bool) *directory {
	o, s := e.options, &e.samples
	d := &directory{order: binary.LittleEndian, big: big}
	if s.wide { // as raster converts them
		d.order = binary.BigEndian
	}
	d.add(imageWidth, long, uint64(e.header.Width))
	d.add(imageLength, long, uint64(e.header.Height))
	bits := make([]uint64, s.channels)
	for i := range bits {
		bits[i] = uint64(s.depth())
	}
	d.add(bitsPerSample, short, bits...)
	d.add(compressionTag, short, map[string]uint64{"none": 1, "lzw": 5, "deflate": 8}[o.Compression])
	d.add(photometric, short, map[bool]uint64{true: 1, false: 2}[s.gray]) // black is zero, or RGB
	if !o.Tiled {
		d.addOffsets(stripOffsets, places)
	}
	d.add(samplesPerPixel, short, uint64(s.channels))
	if !o.Tiled {
		d.add(rowsPerStrip, long, uint64(e.shape.height))
		d.addOffsets(stripByteCounts, sizes)
	}
	if o.DPI > 0 {
		d.addRational(xResolution, o.DPI)
		d.addRational(yResolution, o.DPI)
	}
	d.add(planarConfig, short, 1) // samples of a pixel lie together
	if o.DPI > 0 {
		d.add(resolutionUnit, short, 2) // inch
	}
	if e.predicts() {
		d.add(predictorTag, short, 2)
	}
	if o.Tiled {
		d.add(tileWidth, long, uint64(e.shape.width))
		d.add(tileLength, long, uint64(e.shape.height))
		d.addOffsets(tileOffsets, places)
		d.addOffsets(tileByteCounts, sizes)
	}
	if s.alpha {
		d.add(extraSamples, short, 2) // straight alpha
	}
	if e.geo != nil {
		e.geo.add(d)
	}
	return d
}
