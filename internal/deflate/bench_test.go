package deflate

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/klauspost/compress/flate"
	"github.com/sluice-js/sluice/internal/kernel"
	"github.com/sluice-js/sluice/internal/sample"
)

// picture is filtered rows.
type picture struct {
	name     string
	geometry Geometry
	rows     []byte
	pixels   int // bytes of its RGBA pixels: what speeds are stated in
}

// filterRows returns pix, RGBA, as PNG's rows: opaque pixels as RGB, after no filter or Paeth's.
func filterRows(name string, pix []byte, width, height int, paeth bool) picture {
	n := 4
	if kernel.Opaque(pix) {
		n = 3
	}
	p := picture{name: name, geometry: Geometry{n, n*width + 1}, pixels: len(pix)}
	up := make([]byte, n*width)
	for y := range height {
		row := pix[4*width*y:][:4*width]
		if n == 3 {
			row = make([]byte, 3*width)
			kernel.RGBAToRGB(row, pix[4*width*y:][:4*width])
		}
		if paeth {
			out := make([]byte, n*width)
			kernel.Paeth(out, row, up, n)
			p.rows = append(append(p.rows, 4), out...)
			up = row
		} else {
			p.rows = append(append(p.rows, 0), row...)
		}
	}
	return p
}

// pictures returns samples of a size, or the images of the folder that CORPUS names, with and without a filter.
func pictures(tb testing.TB, width, height int) []picture {
	var all []picture
	add := func(name string, pix []byte, width, height int) {
		all = append(all, filterRows(name+"/none", pix, width, height, false), filterRows(name+"/paeth", pix, width, height, true))
	}
	folder := os.Getenv("CORPUS")
	if folder == "" {
		add("map", sample.Map(width, height), width, height)
		add("overlay", sample.Overlay(width, height), width, height)
		add("photo", sample.Photo(width, height), width, height)
		add("noise", sample.Noise(width, height), width, height)
		return all
	}
	var manifest struct {
		Images []struct {
			Name, File    string
			Width, Height int
		}
	}
	text, err := os.ReadFile(filepath.Join(folder, "manifest.json"))
	if err == nil {
		err = json.Unmarshal(text, &manifest)
	}
	if err != nil {
		tb.Fatal(err)
	}
	for _, image := range manifest.Images {
		packed, err := os.ReadFile(filepath.Join(folder, image.File))
		if err != nil {
			tb.Fatal(err)
		}
		z, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			tb.Fatal(err)
		}
		pix, err := io.ReadAll(z)
		if err != nil {
			tb.Fatal(err)
		}
		add(image.Name, pix, image.Width, image.Height)
	}
	return all
}

// strips compresses rows in strips of 256 KB, each with the one before as its dictionary.
func (p picture) strips(compress func(dst, data []byte, dictionary int, final bool) []byte, dst []byte) []byte {
	size := max(1, 256<<10/p.geometry.RowBytes) * p.geometry.RowBytes
	for top := 0; top < len(p.rows); top += size {
		if len(p.rows)-top-size < size/4 {
			size = len(p.rows) - top
		}
		from := top - min(top, (windowSize+p.geometry.RowBytes-1)/p.geometry.RowBytes*p.geometry.RowBytes)
		dst = compress(dst, p.rows[from:top+size], top-from, top+size >= len(p.rows))
	}
	return dst
}

type appender struct{ p []byte }

func (a *appender) Write(p []byte) (int, error) {
	a.p = append(a.p, p...)
	return len(p), nil
}

// klauspost is what a level of github.com/klauspost/compress makes of the same strips.
func klauspost(level int) func(dst, data []byte, dictionary int, final bool) []byte {
	out := new(appender)
	w, err := flate.NewWriter(out, level)
	if err != nil {
		panic(err)
	}
	return func(dst, data []byte, dictionary int, final bool) []byte {
		out.p = dst
		w.ResetDict(out, data[max(0, dictionary-windowSize):dictionary])
		w.Write(data[dictionary:])
		if final {
			w.Close()
		} else {
			w.Flush()
		}
		return out.p
	}
}

// BenchmarkCompress compares all modes, and another library's levels, by bytes and by the least time of b.N interleaved
// rounds. Speeds are in MB of RGBA pixels.
func BenchmarkCompress(b *testing.B) {
	all := pictures(b, 1201, 801)
	type contender struct {
		name     string
		compress func(p picture) func(dst, data []byte, dictionary int, final bool) []byte
	}
	var contenders []contender
	for m, name := range modeNames {
		contenders = append(contenders, contender{name, func(p picture) func(dst, data []byte, dictionary int, final bool) []byte {
			return func(dst, data []byte, dictionary int, final bool) []byte {
				return Compress(dst, data, dictionary, Mode(m), p.geometry, final)
			}
		}})
	}
	for _, level := range []int{1, 3, 6} {
		k := klauspost(level)
		contenders = append(contenders, contender{fmt.Sprintf("klauspost%d", level), func(picture) func(dst, data []byte, dictionary int, final bool) []byte { return k }})
	}
	for _, p := range all {
		b.Run(p.name, func(b *testing.B) {
			least := make([]time.Duration, len(contenders))
			size := make([]int, len(contenders))
			var dst []byte
			for range b.N {
				for i, c := range contenders {
					start := time.Now()
					dst = p.strips(c.compress(p), dst[:0])
					if t := time.Since(start); least[i] == 0 || t < least[i] {
						least[i] = t
					}
					size[i] = len(dst)
				}
			}
			for i, c := range contenders {
				b.ReportMetric(float64(p.pixels)/1e6/least[i].Seconds(), c.name+"-MB/s")
				b.ReportMetric(float64(size[i]), c.name+"-bytes")
			}
		})
	}
}
