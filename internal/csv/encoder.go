// Package csv writes features as comma-separated values (RFC 4180), geometries as well-known text (OGC 06-103r4, 7).
package csv

import (
	"github.com/sluice-js/sluice/internal/feature"
	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/option"
	"github.com/sluice-js/sluice/internal/text"
)

// Options are what a caller may choose beyond what the source says: nothing.
type Options struct{}

// Defaults returns the options.
func Defaults() *Options { return &Options{} }

// format writes features of one header.
type format struct {
	h     *feature.Header
	style feature.Style
}

// New returns an Encoder.
func New(w *flow.Writer, source, options []byte, buffers [][]byte) (*feature.Encoder, error) {
	if err := option.Decode("csv", options, buffers, Defaults()); err != nil {
		return nil, err
	}
	h, err := feature.Decode(source)
	if err != nil {
		return nil, err
	}
	return feature.NewEncoder(w, h, newFormat(h)), nil
}

func newFormat(h *feature.Header) *format {
	return &format{h, feature.Style{Text: text.AppendField}}
}

// AppendHead appends the line with the names of columns. The geometry comes first.
func (f *format) AppendHead(dst []byte) []byte {
	start := len(dst)
	if f.h.GeometryName != "" {
		dst = text.AppendField(dst, []byte(f.h.GeometryName))
	}
	for _, c := range f.h.Fields {
		if len(dst) > start {
			dst = append(dst, ',')
		}
		dst = text.AppendField(dst, []byte(c.Name))
	}
	return append(dst, "\r\n"...)
}

// AppendFeature appends a line. A null is a field without anything, an empty string one of two quotes.
func (f *format) AppendFeature(dst []byte, b *feature.Batch, row int, _ uint64) []byte {
	start, first := len(dst), true
	if f.h.GeometryName != "" {
		dst = f.appendGeometry(dst, b.Shape(row))
		first = false
	}
	for i := range b.Columns {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst, _ = b.Columns[i].Append(dst, row, &f.style)
	}
	if len(dst) == start {
		dst = append(dst, `""`...) // readers skip lines without anything
	}
	return append(dst, "\r\n"...)
}

// AppendTail appends nothing.
func (f *format) AppendTail(dst []byte) []byte { return dst }

// AppendTruncated appends nothing.
func (f *format) AppendTruncated(dst []byte, _ string) []byte { return dst }
