// Package gml writes features as GML 3.2 (OGC 07-036): a FeatureCollection of WFS 2.0 (OGC 09-025r2, 11.3.3) or one of GML's own.
package gml

import (
	"strconv"
	"strings"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/feature"
	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/option"
	"github.com/sluice-js/sluice/internal/text"
)

// Options are what a caller may choose beyond what the source says: nothing.
type Options struct{}

// Defaults returns the options.
func Defaults() *Options { return &Options{} }

// format writes features of one header. What is the same for all features is made once.
type format struct {
	h *feature.Header

	member, id, close []byte // around a feature and its id, and after it
	idPrefix          []byte // before the value that a feature is told apart by
	geometryOpen      []byte
	geometryClose     []byte
	geometryNil       []byte
	srs               []byte // attributes of a geometry: srsName, and srsDimension up to its value
	columns           []column

	name  []byte // the id of the current feature
	path  []int  // where in its geometry the current part lies
	style feature.Style
}

// column is what stands around the values of a property.
type column struct{ open, close, null []byte }

// New returns an Encoder.
func New(w *flow.Writer, source, options []byte, buffers [][]byte) (*feature.Encoder, error) {
	if err := option.Decode("gml32", options, buffers, Defaults()); err != nil {
		return nil, err
	}
	h, err := feature.Decode(source)
	if err != nil {
		return nil, err
	}
	if err := check(h); err != nil {
		return nil, err
	}
	return feature.NewEncoder(w, h, newFormat(h)), nil
}

func newFormat(h *feature.Header) *format {
	f := &format{h: h, style: feature.Style{Text: text.AppendXML}}
	member := "wfs:member"
	if h.Collection == "gml" {
		member = "gml:featureMember"
	}
	f.member = []byte("\n<" + member + "><" + h.TypeName + ` gml:id="`)
	f.id = []byte(`">`)
	f.close = []byte("</" + h.TypeName + "></" + member + ">")
	f.idPrefix = []byte(h.Local + ".")
	geometry := h.Prefix + h.GeometryName
	f.geometryOpen = []byte("<" + geometry + ">")
	f.geometryClose = []byte("</" + geometry + ">")
	f.geometryNil = []byte("<" + geometry + ` xsi:nil="true"/>`)
	f.srs = []byte(` srsDimension="`)
	if h.SRSName != "" {
		f.srs = append(append(text.AppendXML([]byte(` srsName="`), []byte(h.SRSName)), '"'), f.srs...)
	}
	for _, c := range h.Fields {
		name := h.Prefix + c.Name
		f.columns = append(f.columns, column{[]byte("<" + name + ">"), []byte("</" + name + ">"), []byte("<" + name + ` xsi:nil="true"/>`)})
	}
	return f
}

// check refuses names that XML does not have.
func check(h *feature.Header) error {
	prefix := strings.TrimSuffix(h.Prefix, ":")
	if h.Prefix != "" {
		if !isName(prefix) || strings.HasPrefix(strings.ToLower(prefix), "xml") || prefix == "wfs" || prefix == "gml" || prefix == "xsi" {
			return badName("typeName", "a name with a prefix of its own", h.TypeName)
		}
	} else if h.Namespace != "" {
		return fault.Newf(fault.Option, "Expected features option \"typeName\" to have a prefix for the namespace, got %.80q", h.TypeName)
	}
	if !isName(h.Local) {
		return badName("typeName", "a name that XML knows", h.TypeName)
	}
	if h.GeometryName != "" && !isName(h.GeometryName) {
		return badName("geometryName", "a name that XML knows", h.GeometryName)
	}
	for _, c := range h.Fields {
		if !isName(c.Name) {
			return badName("columns", "names that XML knows", c.Name)
		}
	}
	return nil
}

func badName(option, wanted, got string) error {
	return fault.Newf(fault.Option, "Expected features option %q to be %s, got %.80q", option, wanted, got)
}

