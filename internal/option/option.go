// Package option decodes options strictly: an option that is unknown, of the wrong type or out of range is an error that
// says what was expected and what came. JavaScript passes options on unseen, so this is the one place that judges them.
package option

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/sluice-js/sluice/internal/fault"
)

// Bytes is an option that is handed over as a buffer beside the JSON, where {"$buffer": i} stands for it.
type Bytes []byte

// Spec describes one option, for documentation and for tests that hold the TypeScript types against it.
type Spec struct {
	Type    string   `json:"type"` // "string", "integer", "number", "boolean", "bytes", "color", "list" or "record" (of strings), "numbers", or "object"
	Choices []string `json:"choices,omitempty"`
	Min     *float64 `json:"min,omitempty"`
	Max     *float64 `json:"max,omitempty"`
}

// Decode reads the JSON object raw into the struct that into points to and that holds the defaults. scope names the
// object in messages: "png", "image".
//
// A field's `json` tag is the option's name. A string or a list of strings may have a tag `choices:"a|b|c"`, a number
// `range:"min,max"`, both ends allowed. An empty raw and null values leave the defaults. A json.RawMessage takes an object
// that somebody else decodes.
func Decode(scope string, raw []byte, buffers [][]byte, into any) error {
	if len(raw) == 0 {
		return nil
	}
	fields, options := fieldsOf(into), reflect.ValueOf(into).Elem()
	var values map[string]json.RawMessage
	if err := json.Unmarshal(raw, &values); err != nil {
		if !json.Valid(raw) {
			return fault.Newf(fault.Option, "Expected %s options to be valid JSON, got %s: %v", scope, clip(raw), err)
		}
		return fault.Newf(fault.Option, "Expected %s options to be an object, got %s", scope, clip(raw))
	}
	for _, key := range sorted(values) {
		f, ok := fields[key]
		if !ok && len(fields) == 0 {
			return fault.Newf(fault.Option, "Expected no %s options, got %q", scope, key)
		}
		if !ok {
			return fault.Newf(fault.Option, "Expected a known %s option (%s), got %q", scope, strings.Join(sorted(fields), ", "), key)
		}
		if value := values[key]; !bytes.Equal(value, []byte("null")) {
			if !f.set(options.FieldByIndex(f.index), value, buffers) {
				return fault.Newf(fault.Option, "Expected %s option %q to be %s, got %s", scope, key, f.expected(), clip(value))
			}
		}
	}
	return nil
}

// Specs describes the options of the struct that defaults points to, by name.
func Specs(defaults any) map[string]Spec {
	specs := map[string]Spec{}
	for name, f := range fieldsOf(defaults) {
		s := Spec{Type: f.typeName(), Choices: f.choices}
		if f.limited {
			s.Min, s.Max = &f.min, &f.max
		}
		specs[name] = s
	}
	return specs
}

// field is what the type of a field and its tags say.
type field struct {
	index    []int
	kind     reflect.Type
	choices  []string
	limited  bool
	min, max float64
}

// known holds the fields of every struct type that was asked for: reading tags takes longer than reading options.
var known sync.Map // reflect.Type to map[string]field

func fieldsOf(into any) map[string]field {
	t := reflect.TypeOf(into).Elem()
	if fields, ok := known.Load(t); ok {
		return fields.(map[string]field)
	}
	fields := map[string]field{}
	collect(t, nil, fields)
	known.Store(t, fields)
	return fields
}

// collect adds the fields of the struct type at index, and those of structs embedded in it.
func collect(structure reflect.Type, index []int, fields map[string]field) {
	for i := range structure.NumField() {
		t := structure.Field(i)
		at := append(slices.Clip(index), i)
		if t.Anonymous {
			collect(t.Type, at, fields)
			continue
		}
		name := t.Tag.Get("json")
		if name == "" || name == "-" {
			continue
		}
		f := field{index: at, kind: t.Type}
		if c := t.Tag.Get("choices"); c != "" {
			f.choices = strings.Split(c, "|")
		}
		if r := t.Tag.Get("range"); r != "" {
			low, high, _ := strings.Cut(r, ",")
			f.limited = true
			f.min, _ = strconv.ParseFloat(low, 64)
			f.max, _ = strconv.ParseFloat(high, 64)
		}
		fields[name] = f
	}
}

// set stores raw in the field's value; false when it does not fit.
func (f field) set(value reflect.Value, raw json.RawMessage, buffers [][]byte) bool {
	if f.typeName() == "bytes" {
		var ref struct {
			Buffer *int `json:"$buffer"`
		}
		if json.Unmarshal(raw, &ref) != nil || ref.Buffer == nil || *ref.Buffer < 0 || *ref.Buffer >= len(buffers) {
			return false
		}
		value.SetBytes(buffers[*ref.Buffer])
		return true
	}
	got := reflect.New(f.kind)
	if json.Unmarshal(raw, got.Interface()) != nil {
		return false
	}
	v := got.Elem()
	switch f.typeName() {
	case "string":
		if f.choices != nil && !slices.Contains(f.choices, v.String()) {
			return false
		}
	case "list":
		for _, s := range v.Interface().([]string) {
			if f.choices != nil && !slices.Contains(f.choices, s) {
				return false
			}
		}
	case "object":
		if raw[0] != '{' {
			return false
		}
	case "integer":
		if n := float64(v.Int()); f.limited && (n < f.min || n > f.max) {
			return false
		}
	case "number":
		if n := v.Float(); f.limited && (n < f.min || n > f.max) {
			return false
		}
	}
	value.Set(v)
	return true
}

func (f field) expected() string {
	switch t := f.typeName(); {
	case t == "record":
		return "an object of strings"
	case t == "list" && f.choices != nil:
		return "a list of " + strings.Join(f.choices, "|")
	case f.choices != nil:
		return strings.Join(f.choices, "|")
	case f.limited:
		return fmt.Sprintf("%s from %v to %v", article(t), number(f.min), number(f.max))
	case t == "numbers":
		return "a list of numbers"
	case t == "bytes":
		return "a Uint8Array"
	case t == "color":
		return `a colour such as "#ffffff"`
	default:
		return article(t)
	}
}

func (f field) typeName() string {
	switch f.kind.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int32, reflect.Int64:
		return "integer"
	case reflect.Float64:
		return "number"
	}
	switch f.kind {
	case reflect.TypeFor[Bytes]():
		return "bytes"
	case reflect.TypeFor[Color]():
		return "color"
	case reflect.TypeFor[[]string]():
		return "list"
	case reflect.TypeFor[[]float64]():
		return "numbers"
	case reflect.TypeFor[map[string]string]():
		return "record"
	case reflect.TypeFor[json.RawMessage]():
		return "object"
	}
	panic("option: no rule for " + f.kind.String())
}

func article(t string) string {
	if strings.ContainsRune("aeiou", rune(t[0])) {
		return "an " + t
	}
	return "a " + t
}

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// clip shortens a value for a message.
func clip(raw []byte) string {
	const most = 80
	if bytes.HasPrefix(raw, []byte(`{"$buffer":`)) {
		return "a Uint8Array"
	}
	s := strings.ToValidUTF8(string(raw), "\uFFFD")
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
