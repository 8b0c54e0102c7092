// Package verbatim passes bytes on as they are.
package verbatim

import (
	"strings"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/option"
)

// Header describes the bytes that come.
type Header struct {
	Type string `json:"type"` // their media type
}

// Options is empty: there is nothing to choose.
type Options struct{}

// Encoder writes what it gets.
type Encoder struct {
	w         *flow.Writer
	mediaType string
}

// New makes an Encoder of what source, a Header in JSON, describes.
func New(w *flow.Writer, source, options []byte, buffers [][]byte) (*Encoder, error) {
	h := Header{Type: "application/octet-stream"}
	if err := option.Decode("bytes", source, nil, &h); err != nil {
		return nil, err
	}
	if !isMediaType(h.Type) {
		return nil, fault.Newf(fault.Option, `Expected bytes option "type" to be a media type such as text/csv, got %.80q`, h.Type)
	}
	if err := option.Decode("bytes", options, buffers, &Options{}); err != nil {
		return nil, err
	}
	return &Encoder{w, h.Type}, nil
}

// Write passes the bytes of p on.
func (e *Encoder) Write(p flow.Part) error {
	for _, b := range p.Buffers {
		if _, err := e.w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// Close has nothing to add.
func (e *Encoder) Close() error { return nil }

// Info says what the bytes are.
func (e *Encoder) Info() flow.Info { return flow.Info{MediaType: e.mediaType} }

// isMediaType reports whether s can stand in a Content-Type: RFC 9110, 8.3.1. Of parameters it only sees that they break no
// header.
func isMediaType(s string) bool {
	essence, parameters, _ := strings.Cut(s, ";")
	kind, subtype, found := strings.Cut(strings.TrimRight(essence, " \t"), "/")
	return found && isToken(kind) && isToken(subtype) &&
		!strings.ContainsFunc(parameters, func(r rune) bool { return r != '\t' && (r < ' ' || r > '~') })
}

// isToken reports whether s is a token: RFC 9110, 5.6.2.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
}
