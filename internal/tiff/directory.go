package tiff

import (
	"encoding/binary"
	"math"
)

// Tags of a directory (TIFF 6.0; GeoTIFF's are in geo.go).
const (
	imageWidth      = 256
	imageLength     = 257
	bitsPerSample   = 258
	compressionTag  = 259
	photometric     = 262
	stripOffsets    = 273
	samplesPerPixel = 277
	rowsPerStrip    = 278
	stripByteCounts = 279
	xResolution     = 282
	yResolution     = 283
	planarConfig    = 284
	resolutionUnit  = 296
	predictorTag    = 317
	tileWidth       = 322
	tileLength      = 323
	tileOffsets     = 324
	tileByteCounts  = 325
	extraSamples    = 338
)

// Types of values.
const (
	short    = 3
	long     = 4
	rational = 5
	double   = 12
	long8    = 16 // BigTIFF's
)

var sizes = map[uint16]int{short: 2, long: 4, rational: 8, double: 8, long8: 8}

// byteOrder is what both of binary's do.
type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// directory is an image file directory in the making. Tags are added in ascending order.
type directory struct {
	order   byteOrder
	big     bool // BigTIFF: offsets of 64 bits
	entries []entry
}

type entry struct {
	tag, kind uint16
	count     int
	value     []byte
}

func (d *directory) add(tag, kind uint16, values ...uint64) {
	var b []byte
	for _, v := range values {
		switch sizes[kind] {
		case 2:
			b = d.order.AppendUint16(b, uint16(v))
		case 4:
			b = d.order.AppendUint32(b, uint32(v))
		default:
			b = d.order.AppendUint64(b, v)
		}
	}
	d.entries = append(d.entries, entry{tag, kind, len(values), b})
}

func (d *directory) addDoubles(tag uint16, values ...float64) {
	var b []byte
	for _, v := range values {
		b = d.order.AppendUint64(b, math.Float64bits(v))
	}
	d.entries = append(d.entries, entry{tag, double, len(values), b})
}

// addRational adds v to the precision of a thousandth.
func (d *directory) addRational(tag uint16, v float64) {
	b := d.order.AppendUint32(nil, uint32(math.Round(v*1000)))
	d.entries = append(d.entries, entry{tag, rational, 1, d.order.AppendUint32(b, 1000)})
}

// addOffsets adds positions or lengths in the file: of 64 bits in a BigTIFF.
func (d *directory) addOffsets(tag uint16, values []uint64) {
	kind := uint16(long)
	if d.big {
		kind = long8
	}
	d.add(tag, kind, values...)
}

// headBytes returns what the header and a directory with so many entries and bytes of values elsewhere take, to an even end.
func (d *directory) headBytes() uint64 {
	header, fixed, each, inline := 8, 2+4, 12, 4
	if d.big {
		header, fixed, each, inline = 16, 8+8, 20, 8
	}
	n := header + fixed + each*len(d.entries)
	for _, e := range d.entries {
		if len(e.value) > inline {
			n += (len(e.value) + 7) &^ 7
		}
	}
	return uint64(n+7) &^ 7
}

// bytes returns the file from its start to the end of the directory's values.
func (d *directory) bytes() []byte {
	o := d.order
	mark := "II"
	if o.Uint16([]byte{0, 1}) == 1 {
		mark = "MM"
	}
	b := make([]byte, 0, d.headBytes())
	b = append(b, mark...)
	inline, each := 4, 12
	if d.big {
		inline, each = 8, 20
		b = o.AppendUint16(b, 43)
		b = o.AppendUint16(b, 8) // bytes of an offset
		b = o.AppendUint16(b, 0)
		b = o.AppendUint64(b, 16)
		b = o.AppendUint64(b, uint64(len(d.entries)))
	} else {
		b = o.AppendUint16(b, 42)
		b = o.AppendUint32(b, 8)
		b = o.AppendUint16(b, uint16(len(d.entries)))
	}
	var values []byte
	elsewhere := (uint64(len(b)+each*len(d.entries)+inline) + 7) &^ 7
	word := func(b []byte, v uint64) []byte {
		if d.big {
			return o.AppendUint64(b, v)
		}
		return o.AppendUint32(b, uint32(v))
	}
	for _, e := range d.entries {
		b = o.AppendUint16(b, e.tag)
		b = o.AppendUint16(b, e.kind)
		b = word(b, uint64(e.count))
		if len(e.value) > inline {
			b = word(b, elsewhere+uint64(len(values)))
			values = append(values, e.value...)
			for len(values)%8 > 0 {
				values = append(values, 0)
			}
			continue
		}
		b = append(b, e.value...)
		b = append(b, make([]byte, inline-len(e.value))...)
	}
	b = word(b, 0) // there is no further directory
	for uint64(len(b)) < elsewhere {
		b = append(b, 0)
	}
	b = append(b, values...)
	for len(b)%8 > 0 {
		b = append(b, 0)
	}
	return b
}
