package format

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/sluice-js/sluice/internal/fault"
)

// meaning finds a name and writes what it stands for: row and settings, or code and message of the error.
func meaning(name string) string {
	c, err := find(name, "image", nil)
	if err != nil {
		f := fault.From(err)
		return fmt.Sprint(f.Code, " ", f.Message)
	}
	if len(c.settings) == 0 {
		return c.Name
	}
	b, err := json.Marshal(c.settings)
	if err != nil {
		panic(err)
	}
	return c.Name + " " + string(b)
}

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"":                           "png",
		"png":                        "png",
		" PNG ":                      "png",
		"Image/PNG":                  "png",
		"png24":                      `png {"color":"rgb"}`,
		"PNG32":                      `png {"color":"rgba"}`,
		"png:t=0":                    `png {"color":"rgb"}`,
		"png32:t=0":                  `png {"color":"rgba"}`,
		"png:t=2":                    "png",
		"png:z=0":                    `png {"level":"stored"}`,
		"png:z=1":                    `png {"level":"fast"}`,
		"png:z=2":                    `png {"level":"balanced"}`,
		"png:z=6":                    `png {"level":"balanced"}`,
		"png:z=7":                    `png {"level":"small"}`,
		"PNG:Z=9":                    `png {"level":"small"}`,
		"png:z=1:z=9:z=0":            `png {"level":"fast"}`,
		"png24:z=9:s=filtered:f=all": `png {"color":"rgb","level":"small"}`,
		"png:z=9:s=rle":              `png {"level":"fastest"}`,
		"png:s=huff:z=9:f=sub|up":    `png {"level":"fastest"}`,
		"png: z = 9":                 `png {"level":"small"}`,

		"image/png; mode=24bit":            `png {"color":"rgb"}`,
		"image/png;mode=32bit":             `png {"color":"rgba"}`,
		"image/png; MODE=\"1bit\"":         `png {"color":"mono"}`,
		"image/png; mode=16bit; mode=1bit": `png {"color":"argb4444"}`,
		"image/png;":                       "png",

		"jpeg":               "jpeg",
		"image/jpg":          "jpeg",
		"jpeg80":             `jpeg {"quality":80}`,
		"JPEG0":              `jpeg {"quality":0}`,
		"jpeg:quality=75":    `jpeg {"quality":75}`,
		"jpeg80:quality=75":  `jpeg {"quality":75}`,
		"image/vnd.jpeg-png": "jpegpng",

		"png8":                      "png8",
		"PNG256":                    "png8",
		"image/png8":                "png8",
		"image/png; mode=8bit":      "png8",
		"png8:m=h:c=64:t=1:g=2:z=9": `png8 {"colors":64,"level":"small","paletteGamma":2,"transparency":"binary"}`,
		"png8:c=1:c=7:m=o:t=0":      `png8 {"colors":1,"transparency":"none"}`,
		"png8:c=0":                  `4 Expected key "c" of format "png8:c=0" to be an integer from 1 to 256, got "0"`,
		"png8:c=257":                `4 Expected key "c" of format "png8:c=257" to be an integer from 1 to 256, got "257"`,
		"png8:c=abc":                `4 Expected key "c" of format "png8:c=abc" to be an integer from 1 to 256, got "abc"`,
		"png8:m=x":                  `4 Expected key "m" of format "png8:m=x" to be h|o, got "x"`,
		"png8:g=-1":                 `4 Expected key "g" of format "png8:g=-1" to be a number from 0 to 100, got "-1"`,
		"png:c=64":                  `4 Expected keys of format "png:c=64" to be known ones (s, z, f, t), got "c"`,

		"webp80":                         `webp {"quality":80}`,
		"webp80:quality=50.5:lossless=0": `webp {"lossless":false,"quality":50.5}`,
		"WEBP:lossless=1:method=6:alpha=false:image_hint=2:pass=3:partitions=1": `webp {"alpha":false,"hint":"photo","lossless":true,"method":6,"passes":3}`,
		"webp:lossless":         `4 Expected key "lossless" of format "webp:lossless" to be 0|1|false|true, got ""`,
		"webp101":               `4 Expected the number in format "webp101" to be a number from 0 to 100, got "101"`,
		"image/webp; mode=8bit": `4 Expected parameters of format "image/webp; mode=8bit" to be known ones (it has none), got "mode"`,
		"gif:c=4":               `4 Expected keys of format "gif:c=4" to be known ones (it has none), got "c"`,

		"tiff":                          "tiff",
		"TIF:compression=deflate":       `tiff {"compression":"deflate"}`,
		"tiff:compression=adobedeflate": `tiff {"compression":"deflate"}`,
		"tiff:compression=none:method=tiled:tile_width=32:tile_height=16": `tiff {"compression":"none","tileHeight":16,"tileWidth":32,"tiled":true}`,
		"tiff:method=scanline:zlevel=1":                                   `tiff {"level":"fast","rowsPerStrip":1}`,
		"tiff:method=strip:rows_per_strip=8":                              `tiff {"rowsPerStrip":8}`,
		"image/geotiff":                                                   "tiff",
		"tiff:compression=packbits":                                       `4 Expected key "compression" of format "tiff:compression=packbits" to be adobedeflate|deflate|lzw|none, got "packbits"`,
		"tiff8":                                                           unknownImage("tiff8"),

		"png:z=10":             `4 Expected key "z" of format "png:z=10" to be an integer from 0 to 9, got "10"`,
		"png:z=-1":             `4 Expected key "z" of format "png:z=-1" to be an integer from 0 to 9, got "-1"`,
		"png:z":                `4 Expected key "z" of format "png:z" to be an integer from 0 to 9, got ""`,
		"png:z=1:z=x":          `4 Expected key "z" of format "png:z=1:z=x" to be an integer from 0 to 9, got "x"`,
		"png:s=foo":            `4 Expected key "s" of format "png:s=foo" to be default|filtered|fixed|huff|rle, got "foo"`,
		"png:f=sub|x":          `4 Expected key "f" of format "png:f=sub|x" to be no|all|fast, or some of none, sub, up, avg and paeth joined by |, got "sub|x"`,
		"png:t=3":              `4 Expected key "t" of format "png:t=3" to be 0|1|2, got "3"`,
		"png:level=9":          `4 Expected keys of format "png:level=9" to be known ones (s, z, f, t), got "level"`,
		"png:":                 `4 Expected keys of format "png:" to be known ones (s, z, f, t), got ""`,
		"png::z=1":             `4 Expected keys of format "png::z=1" to be known ones (s, z, f, t), got ""`,
		"image/png; mode=9bit": `4 Expected the mode of format "image/png; mode=9bit" to be 16bit|1bit|24bit|32bit|8bit, got "9bit"`,
		"image/png; q=1":       `4 Expected parameters of format "image/png; q=1" to be known ones (mode), got "q"`,
		"png9":                 unknownImage("png9"),
		"pgn:z=1":              unknownImage("pgn:z=1"),
		":z=1":                 unknownImage(":z=1"),
		"80":                   unknownImage("80"),
		"image/pgn; mode=1bit": unknownImage("image/pgn; mode=1bit"),
	} {
		if got := meaning(name); got != want {
			t.Errorf("%q:\n got %s\nwant %s", name, got, want)
		}
	}
}

