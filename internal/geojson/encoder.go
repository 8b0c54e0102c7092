// Package geojson writes features as a FeatureCollection of GeoJSON (RFC 7946).
package geojson

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
	h        *feature.Header
	idPrefix []byte   // before the number of a feature
	keys     [][]byte // of properties, with what comes before them
	style    feature.Style
}

// New returns an Encoder.
func New(w *flow.Writer, source, options []byte, buffers [][]byte) (*feature.Encoder, error) {
	if err := option.Decode("geojson", options, buffers, Defaults()); err != nil {
		return nil, err
	}
	h, err := feature.Decode(source)
	if err != nil {
		return nil, err
	}
	return feature.NewEncoder(w, h, newFormat(h)), nil
}

func newFormat(h *feature.Header) *format {
	f := &format{h: h, style: feature.Style{Text: text.AppendQuoted, JSON: true}}
	f.idPrefix = text.AppendQuoted(nil, []byte(h.Local+"."))
	f.idPrefix = f.idPrefix[:len(f.idPrefix)-1]
	for i, c := range h.Fields {
		var key []byte
		if i > 0 {
			key = append(key, ',')
		}
		f.keys = append(f.keys, append(text.AppendQuoted(key, []byte(c.Name)), ':'))
	}
	return f
}

// AppendHead appends what comes before the first feature. Members that RFC 7946 does not know are called as GeoServer and OGC API
// Features call them.
func (f *format) AppendHead(dst []byte) []byte {
	h := f.h
	dst = append(dst, `{"type":"FeatureCollection"`...)
	if h.CRS {
		name := h.SRSName
		if name == "" {
			name = "urn:ogc:def:crs:OGC:1.3:CRS84"
		}
		dst = append(dst, `,"crs":{"type":"name","properties":{"name":`...)
		dst = append(text.AppendQuoted(dst, []byte(name)), "}}"...)
	}
	if h.Bounds != nil {
		dst = append(dst, `,"bbox":[`...)
		for i, v := range h.Bounds {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = f.appendCoordinate(dst, v)
		}
		dst = append(dst, ']')
	}
	if h.NumberMatched != "" && h.NumberMatched != "unknown" {
		dst = append(append(dst, `,"numberMatched":`...), h.NumberMatched...)
	}
	if h.NumberReturned != "" {
		dst = append(append(dst, `,"numberReturned":`...), h.NumberReturned...)
	}
	if h.TimeStamp != "" {
		dst = text.AppendQuoted(append(dst, `,"timeStamp":`...), []byte(h.TimeStamp))
	}
	dst = f.appendLinks(dst)
	return append(dst, `,"features":[`...)
}

// appendLinks appends the addresses of other pages.
func (f *format) appendLinks(dst []byte) []byte {
	start := len(dst)
	for _, link := range []struct{ rel, href string }{{"next", f.h.Next}, {"prev", f.h.Previous}} {
		if link.href == "" {
			continue
		}
		if len(dst) == start {
			dst = append(dst, `,"links":[`...)
		} else {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, `{"rel":"`...), link.rel...), `","type":"application/geo+json","href":`...)
		dst = append(text.AppendQuoted(dst, []byte(link.href)), '}')
	}
	if len(dst) > start {
		dst = append(dst, ']')
	}
	return dst
}

// AppendFeature appends a member of the collection.
func (f *format) AppendFeature(dst []byte, b *feature.Batch, row int, n uint64) []byte {
	if n > 0 {
		dst = append(dst, ',')
	}
	dst = append(dst, "\n"+`{"type":"Feature","id":`...)
	dst = f.appendID(dst, b, row, n)
	dst = f.appendGeometry(dst, b.Shape(row))
	dst = append(dst, `,"properties":{`...)
	for i := range b.Columns {
		dst = append(dst, f.keys[i]...)
		var ok bool
		if dst, ok = b.Columns[i].Append(dst, row, &f.style); !ok {
			dst = append(dst, "null"...)
		}
	}
	return append(dst, "}}"...)
}

// appendID appends the value that tells a feature apart, or its number with the type's name.
func (f *format) appendID(dst []byte, b *feature.Batch, row int, n uint64) []byte {
	if f.h.IDField >= 0 {
		var ok bool
		if dst, ok = b.Columns[f.h.IDField].Append(dst, row, &f.style); ok {
			return dst
		}
	}
	return append(text.AppendUint(append(dst, f.idPrefix...), n+1), '"')
}

// AppendTail appends what comes after the last feature.
func (f *format) AppendTail(dst []byte) []byte { return append(dst, "\n]}\n"...) }

// AppendTruncated appends nothing: a document of GeoJSON that ends early must not look whole.
func (f *format) AppendTruncated(dst []byte, _ string) []byte { return dst }
