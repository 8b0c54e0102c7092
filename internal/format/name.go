package format

import (
	"encoding/json"
	"maps"
	"strconv"
	"strings"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
)

// Settings are values of a format's own options, by name.
type Settings map[string]any

// Key is one key of the strings that node-mapnik's users pass: the z of "png:z=9".
type Key struct {
	Name     string
	Expected string // what a value must be, for messages
	// Read returns what a value asks for, which may be nothing; false when it is not as expected.
	Read func(value string) (Settings, bool)
}

// Meaning is what a parameter's value stands for: a name of the table, with settings.
type Meaning struct {
	Name     string
	Settings Settings
}

// Choice is a row of the table and what its name asked for besides.
type Choice struct {
	*Format
	settings Settings
}

// New makes an encoder. Options that the caller gave win over those of the name; an option given as null is not given.
func (c Choice) New(w *flow.Writer, source, options []byte, buffers [][]byte) (Encoder, error) {
	if len(c.settings) > 0 {
		merged, err := c.settings.under(options)
		if err != nil {
			return nil, err
		}
		options = merged
	}
	return c.Format.New(w, source, options, buffers)
}

// under returns options with s for those that are missing. What is no object is left to those who decode it.
func (s Settings) under(options []byte) ([]byte, error) {
	values := map[string]json.RawMessage{}
	if len(options) > 0 && json.Unmarshal(options, &values) != nil {
		return options, nil
	}
	for name, value := range s {
		if given, ok := values[name]; ok && string(given) != "null" {
			continue
		}
		b, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		values[name] = b
	}
	return json.Marshal(values)
}

// parse finds what name means among rows. A name is, in any case,
//
//   - one of a row's names, or of its variants, with its parameters if it has any;
//   - node-mapnik's: name[number](:key[=value])*, where the first of equal keys counts;
//   - a media type with parameters: type/subtype(; key=value)*, of which mode is known.
//
// Options may lead to another row: a palette makes png a png8.
func parse(name string, options []byte, rows []*Format) (Choice, error) {
	lower := strings.ToLower(strings.TrimSpace(name))
	if c, ok := lookUp(spaced(lower), rows); ok { // parameters may be a part of a row's name
		return c.instead(options, rows), nil
	}
	if media, parameters, ok := strings.Cut(lower, ";"); ok && strings.Contains(media, "/") {
		c, err := parseMediaType(name, strings.TrimSpace(media), parameters, rows)
		return c.instead(options, rows), err
	}
	base, rest, more := strings.Cut(lower, ":")
	c, ok := lookUp(strings.TrimSpace(base), rows)
	if !ok {
		var err error
		if c, ok, err = lookUpNumbered(name, strings.TrimSpace(base), rows); err != nil {
			return Choice{}, err
		}
	}
	if !ok {
		return Choice{}, unknown(name, rows)
	}
	c = c.instead(options, rows)
	if !more {
		return c, nil
	}
	return c, c.readKeys(name, rest)
}

// spaced returns a media type with one space before each parameter, as names in the table have it.
func spaced(name string) string {
	parts := strings.Split(name, ";")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return strings.Join(parts, "; ")
}

// instead returns the row that the given options belong to.
func (c Choice) instead(options []byte, rows []*Format) Choice {
	if c.Format == nil || len(c.Instead) == 0 {
		return c
	}
	var given map[string]json.RawMessage
	if json.Unmarshal(options, &given) != nil {
		return c // those who decode options find what is wrong with them
	}
	for option, row := range c.Instead {
		if value, ok := given[option]; ok && string(value) != "null" {
			other, _ := lookUp(row, rows)
			return other
		}
	}
	return c
}

func unknown(name string, rows []*Format) error {
	var known []string
	for _, f := range rows {
		known = append(known, f.Names...)
	}
	return fault.Newf(fault.Format, "Expected a known %s format (%s), got %.80q", rows[0].Source, strings.Join(known, ", "), name)
}

// lookUp finds a name without keys.
func lookUp(name string, rows []*Format) (Choice, bool) {
	for _, f := range rows {
		for _, n := range f.Names {
			if n == name {
				return Choice{f, maps.Clone(f.Variants[n])}, true
			}
		}
	}
	return Choice{}, false
}

// lookUpNumbered finds a name with a number behind it: jpeg80.
func lookUpNumbered(name, base string, rows []*Format) (Choice, bool, error) {
	word := strings.TrimRight(base, "0123456789")
	c, ok := lookUp(word, rows)
	if !ok || word == base || c.Number == "" {
		return Choice{}, false, nil
	}
	k, _ := c.key(c.Number)
	s, ok := k.Read(base[len(word):])
	if !ok {
		return Choice{}, false, fault.Newf(fault.Option, "Expected the number in format %.80q to be %s, got %q", name, k.Expected, base[len(word):])
	}
	return c.with(s), true, nil
}