func TestPaletteMeansPNG8(t *testing.T) {
	for name, want := range map[string]string{
		"": "png8 null", "png": "png8 null", "png24:z=9": `png8 {"level":"small"}`, "png32": "png8 null", "png8:t=1": `png8 {"transparency":"binary"}`,
		"png:t=0": `png8 {"transparency":"none"}`, "image/png; mode=24bit": "png8 null", "tiff": "tiff null", "bmp": "bmp null",
	} {
		c, err := Choose(name, "", "image", []byte(`{"palette":{"$buffer":0}}`))
		if err != nil {
			t.Fatal(name, err)
		}
		s, _ := json.Marshal(c.settings)
		if got := c.Name + " " + string(s); got != want {
			t.Errorf("%q: got %s, want %s", name, got, want)
		}
	}
	if c, err := Choose("png", "", "image", []byte(`{"palette":null}`)); err != nil || c.Name != "png" {
		t.Errorf("no palette: got %s, %v", c.Name, err)
	}
	_, err := mustFind(t, "tiff").New(nil, []byte(`{"width":1,"height":1}`), []byte(`{"palette":{"$buffer":0}}`), [][]byte{{}})
	if f := fault.From(err); f.Code != fault.Option {
		t.Errorf("tiff with a palette: got %v", err)
	}
}

