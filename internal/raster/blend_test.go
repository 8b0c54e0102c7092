package raster

import (
	"encoding/binary"
	"image/color"
	"math"
	"testing"
)

// blendPixels are colours whose every step of alpha and of a sample occurs.
func blendPixels() (pixels [][4]float64) {
	for a := range 256 {
		for c := 0; c < 256; c += 5 {
			pixels = append(pixels, [4]float64{float64(c) / 255, float64(255-c) / 255, float64(c^a) / 255, float64(a) / 255})
		}
	}
	return pixels
}

// put writes a pixel in format f.
func put(f PixelFormat, p [4]float64, premultiplied bool) []byte {
	a := p[3]
	s := []float64{p[0], p[1], p[2], a}
	if premultiplied {
		s[0], s[1], s[2] = s[0]*a, s[1]*a, s[2]*a
	}
	switch f {
	case BGRA:
		s[0], s[2] = s[2], s[0]
	case RGB:
		s = s[:3]
	case GrayA:
		s = []float64{s[0], a}
	case Gray, Gray16:
		s = s[:1]
	}
	var b []byte
	for _, v := range s {
		if f.Depth() == 16 {
			b = binary.NativeEndian.AppendUint16(b, uint16(math.Round(v*65535)))
		} else {
			b = append(b, byte(math.Round(v*255)))
		}
	}
	return b
}

func TestBlend(t *testing.T) {
	background := [3]byte{10, 200, 90}
	for _, f := range PixelFormats() {
		for _, premultiplied := range []bool{false, true} {
			for _, gray := range []bool{false, true} {
				convert := Blend(Header{PixelFormat: f, Premultiplied: premultiplied}, gray, background)
				channels := 3
				if gray {
					channels = 1
				}
				for _, p := range blendPixels() {
					got := make([]byte, channels)
					convert(got, put(f, p, premultiplied))
					a := p[3]
					if !f.HasAlpha() {
						a = 1
						if premultiplied {
							continue // the same as straight
						}
					}
					for i := range got {
						c := p[i]
						if !f.color() {
							c = p[0]
						}
						want := 255*c*a + float64(background[i])*(1-a)
						if d := math.Abs(float64(got[i]) - want); d > 1.01 {
							t.Fatalf("%v premultiplied %v gray %v: %v: sample %d is %d, want %.2f", f, premultiplied, gray, p, i, got[i], want)
						}
					}
				}
			}
		}
	}
}

func TestStraight(t *testing.T) {
	for _, f := range PixelFormats() {
		for _, premultiplied := range []bool{false, true} {
			convert := Straight(Header{PixelFormat: f, Premultiplied: premultiplied})
			for _, p := range blendPixels() {
				src, got := put(f, p, premultiplied && f.HasAlpha()), make([]byte, 4)
				convert(got, src)
				want := color.NRGBA{byte(math.Round(p[0] * 255)), byte(math.Round(p[1] * 255)), byte(math.Round(p[2] * 255)), byte(math.Round(p[3] * 255))}
				if !f.color() {
					want.G, want.B = want.R, want.R
				}
				if !f.HasAlpha() {
					want.A = 255
				}
				slack := 0.0
				if premultiplied && want.A > 0 && f.HasAlpha() {
					slack = math.Ceil(127.5/float64(want.A)) + 1
				}
				if want.A == 0 && premultiplied {
					want = color.NRGBA{}
				}
				for i, w := range []byte{want.R, want.G, want.B} {
					if d := math.Abs(float64(got[i]) - float64(w)); d > slack {
						t.Fatalf("%v premultiplied %v: %v: got %v", f, premultiplied, want, got)
					}
				}
				if got[3] != want.A {
					t.Fatalf("%v: alpha %d, want %d", f, got[3], want.A)
				}
			}
		}
	}
}

func TestMono(t *testing.T) {
	row := []byte{0, 0, 0, 255, 255, 255, 255, 255, 127, 127, 127, 255, 128, 128, 128, 255, 0, 0, 0, 0, 0, 255, 0, 255, 255, 0, 0, 255, 0, 0, 0, 127, 0, 0, 0, 200}
	got := make([]byte, 2)
	Mono(Header{PixelFormat: RGBA}, [3]byte{255, 255, 255})(got, row)
	if got[0] != 0b01011101 || got[1] != 0 {
		t.Errorf("got %08b", got)
	}
	Mono(Header{PixelFormat: RGBA}, [3]byte{})(got, row)
	if got[0] != 0b01010100 || got[1] != 0 {
		t.Errorf("on black: got %08b", got)
	}
	wide, long := make([]byte, 4*1000), make([]byte, 125)
	for i := range 1000 {
		wide[4*i], wide[4*i+1], wide[4*i+2], wide[4*i+3] = byte(i%2*255), byte(i%2*255), byte(i%2*255), 255
	}
	Mono(Header{PixelFormat: RGBA}, [3]byte{})(long, wide)
	for i, b := range long {
		if b != 0x55 {
			t.Fatalf("byte %d: %x", i, b)
		}
	}
}
