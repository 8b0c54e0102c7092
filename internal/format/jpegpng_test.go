package format

import (
	"bytes"
	"testing"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
)

func TestJPEGOrPNGOfNoPixels(t *testing.T) {
	var out bytes.Buffer
	e, err := mustFind(t, "image/vnd.jpeg-png").New(flow.Unlimited(&out), []byte(`{"width":2,"height":2,"whole":true}`), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); fault.From(err).Code != fault.Input || out.Len() > 0 {
		t.Errorf("got %v and %d bytes", err, out.Len())
	}
}
