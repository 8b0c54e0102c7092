package kernel

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
)

// samples does to every colour's samples what f does to one with its alpha.
func samples(colors []uint32, f func(c, alpha uint32) uint32) []uint32 {
	out := make([]uint32, len(colors))
	for i, c := range colors {
		a := c >> 24
		out[i] = f(c&0xff, a) | f(c>>8&0xff, a)<<8 | f(c>>16&0xff, a)<<16 | a<<24
	}
	return out
}

// checkColors holds the loops over colours against their definitions, with and without vectors.
func checkColors(t *testing.T, colors []uint32) {
	t.Helper()
	bytes := make([]byte, 0, 4*len(colors))
	var swapped []uint32
	var starts []uint16
	for i, c := range colors {
		bytes = binary.LittleEndian.AppendUint32(bytes, c)
		swapped = append(swapped, c&0xff00ff00|c&0xff<<16|c>>16&0xff)
		if i == 0 || c != colors[i-1] {
			starts = append(starts, uint16(i))
		}
	}
	premultiplied := samples(colors, func(c, a uint32) uint32 { return (2*c*a + 255) / 510 }) // round(c * a / 255)
	bounded := samples(colors, func(c, a uint32) uint32 { return min(c, a) })
	check := func(how string) {
		t.Helper()
		same := func(what string, f func(colors []uint32), want []uint32) {
			t.Helper()
			got := slices.Clone(colors)
			f(got)
			if !slices.Equal(got, want) {
				t.Fatalf("%s, %s of %08x: got %08x want %08x", how, what, colors, got, want)
			}
		}
		same("PremultiplyAll", PremultiplyAll, premultiplied)
		same("Bound", Bound, bounded)
		same("SwapRedBlue", SwapRedBlue, swapped)
		read := make([]uint32, len(colors))
		Colors(read, bytes)
		if !slices.Equal(read, colors) {
			t.Fatalf("%s, Colors: got %08x want %08x", how, read, colors)
		}
		got := make([]uint16, len(colors)+RunsRoom)
		if got = got[:Runs(got, colors)]; !slices.Equal(got, starts) {
			t.Fatalf("%s, Runs of %08x: got %d want %d", how, colors, got, starts)
		}
	}
	check("vectors")
	scalarly(func() { check("scalar") })
}

func TestColors(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for n := range 70 {
		for _, runs := range []uint32{1, 2, 20} {
			colors := make([]uint32, n)
			last := uint32(0)
			for i := range colors {
				if r.Uint32N(runs) == 0 {
					last = r.Uint32()
					switch r.Uint32N(4) {
					case 0:
						last |= 0xff000000
					case 1:
						last &= 0x00ffffff
					}
				}
				colors[i] = last
			}
			checkColors(t, colors)
		}
	}
}

// Every sample with every alpha.
func TestPremultiplyEverything(t *testing.T) {
	colors := make([]uint32, 0, 1<<16)
	for a := range uint32(256) {
		for c := range uint32(256) {
			colors = append(colors, c|(c^0x55)<<8|(255-c)<<16|a<<24)
		}
	}
	for part := range slices.Chunk(colors, 1<<12) {
		checkColors(t, part)
	}
}

func FuzzColors(f *testing.F) {
	f.Add([]byte("\x01\x02\x03\xff\x01\x02\x03\xff\xff\xff\xff\x00\x10\x20\x30\x40"), uint8(3))
	f.Fuzz(func(t *testing.T, p []byte, times uint8) {
		var colors []uint32
		for ; len(p) >= 4 && len(colors) < 1<<12; p = p[4:] {
			for range 1 + times%16 {
				colors = append(colors, binary.LittleEndian.Uint32(p))
			}
		}
		checkColors(t, colors)
	})
}
