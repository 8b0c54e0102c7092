// Package format is the one table of formats: their names, media types, options and constructors.
package format

import (
	"slices"
	"strings"

	"github.com/sluice-js/sluice/internal/arrowipc"
	"github.com/sluice-js/sluice/internal/csv"
	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/geojson"
	"github.com/sluice-js/sluice/internal/gml"
	"github.com/sluice-js/sluice/internal/jpeg"
	"github.com/sluice-js/sluice/internal/option"
	"github.com/sluice-js/sluice/internal/png"
	"github.com/sluice-js/sluice/internal/raster"
	"github.com/sluice-js/sluice/internal/verbatim"
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

// Format is one row of the table.
type Format struct {
	Name      string   // how reports call it
	Names     []string // what users may call it, in lower case
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
		Name: "png", Names: []string{"png", "image/png"}, MediaType: "image/png",
		Source: "image", ChunkSize: imageChunk, Options: png.Defaults(), New: image(png.New),
	},
	{
		Name: "png8", Names: []string{"png8", "png256", "image/png8"}, MediaType: "image/png",
		Source: "image", ChunkSize: imageChunk, Options: png.PaletteDefaults(), New: image(png.NewIndexed),
	},
	{
		Name: "jpeg", Names: []string{"jpeg", "jpg", "image/jpeg", "image/jpg"}, MediaType: "image/jpeg",
		Source: "image", ChunkSize: imageChunk, Options: jpeg.Defaults(), New: image(jpeg.New),
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

// Choose returns the row for a source whose own format is called fixed ("": the source leaves it to the user) and a user
// who asked for name ("": for none). A format that the source fixes may be asked for, but not contradicted.
func Choose(name, fixed, source string) (*Format, error) {
	if fixed == "" {
		return Find(name, source)
	}
	f, err := Find(fixed, source)
	if err != nil || name == "" {
		return f, err
	}
	if asked, err := Find(name, source); err != nil || asked != f {
		return nil, fault.Newf(fault.Format, "Expected the format of the source, %s, got %.80q", f.Name, name)
	}
	return f, nil
}

// Find returns the row that is called name, or the default of the source when name is empty.
func Find(name, source string) (*Format, error) {
	var known []string
	for i := range All {
		f := &All[i]
		if f.Source != source {
			continue
		}
		known = append(known, f.Names...)
		if name == "" {
			return f, nil
		}
		for _, n := range f.Names {
			if strings.EqualFold(n, name) {
				return f, nil
			}
		}
	}
	if known == nil {
		return nil, fault.Newf(fault.Argument, "Expected a known source kind (%s), got %.80q", strings.Join(kinds(), ", "), source)
	}
	return nil, fault.Newf(fault.Format, "Expected a known %s format (%s), got %.80q", source, strings.Join(known, ", "), name)
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