// AppendHead appends what comes before the first feature.
func (f *format) AppendHead(dst []byte) []byte {
	h := f.h
	dst = append(dst, `<?xml version="1.0" encoding="UTF-8"?>`+"\n"...)
	if h.Collection == "gml" {
		dst = append(dst, `<gml:FeatureCollection`...)
	} else {
		dst = append(dst, `<wfs:FeatureCollection xmlns:wfs="http://www.opengis.net/wfs/2.0"`...)
	}
	dst = append(dst, ` xmlns:gml="http://www.opengis.net/gml/3.2" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"`...)
	if h.Prefix != "" {
		prefix := strings.TrimSuffix(h.Prefix, ":")
		namespace := h.Namespace
		if namespace == "" {
			namespace = "urn:features:" + prefix
		}
		dst = attribute(dst, "xmlns:"+prefix, namespace)
	}
	dst = attribute(dst, "xsi:schemaLocation", h.SchemaLocation)
	if h.Collection == "gml" {
		dst = attribute(dst, "gml:id", "FeatureCollection")
	} else {
		matched := h.NumberMatched
		if matched == "" {
			matched = "unknown"
		}
		dst = attribute(dst, "timeStamp", h.TimeStamp)
		dst = attribute(dst, "numberMatched", matched)
		dst = attribute(dst, "numberReturned", h.NumberReturned)
		dst = attribute(dst, "next", h.Next)
		dst = attribute(dst, "previous", h.Previous)
	}
	dst = append(dst, '>')
	if h.Bounds == nil {
		return dst
	}
	element := "wfs:boundedBy>"
	if h.Collection == "gml" {
		element = "gml:boundedBy>"
	}
	b := feature.Bounds{h.Bounds[0], h.Bounds[1], 0, h.Bounds[len(h.Bounds)/2], h.Bounds[len(h.Bounds)/2+1], 0}
	if len(h.Bounds) == 6 {
		b[2], b[5] = h.Bounds[2], h.Bounds[5]
	}
	dst = append(append(dst, "\n<"...), element...)
	dst = f.appendEnvelope(dst, b, len(h.Bounds) == 6)
	return append(append(dst, "</"...), element...)
}

// attribute appends one that has a value.
func attribute(dst []byte, name, value string) []byte {
	if value == "" {
		return dst
	}
	dst = append(append(append(dst, ' '), name...), `="`...)
	return append(text.AppendXML(dst, []byte(value)), '"')
}

// AppendFeature appends a member of the collection.
func (f *format) AppendFeature(dst []byte, b *feature.Batch, row int, n uint64) []byte {
	f.name = f.appendID(f.name[:0], b, row, n)
	dst = append(dst, f.member...)
	dst = append(dst, f.name...)
	dst = append(dst, f.id...)
	if f.h.GeometryName != "" {
		dst = f.appendGeometry(dst, b.Shape(row))
	}
	for i := range b.Columns {
		c := &f.columns[i]
		start := len(dst)
		dst = append(dst, c.open...)
		var ok bool
		if dst, ok = b.Columns[i].Append(dst, row, &f.style); ok {
			dst = append(dst, c.close...)
		} else {
			dst = append(dst[:start], c.null...)
		}
	}
	return append(dst, f.close...)
}

// appendID appends the gml:id of a feature: unique, and a name as XML has it (GML 3.2.1, 7.2.4.5). The type's name comes first, so
// that numbers become names.
func (f *format) appendID(dst []byte, b *feature.Batch, row int, n uint64) []byte {
	dst = append(dst, f.idPrefix...)
	from := len(dst)
	if at := f.h.IDField; at >= 0 {
		var ok bool
		if dst, ok = b.Columns[at].Append(dst, row, &nameStyle); ok && len(dst) > from {
			if value := dst[from:]; len(value) > len(f.idPrefix) && string(value[:from]) == string(f.idPrefix) {
				dst = append(dst[:0], value...) // it has the prefix already
			}
			return dst
		}
	}
	return text.AppendUint(dst[:from], n+1)
}

// nameStyle writes text such that it can be a part of a name.
var nameStyle = feature.Style{Text: appendName}

// AppendTail appends what comes after the last feature.
func (f *format) AppendTail(dst []byte) []byte {
	if f.h.Collection == "gml" {
		return append(dst, "\n</gml:FeatureCollection>\n"...)
	}
	return append(dst, "\n</wfs:FeatureCollection>\n"...)
}

// AppendTruncated appends the end of a response whose features ran out before their time (OGC 09-025r2, 11.3.3.6).
func (f *format) AppendTruncated(dst []byte, message string) []byte {
	if f.h.Collection == "gml" {
		return dst
	}
	dst = append(dst, "\n"+`<wfs:truncatedResponse><ows:ExceptionReport xmlns:ows="http://www.opengis.net/ows/1.1" version="2.0.0">`+
		`<ows:Exception exceptionCode="OperationProcessingFailed"><ows:ExceptionText>`...)
	dst = text.AppendXML(dst, []byte(message))
	dst = append(dst, `</ows:ExceptionText></ows:Exception></ows:ExceptionReport></wfs:truncatedResponse>`...)
	return f.AppendTail(dst)
}

// appendDimension appends the value of srsDimension, and closes the tag.
func appendDimension(dst []byte, hasZ bool) []byte {
	if hasZ {
		return append(dst, `3">`...)
	}
	return append(dst, `2">`...)
}

// appendPath appends what tells a part of a geometry apart.
func appendPath(dst []byte, path []int) []byte {
	for _, i := range path {
		dst = strconv.AppendInt(append(dst, '.'), int64(i), 10)
	}
	return dst
}
