package fault

import (
	"errors"
	"fmt"
	"testing"
)

func TestEveryCodeHasAName(t *testing.T) {
	seen := map[string]bool{}
	for c := Internal; c <= Aborted; c++ {
		n := c.Name()
		if n == "" || seen[n] {
			t.Errorf("code %d has the name %q", c, n)
		}
		seen[n] = true
	}
	if len(Names()) != len(seen) {
		t.Errorf("%d names, %d codes", len(Names()), len(seen))
	}
}

func TestFrom(t *testing.T) {
	want := Newf(Input, "short")
	if got := From(fmt.Errorf("strip 3: %w", want)); got != want {
		t.Errorf("got %v", got)
	}
	if got := From(errors.New("oops")); got.Code != Internal || got.Message != "oops" {
		t.Errorf("got %+v", got)
	}
}