// with returns c with s under what it asks for already.
func (c Choice) with(s Settings) Choice {
	all := maps.Clone(s)
	if all == nil {
		all = Settings{}
	}
	maps.Copy(all, c.settings)
	return Choice{c.Format, all}
}

func (f *Format) key(name string) (Key, bool) {
	for _, k := range f.Keys {
		if k.Name == name {
			return k, true
		}
	}
	return Key{}, false
}

// readKeys reads what follows the first colon. Where two keys set one option, the one that the row lists first counts; a
// number behind the name counts less than any key, and what a variant's name says more.
func (c *Choice) readKeys(name, rest string) error {
	read := map[string]Settings{}
	for part := range strings.SplitSeq(rest, ":") {
		word, value, _ := strings.Cut(part, "=")
		word, value = strings.TrimSpace(word), strings.TrimSpace(value)
		k, ok := c.key(word)
		if !ok {
			return fault.Newf(fault.Option, "Expected keys of format %.80q to be known ones (%s), got %q", name, c.keyNames(), word)
		}
		s, ok := k.Read(value)
		if !ok {
			return fault.Newf(fault.Option, "Expected key %q of format %.80q to be %s, got %q", word, name, k.Expected, value)
		}
		if _, twice := read[word]; !twice {
			read[word] = s
		}
	}
	fixed := c.Variants[c.variant(name)]
	all := Settings{}
	for _, s := range []Settings{c.settings, fixed} {
		maps.Copy(all, s)
	}
	set := map[string]bool{}
	for n := range fixed {
		set[n] = true
	}
	for _, k := range c.Keys {
		for n, v := range read[k.Name] {
			if !set[n] {
				set[n], all[n] = true, v
			}
		}
	}
	c.settings = all
	return nil
}

// variant returns the part of a name before its keys, in lower case.
func (c *Choice) variant(name string) string {
	base, _, _ := strings.Cut(strings.ToLower(name), ":")
	return strings.TrimSpace(base)
}

func (f *Format) keyNames() string {
	if len(f.Keys) == 0 {
		return "it has none"
	}
	names := make([]string, len(f.Keys))
	for i, k := range f.Keys {
		names[i] = k.Name
	}
	return strings.Join(names, ", ")
}

// parseMediaType reads a media type's parameters (RFC 9110, 8.3.1), of which WMS servers give mode a meaning.
func parseMediaType(name, media, parameters string, rows []*Format) (Choice, error) {
	c, ok := lookUp(media, rows)
	if !ok {
		return Choice{}, unknown(name, rows)
	}
	for parameter := range strings.SplitSeq(parameters, ";") {
		word, value, _ := strings.Cut(parameter, "=")
		word, value = strings.TrimSpace(word), strings.Trim(strings.TrimSpace(value), `"`)
		if word == "" && value == "" {
			continue
		}
		if word != "mode" || len(c.Modes) == 0 {
			return Choice{}, fault.Newf(fault.Option, "Expected parameters of format %.80q to be known ones (%s), got %q", name, c.parameterNames(), word)
		}
		m, ok := c.Modes[value]
		if !ok {
			return Choice{}, fault.Newf(fault.Option, "Expected the mode of format %.80q to be %s, got %q", name, alternatives(c.Modes), value)
		}
		c, _ = lookUp(m.Name, rows)
		return c.with(m.Settings), nil // the first of equal ones counts
	}
	return c, nil
}

func (f *Format) parameterNames() string {
	if len(f.Modes) == 0 {
		return "it has none"
	}
	return "mode"
}

// alternatives lists the keys of m.
func alternatives[V any](m map[string]V) string { return strings.Join(sortedKeys(m), "|") }

// integer reads whole numbers as the value of an option.
func integer(name, option string, low, high int) Key {
	return Key{name, between("an integer", low, high), func(value string) (Settings, bool) {
		n, err := strconv.Atoi(value)
		return Settings{option: n}, err == nil && n >= low && n <= high
	}}
}

// decimal reads numbers as the value of an option.
func decimal(name, option string, low, high float64) Key {
	expected := "a number from " + strconv.FormatFloat(low, 'f', -1, 64) + " to " + strconv.FormatFloat(high, 'f', -1, 64)
	return Key{name, expected, func(value string) (Settings, bool) {
		n, err := strconv.ParseFloat(value, 64)
		return Settings{option: n}, err == nil && n >= low && n <= high
	}}
}

func between(what string, low, high int) string {
	return what + " from " + strconv.Itoa(low) + " to " + strconv.Itoa(high)
}

// words reads one of several values, each of which asks for something.
func words(name string, meanings map[string]Settings) Key {
	return Key{name, alternatives(meanings), func(value string) (Settings, bool) {
		s, ok := meanings[value]
		return s, ok
	}}
}
