// Package format is the one table of formats: their names, media types, options and constructors.
package format

import (
	"slices"
	"strings"

	"github.com/sluice-js/sluice/internal/arrowipc"
	"github.com/sluice-js/sluice/internal/bmp"
	"github.com/sluice-js/sluice/internal/csv"
	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/geojson"
	"github.com/sluice-js/sluice/internal/gif"
	"github.com/sluice-js/sluice/internal/gml"
	"github.com/sluice-js/sluice/internal/jpeg"
	"github.com/sluice-js/sluice/internal/option"
	"github.com/sluice-js/sluice/internal/png"
	"github.com/sluice-js/sluice/internal/raster"
	"github.com/sluice-js/sluice/internal/tiff"
	"github.com/sluice-js/sluice/internal/verbatim"
	"github.com/sluice-js/sluice/internal/webp"
)

// Encoder turns parts into bytes on the flow.Writer that it was made with.
type Encoder interface {
	// Write takes one part. It returns when the part has been read or copied.
	Write(p flow.Part) error
	// Close writes the trailer, or fails because data is missing. It is not called after an error.
	Close() error
	// Info says what the bytes will be. It is asked once, after New.
	Info() flow.Info
}

// Late is an Encoder that cannot say what its bytes will be before it has seen the first part. Look is called with it, once,
// before Info and Write. It may not wait for credit: nobody grants any before BEGIN.
type Late interface {
	Encoder
	Look(p flow.Part) error
}

// Format is one row of the table.
type Format struct {
	Name      string              // how reports call it
	Names     []string            // what users may call it, in lower case
	Variants  map[string]Settings // of these names, those that ask for more than the format
	Keys      []Key               // of node-mapnik's strings
	Number    string              // the key that a number behind a name stands for, "": none may stand there
	Modes     map[string]Meaning  // of the media type's parameter mode
	Instead   map[string]string   // options that belong to another row: its name. Who gives one gets that row
	MediaType string
	Source    string // the kind of source that it encodes: "image", "bytes", "features", "arrow"
	ChunkSize int    // default, bytes
	Options   any    // a pointer to the defaults

	// New makes an encoder. source describes what comes, options hold the format's own options, both as JSON objects, and
	// buffers the options that are bytes. It writes nothing.
	New func(w *flow.Writer, source, options []byte, buffers [][]byte) (Encoder, error)
}

// All holds every format, in the order of the documentation. The first of a source is that source's default.
var All = []Format{
	{
		Name: "png", Names: []string{"png", "image/png", "png24", "png32", "image/png24", "image/png32"}, MediaType: "image/png",
		Variants: pngVariants, Keys: pngKeys, Modes: pngModes, Instead: map[string]string{"palette": "png8"},
		Source: "image", ChunkSize: imageChunk, Options: png.Defaults(), New: image(png.New),
	},
	{
		Name: "png8", Names: []string{"png8", "png256", "image/png8"}, MediaType: "image/png",
		Keys: png8Keys, Source: "image", ChunkSize: imageChunk, Options: png.PaletteDefaults(), New: image(png.NewIndexed),
	},
	{
		Name: "jpeg", Names: []string{"jpeg", "jpg", "image/jpeg", "image/jpg"}, MediaType: "image/jpeg", Keys: jpegKeys, Number: "quality",
		Source: "image", ChunkSize: imageChunk, Options: jpeg.Defaults(), New: image(jpeg.New),
	},
	{
		Name: "jpegpng", Names: []string{"jpegpng", "image/vnd.jpeg-png"}, MediaType: "image/vnd.jpeg-png",
		Source: "image", ChunkSize: imageChunk, Options: jpegPNGDefaults(), New: image(newJPEGPNG),
	},
	{
		Name: "webp", Names: []string{"webp", "image/webp"}, MediaType: "image/webp", Keys: webpKeys, Number: "quality",
		Source: "image", ChunkSize: imageChunk, Options: webp.Defaults(), New: image(webp.New),
	},
	{
		Name: "gif", Names: []string{"gif", "image/gif"}, MediaType: "image/gif",
		Source: "image", ChunkSize: imageChunk, Options: gif.Defaults(), New: image(gif.New),
	},
	{
		Name: "tiff", Names: []string{"tiff", "tif", "geotiff", "image/tiff", "image/tif", "image/geotiff"}, MediaType: "image/tiff",
		Keys: tiffKeys, Source: "image", ChunkSize: imageChunk, Options: tiff.Defaults(), New: image(tiff.New),
	},
	{
		Name: "bmp", Names: []string{"bmp", "image/bmp", "image/x-ms-bmp"}, MediaType: "image/bmp",
		Source: "image", ChunkSize: imageChunk, Options: bmp.Defaults(), New: image(bmp.New),
	},
	{
		Name: "bytes", Names: []string{"bytes"}, MediaType: "application/octet-stream",
		Source: "bytes", ChunkSize: dataChunk, Options: &verbatim.Options{}, New: plain(verbatim.New),
	},
	{
		Name: "gml32", Names: []string{"gml32", "application/gml+xml; version=3.2", "text/xml; subtype=gml/3.2", "text/xml; subtype=gml/3.2.1", "application/gml+xml", "gml"},
		MediaType: "application/gml+xml; version=3.2", Source: "features", ChunkSize: dataChunk, Options: gml.Defaults(), New: plain(gml.New),
	},
	{
		Name: "geojson", Names: []string{"geojson", "application/geo+json", "application/json", "json"}, MediaType: "application/geo+json",
		Source: "features", ChunkSize: dataChunk, Options: geojson.Defaults(), New: plain(geojson.New),
	},
	{
		Name: "csv", Names: []string{"csv", "text/csv"}, MediaType: "text/csv",
		Source: "features", ChunkSize: dataChunk, Options: csv.Defaults(), New: plain(csv.New),
	},
	{
		Name: "arrow", Names: []string{"arrow", "application/vnd.apache.arrow.stream"}, MediaType: "application/vnd.apache.arrow.stream",
		Source: "arrow", ChunkSize: dataChunk, Options: &arrowipc.Options{}, New: plain(arrowipc.New),
	},
}

