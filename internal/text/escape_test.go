package text

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// strings that escapers must take: of bytes that matter, in any order.
func someText(r *rand.Rand) []byte {
	pieces := []string{"a", "plain text", "<", ">", "&", `"`, "'", "\\", "\n", "\r", "\r\n", "\t", "\x00", "\x1b", "\x7f", "é", "漢", "😀", "\xff", "\xed\xa0\x80", "\xc3", "\uFFFE", "\uFFFF", "\uFFFD", ",", " ", "]]>", "\u2028"}
	var b []byte
	for range r.IntN(8) {
		b = append(b, pieces[r.IntN(len(pieces))]...)
	}
	return b
}

// forXML is what a parser should read: characters that XML does not have are replaced.
func forXML(s []byte) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
			return utf8.RuneError
		}
		return r
	}, eachByte(s))
}

// eachByte replaces bytes that are no UTF-8, one by one.
func eachByte(s []byte) string { return string([]rune(string(s))) }

func TestParsersReadWhatWasEscaped(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20_000 {
		s := someText(r)
		var x struct {
			A string `xml:"a,attr"`
			T string `xml:",chardata"`
		}
		document := append(AppendXML(append(AppendXML([]byte(`<x a="`), s), `">`...), s), "</x>"...)
		if err := xml.Unmarshal(document, &x); err != nil || x.A != forXML(s) || x.T != forXML(s) {
			t.Fatalf("%q: read %q from %s: %v", s, x, document, err)
		}
		var j string
		document = AppendQuoted(nil, s)
		if err := json.Unmarshal(document, &j); err != nil || j != eachByte(s) || !utf8.Valid(document) {
			t.Fatalf("%q: read %q from %s: %v", s, j, document, err)
		}
		document = append(AppendField(nil, s), ",end\r\n"...)
		fields, err := csv.NewReader(bytes.NewReader(document)).Read()
		want := strings.ReplaceAll(eachByte(s), "\r\n", "\n") // that reader's own doing
		if err != nil || len(fields) != 2 || fields[0] != want {
			t.Fatalf("%q: read %q from %q: %v", s, fields, document, err)
		}
	}
	if got := string(AppendField(nil, nil)); got != `""` {
		t.Errorf("an empty string is %s", got)
	}
}

func TestDates(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	const second = int64(1e9)
	for range 50_000 {
		ns := r.Int64N(4e18) - 2e18
		at := time.Unix(0, ns).UTC()
		days, _ := floor(ns, 86400*second)
		if got, want := string(AppendDate(nil, days)), at.Format("2006-01-02"); got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
		for _, c := range []struct {
			perSecond int64
			decimals  int
		}{{1, 0}, {1e3, 3}, {1e6, 6}, {1e9, 9}} {
			v, _ := floor(ns, second/c.perSecond)
			want := time.Unix(0, v*(second/c.perSecond)).UTC().Format("2006-01-02T15:04:05.999999999Z")
			if got := string(AppendTime(nil, v, c.perSecond, c.decimals)); got != want {
				t.Fatalf("got %s, want %s", got, want)
			}
		}
	}
	for days, want := range map[int64]string{-719528: "0000-01-01", -719529: "-0001-12-31", 2932897: "10000-01-01", 19782: "2024-02-29", -719162: "0001-01-01"} {
		if got := string(AppendDate(nil, days)); got != want {
			t.Errorf("day %d: got %s, want %s", days, got, want)
		}
	}
	for _, v := range []int64{-1 << 63, 1<<63 - 1} { // what no calendar has still is no reason to panic
		for _, perSecond := range []int64{1, 1e9} {
			if got := AppendTime(nil, v, perSecond, 0); len(got) < 20 {
				t.Errorf("%d: got %s", v, got)
			}
		}
	}
}
