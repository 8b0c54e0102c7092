package gml_test

import (
	"encoding/json"
	"io"
	"syscall"
	"testing"
	"time"

	"github.com/sluice-js/sluice/internal/csv"
	"github.com/sluice-js/sluice/internal/feature"
	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/geojson"
	"github.com/sluice-js/sluice/internal/gml"
	"github.com/sluice-js/sluice/internal/sample"
)

var constructors = map[string]func(*flow.Writer, []byte, []byte, [][]byte) (*feature.Encoder, error){"gml32": gml.New, "geojson": geojson.New, "csv": csv.New}

type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) { c.n += int64(len(p)); return len(p), nil }

// processor returns the time that this process has spent on processors.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkEncode writes 100,000 points with five properties, in batches of 1024.
func BenchmarkEncode(b *testing.B) {
	const batch = 1024 * sample.FeatureBytes
	var parts []flow.Part
	for rest := sample.Features(100_000); len(rest) > 0; rest = rest[min(batch, len(rest)):] {
		parts = append(parts, sample.Batch(rest[:min(batch, len(rest))]))
	}
	for _, f := range []string{"gml32", "geojson", "csv"} {
		for _, decimals := range []int{feature.Shortest, 7} {
			name := f + "/fixed"
			if decimals == feature.Shortest {
				name = f + "/shortest"
			}
			b.Run(name, func(b *testing.B) {
				header, err := json.Marshal(map[string]any{
					"typeName": "t:place", "srsName": "urn:ogc:def:crs:EPSG::4326", "axisOrder": "yx", "decimals": decimals, "columns": sample.FeatureColumns,
				})
				if err != nil {
					b.Fatal(err)
				}
				run := func(out io.Writer) {
					e, err := constructors[f](flow.Unlimited(out), header, nil, nil)
					if err != nil {
						b.Fatal(err)
					}
					for _, p := range parts {
						if err := e.Write(p); err != nil {
							b.Fatal(err)
						}
					}
					if err := e.Close(); err != nil {
						b.Fatal(err)
					}
				}
				var c counter
				run(&c)
				b.SetBytes(c.n)
				b.ReportAllocs()
				before, runs := processor(), 0
				for b.Loop() {
					run(io.Discard)
					runs++
				}
				b.ReportMetric(float64(c.n)*float64(runs)/1e6/(processor()-before).Seconds(), "MB/cpu-s")
			})
		}
	}
}