const (
	imageChunk = 16 << 10 // a tile is shown while it comes
	dataChunk  = 64 << 10 // the fewest writes for the same bytes
)

// Choose returns what to encode with, for a source whose own format is called fixed ("": the source leaves it to the user)
// and a user who asked for name ("": for none) with options. A format that the source fixes may be asked for, but not
// contradicted.
func Choose(name, fixed, source string, options []byte) (Choice, error) {
	if fixed == "" {
		return find(name, source, options)
	}
	f, err := find(fixed, source, options)
	if err != nil || name == "" {
		return f, err
	}
	asked, err := find(name, source, options)
	if err != nil || asked.Format != f.Format {
		return Choice{}, fault.Newf(fault.Format, "Expected the format of the source, %s, got %.80q", f.Name, name)
	}
	return asked, nil
}

// find returns what name means for a kind of source, or the default of the source when name is empty.
func find(name, source string, options []byte) (Choice, error) {
	var rows []*Format
	for i := range All {
		if All[i].Source == source {
			rows = append(rows, &All[i])
		}
	}
	if rows == nil {
		return Choice{}, fault.Newf(fault.Argument, "Expected a known source kind (%s), got %.80q", strings.Join(kinds(), ", "), source)
	}
	if name == "" {
		name = rows[0].Name
	}
	return parse(name, options, rows)
}

// kinds returns the kinds of sources, in the order of the table.
func kinds() []string {
	var known []string
	for _, f := range All {
		if !slices.Contains(known, f.Source) {
			known = append(known, f.Source)
		}
	}
	return known
}

// plain adapts the constructor of an encoder that reads its source's header itself.
func plain[E Encoder](construct func(*flow.Writer, []byte, []byte, [][]byte) (E, error)) func(*flow.Writer, []byte, []byte, [][]byte) (Encoder, error) {
	return func(w *flow.Writer, source, options []byte, buffers [][]byte) (Encoder, error) {
		return construct(w, source, options, buffers)
	}
}

// image adapts the constructor of a pixel encoder.
func image[E Encoder](construct func(*flow.Writer, raster.Header, []byte, [][]byte) (E, error)) func(*flow.Writer, []byte, []byte, [][]byte) (Encoder, error) {
	return func(w *flow.Writer, source, options []byte, buffers [][]byte) (Encoder, error) {
		h, err := raster.Decode(source)
		if err != nil {
			return nil, err
		}
		return construct(w, h, options, buffers)
	}
}

// Description is what the binding and its tests may know of a row.
type Description struct {
	Name      string                 `json:"name"`
	Names     []string               `json:"names"`
	MediaType string                 `json:"mediaType"`
	Source    string                 `json:"source"`
	ChunkSize int                    `json:"chunkSize"`
	Options   map[string]option.Spec `json:"options"`
}

// Describe returns the table without its constructors.
func Describe() []Description {
	var d []Description
	for _, f := range All {
		d = append(d, Description{f.Name, f.Names, f.MediaType, f.Source, f.ChunkSize, option.Specs(f.Options)})
	}
	return d
}
