package chunk

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
)

// consumer grants a slab for each that it gets, and notes what came.
type consumer struct {
	window *flow.Window
	slab   int
	keeps  bool // takes nothing: never starves
	out    []byte
	runs   []string
}

func (c *consumer) give(run []byte, last bool) error {
	c.out = append(c.out, run...)
	c.runs = append(c.runs, fmt.Sprint(len(run), last))
	taken := uint64(len(c.out))
	if c.keeps {
		taken = 0
	}
	c.window.Grant(make([]byte, c.slab), taken)
	return nil
}

func run(size, slab int, exact, keeps bool, writes ...int) (*consumer, error) {
	c := &consumer{window: flow.NewWindow(), slab: slab, keeps: keeps}
	c.window.Grant(make([]byte, slab), 0)
	w := NewWriter(size, exact, c.window, flow.NewMeter(), c.give)
	total := 0
	for _, n := range writes {
		p := bytes.Repeat([]byte{byte(total)}, n)
		total += n
		if k, err := w.Write(p); err != nil || k != n {
			return c, err
		}
	}
	if w.Total() != uint64(total) {
		return c, fmt.Errorf("total is %d", w.Total())
	}
	return c, w.Close()
}

func TestRuns(t *testing.T) {
	for _, c := range []struct {
		size, slab   int
		exact, keeps bool
		writes       []int
		want         string
	}{
		{4, 8, true, true, nil, "[0 true]"},
		{4, 8, true, true, []int{3}, "[3 true]"},
		{4, 8, true, true, []int{8}, "[8 true]"},
		{4, 8, true, true, []int{9}, "[8 false 1 true]"},
		{4, 8, true, true, []int{4, 4, 4, 4}, "[8 false 8 true]"},
		{4, 11, true, true, []int{16}, "[8 false 8 true]"},                // room for whole chunks only
		{5000, 15000, true, false, []int{5000, 1}, "[5000 false 1 true]"}, // starved: a chunk leaves, its follower is carried
		{5000, 15000, true, false, []int{10000, 10000}, "[5000 false 10000 false 5000 true]"},
		{5000, 5000, false, false, []int{4095, 1}, "[4096 false 0 true]"},
		{4, 3, false, true, []int{7}, "[3 false 3 false 1 true]"},
	} {
		got, err := run(c.size, c.slab, c.exact, c.keeps, c.writes...)
		if err != nil || fmt.Sprint(got.runs) != c.want {
			t.Errorf("%+v: %v, got %v", c, err, got.runs)
		}
	}
}

func TestIdle(t *testing.T) {
	c := &consumer{window: flow.NewWindow(), slab: 100}
	c.window.Grant(make([]byte, 100), 0)
	w := NewWriter(10, true, c.window, flow.NewMeter(), c.give)
	if err := w.Idle(); err != nil || c.runs != nil {
		t.Error("nothing was written")
	}
	w.Write(make([]byte, 20)) // the second chunk may be the last
	w.Idle()
	w.Idle()
	if got := fmt.Sprint(c.runs); got != "[10 false]" {
		t.Errorf("got %s", got)
	}
	w.Close()
	if got := fmt.Sprint(c.runs); got != "[10 false 10 true]" {
		t.Errorf("got %s", got)
	}
}

func TestErrors(t *testing.T) {
	if _, err := run(10, 9, true, false, 1); fault.From(err).Code != fault.Argument {
		t.Errorf("a slab below a chunk: got %v", err)
	}
	window := flow.NewWindow()
	w := NewWriter(10, true, window, flow.NewMeter(), nil)
	end := fault.Newf(fault.Aborted, "enough")
	window.Close(end)
	if n, err := w.Write([]byte("x")); n != 0 || err != end {
		t.Errorf("got %d, %v", n, err)
	}
}
