package option

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/sluice-js/sluice/internal/fault"
)

type sample struct {
	Level   string            `json:"level" choices:"slow|fast"`
	Colors  int               `json:"colors" range:"1,256"`
	Gamma   float64           `json:"gamma" range:"0,10"`
	Reduce  bool              `json:"reduce"`
	Title   string            `json:"title"`
	ICC     Bytes             `json:"icc"`
	Coding  []string          `json:"coding" choices:"gzip|zstd"`
	Nested  json.RawMessage   `json:"nested"`
	Text    map[string]string `json:"text"`
	Ground  Color             `json:"ground"`
	private int
}

func defaults() *sample {
	return &sample{Level: "fast", Colors: 256, Gamma: 1, Reduce: true, Ground: White}
}

func TestDecode(t *testing.T) {
	buffers := [][]byte{[]byte("profile")}
	for raw, want := range map[string]sample{
		``:                                     *defaults(),
		`{}`:                                   *defaults(),
		`{"level":null}`:                       *defaults(),
		`{"level":"slow","colors":1}`:          {Level: "slow", Colors: 1, Gamma: 1, Reduce: true, Ground: White},
		`{"coding":["zstd"],"nested":{"a":1}}`: {Level: "fast", Colors: 256, Gamma: 1, Reduce: true, Ground: White, Coding: []string{"zstd"}, Nested: json.RawMessage(`{"a":1}`)},
		`{"reduce":false,"gamma":2.5}`:         {Level: "fast", Colors: 256, Gamma: 2.5, Ground: White},
		`{"ground":"#0aF"}`:                    {Level: "fast", Colors: 256, Gamma: 1, Reduce: true, Ground: Color{0, 0xaa, 0xff}},
		`{"ground":"#010203"}`:                 {Level: "fast", Colors: 256, Gamma: 1, Reduce: true, Ground: Color{1, 2, 3}},
		`{"icc":{"$buffer":0},"title":"a\"b"}`: {Level: "fast", Colors: 256, Gamma: 1, Reduce: true, Ground: White, Title: `a"b`, ICC: buffers[0]},
	} {
		got := defaults()
		if err := Decode("test", []byte(raw), buffers, got); err != nil {
			t.Errorf("%s: %v", raw, err)
		} else if !reflect.DeepEqual(*got, want) {
			t.Errorf("%s: got %+v", raw, *got)
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	for raw, want := range map[string]string{
		`{"level":"hgih"}`:         `Expected test option "level" to be slow|fast, got "hgih"`,
		`{"level":3}`:              `Expected test option "level" to be slow|fast, got 3`,
		`{"colors":0}`:             `Expected test option "colors" to be an integer from 1 to 256, got 0`,
		`{"colors":1.5}`:           `Expected test option "colors" to be an integer from 1 to 256, got 1.5`,
		`{"colors":"8"}`:           `Expected test option "colors" to be an integer from 1 to 256, got "8"`,
		`{"gamma":-1}`:             `Expected test option "gamma" to be a number from 0 to 10, got -1`,
		`{"reduce":1}`:             `Expected test option "reduce" to be a boolean, got 1`,
		`{"icc":"x"}`:              `Expected test option "icc" to be a Uint8Array, got "x"`,
		`{"icc":{"$buffer":1}}`:    `Expected test option "icc" to be a Uint8Array, got a Uint8Array`,
		`{"icc":{"$buffer":-1}}`:   `Expected test option "icc" to be a Uint8Array, got a Uint8Array`,
		`{"lvl":1}`:                `Expected a known test option (coding, colors, gamma, ground, icc, level, nested, reduce, text, title), got "lvl"`,
		`{"private":1}`:            `Expected a known test option (coding, colors, gamma, ground, icc, level, nested, reduce, text, title), got "private"`,
		`{"coding":["gzip","br"]}`: `Expected test option "coding" to be a list of gzip|zstd, got ["gzip","br"]`,
		`{"coding":"gzip"}`:        `Expected test option "coding" to be a list of gzip|zstd, got "gzip"`,
		`{"text":{"a":1}}`:         `Expected test option "text" to be an object of strings, got {"a":1}`,
		`{"nested":[1]}`:           `Expected test option "nested" to be an object, got [1]`,
		`{"level":{"$buffer":0}}`:  `Expected test option "level" to be slow|fast, got a Uint8Array`,
		`{"ground":"white"}`:       `Expected test option "ground" to be a colour such as "#ffffff", got "white"`,
		`{"ground":"#12345"}`:      `Expected test option "ground" to be a colour such as "#ffffff", got "#12345"`,
		`{"ground":"#12345g"}`:     `Expected test option "ground" to be a colour such as "#ffffff", got "#12345g"`,
		`{"ground":"123456"}`:      `Expected test option "ground" to be a colour such as "#ffffff", got "123456"`,
		`{"ground":[1,2,3]}`:       `Expected test option "ground" to be a colour such as "#ffffff", got [1,2,3]`,
		`[]`:                       `Expected test options to be an object, got []`,
		`{"level":"fast"}x`:        `Expected test options to be valid JSON, got {"level":"fast"}x: invalid character 'x' after top-level value`,
	} {
		err := Decode("test", []byte(raw), nil, defaults())
		f, ok := err.(*fault.Error)
		if !ok || f.Code != fault.Option || f.Message != want {
			t.Errorf("%s: got %v", raw, err)
		}
	}
}

func TestSpecs(t *testing.T) {
	s := Specs(defaults())
	if len(s) != 10 || s["ground"].Type != "color" || s["level"].Type != "string" || len(s["level"].Choices) != 2 || *s["colors"].Max != 256 || s["icc"].Type != "bytes" {
		t.Errorf("got %+v", s)
	}
	_ = sample{}.private
}
