package jpeg

import (
	"encoding/binary"
	"math"
)

// Second bytes of markers (T.81, table B.1).
const (
	markerSOF0 = 0xc0
	markerDHT  = 0xc4
	markerRST0 = 0xd0
	markerSOI  = 0xd8
	markerEOI  = 0xd9
	markerSOS  = 0xda
	markerDQT  = 0xdb
	markerDRI  = 0xdd
	markerAPP0 = 0xe0
	markerAPP2 = 0xe2
)

// head returns everything before the image's data, in the order in which libjpeg writes it.
func (e *Encoder) head() []byte {
	b := []byte{0xff, markerSOI}
	b = appendJFIF(b, e.options.DPI)
	b = appendICC(b, e.options.ICC)
	tables := min(e.components, 2) // luminance, and chrominance where there is colour
	for i := range tables {
		b = segmentHead(b, markerDQT, 65)
		b = append(b, byte(i))
		for _, n := range zigzag {
			b = append(b, e.quantizers[i].step[n])
		}
	}
	b = segmentHead(b, markerSOF0, 6+3*e.components)
	b = append(b, 8) // bits of a sample
	b = binary.BigEndian.AppendUint16(b, uint16(e.header.Height))
	b = binary.BigEndian.AppendUint16(b, uint16(e.header.Width))
	b = append(b, byte(e.components))
	for i := range e.components {
		sampling := byte(0x11) // blocks of an MCU, across and down
		if i == 0 && e.layout == layout420 {
			sampling = 0x22
		}
		b = append(b, byte(i+1), sampling, byte(min(i, 1)))
	}
	for i, s := range e.tables[:2*tables] {
		b = segmentHead(b, markerDHT, 17+len(s.symbol))
		b = append(b, byte(i&1<<4|i>>1)) // class: DC or AC; number
		b = append(b, s.count[:]...)
		b = append(b, s.symbol...)
	}
	if e.options.Restart > 0 {
		b = segmentHead(b, markerDRI, 2)
		b = binary.BigEndian.AppendUint16(b, uint16(e.options.Restart*e.columns))
	}
	b = segmentHead(b, markerSOS, 4+2*e.components)
	b = append(b, byte(e.components))
	for i := range e.components {
		b = append(b, byte(i+1), byte(min(i, 1)*0x11))
	}
	return append(b, 0, 63, 0) // all coefficients, none by approximation
}

// segmentHead begins a segment of n bytes.
func segmentHead(b []byte, marker byte, n int) []byte {
	b = append(b, 0xff, marker)
	return binary.BigEndian.AppendUint16(b, uint16(n+2))
}

// appendJFIF writes APP0 of JFIF 1.01: with a resolution in pixels per inch, or with that of pixels as high as wide.
func appendJFIF(b []byte, dpi float64) []byte {
	b = segmentHead(b, markerAPP0, 14)
	b = append(b, "JFIF\x00\x01\x01"...)
	unit, density := byte(0), uint16(1)
	if dpi > 0 {
		unit, density = 1, uint16(max(math.Round(dpi), 1))
	}
	b = append(b, unit)
	b = binary.BigEndian.AppendUint16(b, density)
	b = binary.BigEndian.AppendUint16(b, density)
	return append(b, 0, 0) // no thumbnail
}

// appendICC writes a profile in as many segments as it takes (ICC.1, annex B).
func appendICC(b, profile []byte) []byte {
	const most = 65519
	count := (len(profile) + most - 1) / most
	for i := range count {
		piece := profile[:min(len(profile), most)]
		profile = profile[len(piece):]
		b = segmentHead(b, markerAPP2, 14+len(piece))
		b = append(b, "ICC_PROFILE\x00"...)
		b = append(b, byte(i+1), byte(count))
		b = append(b, piece...)
	}
	return b
}
