// Package format is the one table of formats: their names, media types, options and constructors.
package format

import (
	"strings"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/jpeg"
	"github.com/sluice-js/sluice/internal/option"
	"github.com/sluice-js/sluice/internal/png"
	"github.com/sluice-js/sluice/internal/raster"
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
	Source    string // the kind of source that it encodes: "image"
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
		Name: "jpeg", Names: []string{"jpeg", "jpg", "image/jpeg", "image/jpg"}, MediaType: "image/jpeg",
		Source: "image", ChunkSize: imageChunk, Options: jpeg.Defaults(), New: image(jpeg.New),
	},
}

const imageChunk = 16 << 10

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
		return nil, fault.Newf(fault.Argument, "Expected a known source kind (image), got %.80q", source)
	}
	return nil, fault.Newf(fault.Format, "Expected a known %s format (%s), got %.80q", source, strings.Join(known, ", "), name)
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