func mustFind(t *testing.T, name string) *Format {
	c, err := find(name, "image", nil)
	if err != nil {
		t.Fatal(err)
	}
	return c.Format
}

func unknownImage(name string) string {
	var rows []*Format
	for i := range All {
		if All[i].Source == "image" {
			rows = append(rows, &All[i])
		}
	}
	return "3 " + unknown(name, rows).Error()
}

func TestGivenOptionsWin(t *testing.T) {
	s := Settings{"level": "small", "color": "rgb"}
	for options, want := range map[string]string{
		``:                       `{"color":"rgb","level":"small"}`,
		`{}`:                     `{"color":"rgb","level":"small"}`,
		`{"level":"fast"}`:       `{"color":"rgb","level":"fast"}`,
		`{"level":null,"x":[1]}`: `{"color":"rgb","level":"small","x":[1]}`,
		`[]`:                     `[]`,
	} {
		got, err := s.under([]byte(options))
		if err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v", options, got, err)
		}
	}
}

// Every name of the table finds its own row, and no two rows share one. What names ask for are options that the row has.
func TestNamesAreDistinct(t *testing.T) {
	seen := map[string]string{}
	for i := range All {
		f := &All[i]
		known := map[string]bool{}
		for _, d := range Describe() {
			if d.Name == f.Name {
				for o := range d.Options {
					known[o] = true
				}
			}
		}
		check := func(s Settings) {
			for o := range s {
				if !known[o] {
					t.Errorf("%s has no option %q", f.Name, o)
				}
			}
		}
		for _, n := range f.Names {
			if other, ok := seen[n+" "+f.Source]; ok {
				t.Errorf("%q is %s and %s", n, f.Name, other)
			}
			seen[n+" "+f.Source] = f.Name
			if c, err := find(n, f.Source, nil); err != nil || c.Name != f.Name {
				t.Errorf("%q: got %v, %v", n, c.Format, err)
			}
		}
		for n, s := range f.Variants {
			if _, ok := seen[n+" "+f.Source]; !ok {
				t.Errorf("%q is no name of %s", n, f.Name)
			}
			check(s)
		}
		for _, k := range f.Keys {
			for _, value := range []string{"0", "1", "2", "3", "16", "h", "o", "no", "rle", "huff", "tiled", "lzw", "none", "true", "deflate"} {
				if s, ok := k.Read(value); ok {
					check(s)
				}
			}
		}
		for mode, m := range f.Modes {
			if _, err := find(m.Name, f.Source, nil); err != nil {
				t.Errorf("mode %s: %v", mode, err)
			}
		}
	}
}

func FuzzNames(f *testing.F) {
	for _, s := range []string{"png:z=1", "jpeg80:quality=3", "image/png; mode=8bit", "tiff:compression=lzw:method=tiled", ":=;/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		c, err := find(name, "image", nil)
		if err != nil {
			if code := fault.From(err).Code; code != fault.Format && code != fault.Option {
				t.Fatal(err)
			}
			return
		}
		if _, err := c.settings.under(nil); err != nil || c.Format == nil {
			t.Fatal(c, err)
		}
	})
}

func TestNamesWithParametersOfTheirOwn(t *testing.T) {
	for _, name := range []string{"application/gml+xml; version=3.2", "Application/GML+XML;version=3.2", "text/xml ; subtype=gml/3.2", "application/gml+xml"} {
		if c, err := find(name, "features", nil); err != nil || c.Name != "gml32" {
			t.Errorf("%s: got %v, %v", name, c.Format, err)
		}
	}
	if _, err := find("text/xml; subtype=gml/9", "features", nil); err == nil {
		t.Error("text/xml; subtype=gml/9 was found")
	}
}
