// Package feature reads batches of features: geometries and columns of properties in Arrow's layout, under a schema that
// all batches of a stream share.
//
// Batches are the caller's memory, which may hold anything and may change while it is read. So every length and offset is
// checked when it is used, on the copy that is used.
package feature

import (
	"math"
	"strconv"
	"strings"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/option"
	"github.com/sluice-js/sluice/internal/text"
)

// maxColumns is far beyond what databases have.
const maxColumns = 10000

// Shortest stands for as many decimals as it takes to read the same number back.
const Shortest = -1

// Header describes a collection of features.
type Header struct {
	// TypeName is what features are called, with or without a prefix. Default "feature".
	TypeName string `json:"typeName"`
	// Namespace is what the prefix of TypeName stands for. Default: made of the prefix.
	Namespace string `json:"namespace"`
	// GeometryName is what the geometry is called. "": features have none. Default "geometry".
	GeometryName string `json:"geometryName"`
	// SRSName names the coordinate reference system. Default "": not said.
	SRSName string `json:"srsName"`
	// AxisOrder is the order of coordinates in the output. In batches it is xy always. Default "xy".
	AxisOrder string `json:"axisOrder" choices:"xy|yx"`
	// Decimals of coordinates; Shortest, the default: as many as it takes.
	Decimals int `json:"decimals" range:"-1,20"`
	// ID names the column that features are told apart by. Default "": they are numbered.
	ID string `json:"id"`
	// BBox is the bounding box of all features, as minimum x, y (and z) and maximum x, y (and z). Default: none.
	BBox []string `json:"bbox"`
	// FeatureBBox gives each feature its bounding box. Default false.
	FeatureBBox bool `json:"featureBbox"`
	// NumberMatched is how many features the query has, a number or "unknown". Default "": not said.
	NumberMatched string `json:"numberMatched"`
	// NumberReturned is how many features come. Default "": not said.
	NumberReturned string `json:"numberReturned"`
	// TimeStamp is when the response was made. Default "": not said.
	TimeStamp string `json:"timeStamp"`
	// Next and Previous are addresses of pages. Default "": none.
	Next     string `json:"next"`
	Previous string `json:"previous"`
	// SchemaLocation says where schemas lie: pairs of namespace and address. Default "": not said.
	SchemaLocation string `json:"schemaLocation"`
	// Collection is the kind of a GML collection. Default "wfs".
	Collection string `json:"collection" choices:"wfs|gml"`
	// CRS has GeoJSON name the coordinate reference system. Default false.
	CRS bool `json:"crs"`
	// Columns are "type name" each.
	Columns []string `json:"columns"`

	Fields   []Field   `json:"-"`
	IDField  int       `json:"-"` // index into Fields, -1 when features are numbered
	Bounds   []float64 `json:"-"` // BBox as numbers
	Prefix   string    `json:"-"` // of TypeName, with its colon
	Local    string    `json:"-"` // TypeName without Prefix
	Swapped  bool      `json:"-"` // AxisOrder is "yx"
	Shortest bool      `json:"-"` // Decimals is not set
}

// Decode reads and checks a header.
func Decode(source []byte) (*Header, error) {
	h := &Header{TypeName: "feature", GeometryName: "geometry", AxisOrder: "xy", Decimals: Shortest, Collection: "wfs"}
	if err := option.Decode("features", source, nil, h); err != nil {
		return nil, err
	}
	if len(h.Columns) > maxColumns {
		return nil, fault.Newf(fault.Limit, "Expected at most %d columns, got %d", maxColumns, len(h.Columns))
	}
	seen := map[string]bool{}
	h.IDField = -1
	for _, c := range h.Columns {
		f, err := parseField(c)
		if err != nil {
			return nil, err
		}
		if seen[f.Name] {
			return nil, fault.Newf(fault.Option, "Expected columns of different names, got two of %.80q", f.Name)
		}
		if f.Name == h.GeometryName {
			return nil, fault.Newf(fault.Option, "Expected features option \"geometryName\" to be no column's, got %.80q", f.Name)
		}
		seen[f.Name] = true
		if f.Name == h.ID {
			h.IDField = len(h.Fields)
		}
		h.Fields = append(h.Fields, f)
	}
	if err := h.check(); err != nil {
		return nil, err
	}
	if at := strings.LastIndexByte(h.TypeName, ':'); at >= 0 {
		h.Prefix = h.TypeName[:at+1]
	}
	h.Local = h.TypeName[len(h.Prefix):]
	h.Swapped, h.Shortest = h.AxisOrder == "yx", h.Decimals == Shortest
	return h, nil
}

func (h *Header) check() error {
	if h.ID != "" {
		if h.IDField < 0 {
			return fault.Newf(fault.Option, "Expected features option \"id\" to be the name of a column, got %.80q", h.ID)
		}
		if t := h.Fields[h.IDField].Type; !t.integer() && t != UTF8 {
			return fault.Newf(fault.Option, "Expected features option \"id\" to name a column of integers or utf8, got one of %v", t)
		}
	}
	for _, n := range []struct{ name, value string }{{"numberMatched", h.NumberMatched}, {"numberReturned", h.NumberReturned}} {
		if _, err := strconv.ParseUint(n.value, 10, 53); err != nil && n.value != "" && !(n.value == "unknown" && n.name == "numberMatched") {
			return fault.Newf(fault.Option, "Expected features option %q to be a whole number, got %.80q", n.name, n.value)
		}
	}
	if n := len(h.BBox); n != 0 && n != 4 && n != 6 {
		return fault.Newf(fault.Option, "Expected features option \"bbox\" to be 4 or 6 numbers, got %d", n)
	}
	for _, s := range h.BBox {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return fault.Newf(fault.Option, "Expected features option \"bbox\" to be 4 or 6 numbers, got %.80q", s)
		}
		h.Bounds = append(h.Bounds, v)
	}
	return nil
}

// AppendCoordinate appends v, which must be finite, without an exponent.
func (h *Header) AppendCoordinate(dst []byte, v float64) []byte {
	if h.Shortest {
		return text.AppendPlain(dst, v)
	}
	return text.AppendFixed(dst, v, h.Decimals)
}
