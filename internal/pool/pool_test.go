package pool

import (
	"runtime"
	"testing"
)

func TestPool(t *testing.T) {
	p := New[int]()
	if v := p.Get(); *v != 0 {
		t.Errorf("got %d", *v)
	}
	seen := map[*int]bool{}
	for range runtime.NumCPU() {
		v := new(int)
		seen[v] = true
		p.Put(v)
	}
	p.Put(new(int)) // one too many
	runtime.GC()
	runtime.GC()
	for range runtime.NumCPU() {
		if v := p.Get(); !seen[v] {
			t.Error("a value was lost")
		}
	}
}
