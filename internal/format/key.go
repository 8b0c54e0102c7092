package format

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// What node-mapnik's strings may say, per family, and what it means here. Where mapnik passes over a wrong value in
// silence, it is an error.

// pngVariants are the names that fix the samples, by the bits of a pixel.
var pngVariants = map[string]Settings{
	"png24": {"color": "rgb"}, "image/png24": {"color": "rgb"},
	"png32": {"color": "rgba"}, "image/png32": {"color": "rgba"},
}

// pngModes are what QGIS Server calls the bits of a pixel.
var pngModes = map[string]Meaning{
	"8bit":  {"png8", nil},
	"1bit":  {"png", Settings{"color": "mono"}},
	"16bit": {"png", Settings{"color": "argb4444"}},
	"24bit": {"png24", nil},
	"32bit": {"png32", nil},
}

// png8Keys are those of a palette. There is one way to choose colours, so m only says that mapnik would know it too.
var png8Keys = append([]Key{
	integer("c", "colors", 1, 256),
	words("m", map[string]Settings{"h": nil, "o": nil}),
	words("t", map[string]Settings{"0": {"transparency": "none"}, "1": {"transparency": "binary"}, "2": {"transparency": "full"}}),
	decimal("g", "paletteGamma", 0, 100),
}, pngKeys[:3]...)

// pngKeys are those of an image that is no palette. Strategies come first: rle and huff ask for speed, whatever z says.
var pngKeys = []Key{
	words("s", map[string]Settings{
		"default": nil, "filtered": nil, "fixed": nil, "huff": {"level": "fastest"}, "rle": {"level": "fastest"},
	}),
	zlibLevel("z", "level"),
	{"f", "no|all|fast, or some of none, sub, up, avg and paeth joined by |", isFilter},
	words("t", map[string]Settings{"0": {"color": "rgb"}, "1": nil, "2": nil}),
}

// zlibLevel reads the numbers that zlib gives its levels.
func zlibLevel(name, option string) Key {
	return Key{name, between("an integer", 0, 9), func(value string) (Settings, bool) {
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n > 9 {
			return nil, false
		}
		return Settings{option: [10]string{"stored", "fast", 2: "balanced", 3: "balanced", 4: "balanced", 5: "balanced", 6: "balanced", 7: "small", 8: "small", 9: "small"}[n]}, true
	}}
}

// isFilter checks PNG's filters, which the encoder chooses by itself.
func isFilter(value string) (Settings, bool) {
	if slices.Contains([]string{"no", "all", "fast"}, value) {
		return nil, true
	}
	for f := range strings.SplitSeq(value, "|") {
		if !slices.Contains([]string{"none", "sub", "up", "avg", "paeth"}, f) {
			return nil, false
		}
	}
	return nil, true
}

// switched reads a boolean, as mapnik spells it or as C does.
func switched(name, option string) Key {
	return words(name, map[string]Settings{"0": {option: false}, "1": {option: true}, "false": {option: false}, "true": {option: true}})
}

// unused reads a value that has no meaning here.
func unused(k Key) Key {
	read := k.Read
	k.Read = func(value string) (Settings, bool) {
		_, ok := read(value)
		return nil, ok
	}
	return k
}

var jpegKeys = []Key{integer("quality", "quality", 0, 100)}

var webpKeys = []Key{
	decimal("quality", "quality", 0, 100),
	integer("method", "method", 0, 6),
	switched("lossless", "lossless"),
	switched("alpha", "alpha"),
	integer("alpha_quality", "alphaQuality", 0, 100),
	integer("alpha_filtering", "alphaFiltering", 0, 2),
	switched("alpha_compression", "alphaCompression"),
	words("image_hint", map[string]Settings{"0": {"hint": "default"}, "1": {"hint": "picture"}, "2": {"hint": "photo"}, "3": {"hint": "graph"}}),
	integer("target_size", "targetSize", 0, 1<<31-1),
	decimal("target_psnr", "targetPsnr", 0, 99),
	integer("segments", "segments", 1, 4),
	integer("sns_strength", "noiseShaping", 0, 100),
	integer("filter_strength", "filterStrength", 0, 100),
	integer("filter_sharpness", "filterSharpness", 0, 7),
	words("filter_type", map[string]Settings{"0": {"filterType": "simple"}, "1": {"filterType": "strong"}}),
	switched("autofilter", "autofilter"),
	integer("pass", "passes", 1, 10),
	unused(integer("preprocessing", "", 0, 7)),
	unused(integer("partitions", "", 0, 3)),
	unused(integer("partition_limit", "", 0, 100)),
}

var tiffKeys = []Key{
	words("compression", map[string]Settings{
		"none": {"compression": "none"}, "lzw": {"compression": "lzw"}, "deflate": {"compression": "deflate"}, "adobedeflate": {"compression": "deflate"},
	}),
	words("method", map[string]Settings{"scanline": {"rowsPerStrip": 1}, "strip": nil, "tiled": {"tiled": true}}),
	zlibLevel("zlevel", "level"),
	integer("rows_per_strip", "rowsPerStrip", 0, 1<<20),
	integer("tile_width", "tileWidth", 0, 1<<20),
	integer("tile_height", "tileHeight", 0, 1<<20),
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
