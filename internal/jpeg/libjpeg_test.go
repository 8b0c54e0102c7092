package jpeg

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/sluice-js/sluice/internal/raster"
)

// testdata/libjpeg-turbo.txt has the first bytes of the SHA-256 of what libjpeg-turbo's cjpeg makes of patterns, under each of
// references in turn. -update makes it, -cjpeg holds it against the program.
var (
	cjpeg  = flag.String("cjpeg", "", "libjpeg-turbo's program to compare with")
	update = flag.Bool("update", false, "write testdata/libjpeg-turbo.txt with cjpeg")
)

const golden = "testdata/libjpeg-turbo.txt"

var goldenSizes = [][2]int{{1, 1}, {7, 5}, {1, 1000}, {1000, 1}, {17, 33}, {16, 16}, {8, 8}, {9, 8}, {24, 40}, {25, 41}, {255, 257}, {129, 17}, {136, 9}, {33, 130}}

// references are options, and the same for cjpeg.
var references = []struct{ options, arguments string }{
	{`{"quality":0}`, "-quality 0"},
	{`{"quality":30}`, "-quality 30"},
	{`{"quality":75}`, "-quality 75"},
	{`{}`, "-quality 85"},
	{`{"quality":97}`, "-quality 97"},
	{`{"quality":100}`, "-quality 100"},
	{`{"restart":1}`, "-quality 85 -restart 1"},
	{`{"restart":3,"quality":95}`, "-quality 95 -restart 3"},
	{`{"optimize":true}`, "-quality 85 -optimize"},
	{`{"optimize":true,"quality":100,"restart":2}`, "-quality 100 -optimize -restart 2"},
}

// subsamplings are what pixels become. A grey image shows the red of the pattern.
var subsamplings = []struct{ name, options, arguments string }{
	{"4:2:0", `"subsampling":"4:2:0"`, "-sample 2x2"},
	{"4:4:4", `"subsampling":"4:4:4"`, "-sample 1x1"},
	{"grey", `"subsampling":"4:2:0"`, ""},
}

// eachGolden calls f for every line of the golden file, with the line's name and its pixels.
func eachGolden(f func(name string, sub, width, height int, rgba []byte)) {
	for pattern := range patterns {
		for _, size := range goldenSizes {
			rgba := draw(pattern, size[0], size[1])
			for sub, s := range subsamplings {
				f(fmt.Sprintf("%dx%d %s %s", size[0], size[1], patterns[pattern].name, s.name), sub, size[0], size[1], rgba)
			}
		}
	}
}

func sum(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b))[:12] }

// TestLibjpegTurbo holds every kernel, cut and number of slots against libjpeg-turbo's bytes.
func TestLibjpegTurbo(t *testing.T) {
	if *update {
		updateGolden(t)
	}
	b, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{}
	for line := range strings.Lines(string(b)) {
		name, sums, _ := strings.Cut(strings.TrimSpace(line), ": ")
		want[name] = strings.Fields(sums)
	}
	r := rand.New(rand.NewPCG(1, 1))
	eachGolden(func(name string, sub, width, height int, rgba []byte) {
		p := pictureOf(rgba, width, height, raster.RGBA)
		if sub == 2 {
			p = pictureOf(samples(rgba, 1), width, height, raster.Gray)
		}
		if len(want[name]) != len(references) {
			t.Fatalf("%s: %d sums", name, len(want[name]))
		}
		for i, reference := range references {
			options := with(reference.options, subsamplings[sub].options)
			if *cjpeg != "" {
				if got := sum(runCjpeg(t, sub, reference.arguments, width, height, rgba)); got != want[name][i] {
					t.Fatalf("%s, %s: cjpeg makes %s, the file has %s", name, reference.arguments, got, want[name][i])
				}
			}
			for _, p.kernels = range levels() {
				p.slots, p.strip, p.Whole = 1+r.IntN(3), []int{0, 1, 500}[r.IntN(3)], r.IntN(2) == 0
				p.cut = func() int { return 1 + r.IntN(40) }
				got, err := p.encode(options)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if sum(got) != want[name][i] {
					t.Errorf("%s, %s, %s, %d slots, strips of %d, whole %v: other bytes", name, options, p.kernels.name, p.slots, p.strip, p.Whole)
				}
			}
		}
	})
}

// with adds an option to a JSON object.
func with(options, more string) string {
	if options == "{}" {
		return "{" + more + "}"
	}
	return strings.TrimSuffix(options, "}") + "," + more + "}"
}

func updateGolden(t *testing.T) {
	var out bytes.Buffer
	eachGolden(func(name string, sub, width, height int, rgba []byte) {
		fmt.Fprintf(&out, "%s:", name)
		for _, reference := range references {
			fmt.Fprintf(&out, " %s", sum(runCjpeg(t, sub, reference.arguments, width, height, rgba)))
		}
		fmt.Fprintln(&out)
	})
	if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func runCjpeg(t *testing.T, sub int, arguments string, width, height int, rgba []byte) []byte {
	t.Helper()
	program := *cjpeg
	if program == "" {
		program = "cjpeg"
	}
	kind, data := 6, samples(rgba, 3)
	if sub == 2 {
		kind, data = 5, samples(rgba, 1)
	}
	c := exec.Command(program, strings.Fields("-baseline -dct int "+arguments+" "+subsamplings[sub].arguments)...)
	c.Stdin = bytes.NewReader(append(fmt.Appendf(nil, "P%d %d %d 255\n", kind, width, height), data...))
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %v", c, err)
	}
	return out
}
