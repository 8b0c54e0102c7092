// Package coding applies HTTP content codings (RFC 9110, 8.4.1) between an encoder and the chunker.
package coding

import (
	"io"
	"slices"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"github.com/sluice-js/sluice/internal/pool"
)

// Identity is no coding at all.
const Identity = "identity"

// window is how far zstd looks back, in bytes. Browsers refuse more than 8 MiB; this costs an open stream a few MiB less.
const window = 1 << 20

// level of gzip and deflate: the fastest that is about as small as zlib's 6 on features.
const level = 6

// compressor is what the codings have in common.
type compressor interface {
	io.WriteCloser
	// Flush makes all that was written decodable.
	Flush() error
	// Reset begins a new stream.
	Reset(w io.Writer)
}

// coding is one row of the table. A row without a constructor is named by Choose, and applied by the caller.
type coding struct {
	name string
	make func() (compressor, error)
	idle pool.Pool[state] // states that streams are done with; each has its compressor
}

// table holds the codings, the best first.
var table = []*coding{
	{name: "zstd", idle: pool.New[state](), make: func() (compressor, error) {
		return zstd.NewWriter(nil, zstd.WithWindowSize(window), zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
	}},
	{name: "br"},
	{name: "gzip", idle: pool.New[state](), make: func() (compressor, error) { return gzip.NewWriterLevel(nil, level) }},
	{name: "deflate", idle: pool.New[state](), make: func() (compressor, error) { return zlib.NewWriterLevel(nil, level) }}, // RFC 9110, 8.4.1.2: in RFC 1950's format
}

// Names returns the codings that Choose knows beside Identity, the best first.
func Names() []string {
	var names []string
	for _, c := range table {
		names = append(names, c.name)
	}
	return names
}

// Choose returns the first of ranked, which are known names in order of preference, that suits: Identity alone suits what is
// compressed already, unless it is not in the list.
func Choose(ranked []string, compressed bool) string {
	if len(ranked) == 0 || compressed && slices.Contains(ranked, Identity) {
		return Identity
	}
	return ranked[0]
}
