package arrowipc

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
)

// run converts a stream that comes in pieces of cut bytes.
func run(input []byte, codec string, level, cut int) ([]byte, error) {
	var out bytes.Buffer
	w := flow.Unlimited(&out)
	e, err := New(w, fmt.Appendf(nil, `{"codec":%q,"level":%d}`, codec, level), nil, nil)
	if err != nil {
		return nil, err
	}
	for len(input) > 0 && err == nil {
		n := min(max(cut, 1), len(input))
		err = e.Write(flow.Part{Buffers: [][]byte{input[:n]}})
		input = input[n:]
	}
	if err == nil {
		err = e.Close()
	}
	if err != nil {
		w.Abort(fault.From(err))
	}
	w.Wait()
	return out.Bytes(), err
}

func convert(t testing.TB, input []byte, codec string, level, cut int) []byte {
	t.Helper()
	out, err := run(input, codec, level, cut)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
