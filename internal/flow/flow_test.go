package flow

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/sluice-js/sluice/internal/fault"
)

func TestWindow(t *testing.T) {
	w, m := NewWindow(), NewMeter()
	if w.Slabs() != 0 || !w.Starved() {
		t.Error("a new window has no slab, and its consumer waits")
	}
	got := make(chan []byte)
	go func() {
		s, _ := w.Next(m)
		got <- s
	}()
	w.Grant(make([]byte, 10), 0)
	if s := <-got; len(s) != 10 || w.Slabs() != 1 {
		t.Errorf("got %d bytes, %d slabs", len(s), w.Slabs())
	}
	if err := w.Credit(m); err != nil { // a held slab is credit
		t.Error(err)
	}
	w.GiveUp(7)
	if w.Starved() || w.Given() != 7 || w.Slabs() != 0 {
		t.Error("7 bytes are with the consumer")
	}
	w.Grant(nil, 7)
	if !w.Starved() {
		t.Error("the consumer has passed everything on")
	}
	waits := make(chan error)
	go func() { waits <- w.Credit(m) }()
	go func() {
		_, err := w.Next(m)
		waits <- err
	}()
	end := fault.Newf(fault.Aborted, "enough")
	w.Close(end)
	w.Close(fault.Newf(fault.Internal, "the first counts"))
	for range 2 {
		if err := <-waits; err != end {
			t.Errorf("got %v", err)
		}
	}
}

// Who waits for credit goes on when somebody else takes the slab that came: a held slab is credit for all.
func TestCreditIsShared(t *testing.T) {
	for range 200 {
		w, m := NewWindow(), NewMeter()
		done := make(chan error, 2)
		go func() { done <- w.Credit(m) }()
		go func() {
			_, err := w.Next(m)
			done <- err
		}()
		runtime.Gosched()
		w.Grant(make([]byte, 1), 0)
		for range 2 {
			select {
			case err := <-done:
				if err != nil {
					t.Fatal(err)
				}
			case <-time.After(10 * time.Second):
				t.Fatal("one waits for ever")
			}
		}
	}
}

func TestMeterAddsUp(t *testing.T) {
	start := time.Now()
	m := NewMeter()
	for _, s := range []State{Queued, Computing, Paused} {
		m.Enter(s)
		m.Enter(s)
		time.Sleep(2 * time.Millisecond)
		if m.State() != s {
			t.Errorf("got state %d, want %d", m.State(), s)
		}
		m.Leave(s)
		m.Leave(s)
	}
	m.Enter(Paused)
	m.Enter(Computing) // whoever computes counts
	if m.State() != Computing {
		t.Error("a stream that computes is not paused")
	}
	c, p, q, w := m.Spent()
	life := time.Since(start)
	if c <= 0 || p <= 0 || q <= 0 || w < 0 || c+p+q+w > life {
		t.Errorf("got %v + %v + %v + %v of %v", c, p, q, w, life)
	}
}

func TestAdmissionOrder(t *testing.T) {
	a := NewAdmission(1)
	m := NewMeter()
	stop := make(chan struct{})
	a.acquire(rest, 0, stop, m)
	order := make(chan string, 10)
	for i, w := range []struct {
		class  class
		stream uint64
	}{{rest, 9}, {rest, 3}, {fresh, 8}, {fresh, 2}, {small, 7}, {small, 6}} {
		go func() {
			if a.acquire(w.class, w.stream, stop, m) {
				order <- fmt.Sprint(w.class, w.stream)
				a.release()
			}
		}()
		waitFor(t, func() bool { a.mu.Lock(); defer a.mu.Unlock(); return len(a.queue) == i+1 })
	}
	gone := make(chan struct{})
	left := make(chan bool)
	go func() { left <- a.acquire(small, 1, gone, m) }()
	waitFor(t, func() bool { a.mu.Lock(); defer a.mu.Unlock(); return len(a.queue) == 7 })
	close(gone)
	if <-left {
		t.Error("an aborted stream got a slot")
	}
	a.release()
	var got []string
	for range 6 {
		got = append(got, <-order)
	}
	if want := []string{"0 6", "0 7", "1 2", "1 8", "2 3", "2 9"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	waitFor(t, func() bool { return a.Free() == 1 })
}

// Who yields lets those before it go first, and nobody else.
func TestYield(t *testing.T) {
	window := NewWindow()
	window.Grant(make([]byte, 1), 0)
	window.GiveUp(1) // no longer fresh
	window.Grant(make([]byte, 1), 0)
	slots, m := NewAdmission(1), NewMeter()
	old := NewWriter(nil, NewWindow(), slots, m)
	w := NewWriter(nil, window, slots, m)
	young := NewWriter(nil, NewWindow(), slots, m)
	if err := w.Acquire(); err != nil {
		t.Fatal(err)
	}
	w.Yield() // nobody waits
	order := make(chan string, 4)
	wait := func(name string, c class, stream uint64) {
		go func() {
			slots.acquire(c, stream, w.stop, m)
			order <- name
			slots.release()
		}()
	}
	for i, s := range []func(){
		func() { wait("young", rest, young.stream) },
		func() { wait("old", rest, old.stream) },
		func() { wait("tile", small, young.stream) },
	} {
		s()
		waitFor(t, func() bool { slots.mu.Lock(); defer slots.mu.Unlock(); return len(slots.queue) == i+1 })
	}
	w.Yield()
	order <- "yielded"
	w.Release()
	var got []string
	for range 4 {
		got = append(got, <-order)
	}
	if want := []string{"tile", "old", "yielded", "young"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	waitFor(t, func() bool { return slots.Free() == 1 })
	if m.State() != Waiting {
		t.Errorf("got state %v", m.State())
	}
}

func waitFor(t *testing.T, ready func() bool) {
	t.Helper()
	for range 1000 {
		if ready() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("it did not happen")
}

func writer(width int) (*Writer, *bytes.Buffer) {
	var out bytes.Buffer
	w := NewWindow()
	w.Grant(make([]byte, 1), 0)
	return NewWriter(&out, w, NewAdmission(width), NewMeter()), &out
}

func TestOrdered(t *testing.T) {
	for width := 1; width <= 4; width++ {
		w, out := writer(width)
		emitting := false
		o := NewOrdered(w, func(s string) error {
			if emitting {
				t.Error("emit overlaps")
			}
			emitting = true
			defer func() { emitting = false }()
			runtime.Gosched()
			_, err := w.Write([]byte(s))
			return err
		})
		want := ""
		job := func(i int) func() (string, error) {
			s := fmt.Sprint(i, " ")
			want += s
			return func() (string, error) {
				time.Sleep(time.Duration((i*7)%5) * 100 * time.Microsecond)
				return s, nil
			}
		}
		for i := range 50 {
			if err := o.Go(job(i)); err != nil {
				t.Fatal(err)
			}
		}
		i := 49
		if err := o.All(func() (func() (string, error), bool) {
			i++
			return job(i), i == 99
		}); err != nil {
			t.Fatal(err)
		}
		if err := o.Submit(func() (string, error) { return "end", nil }, true); err != nil {
			t.Fatal(err)
		}
		if err := o.Wait(); err != nil || out.String() != want+"end" {
			t.Errorf("width %d: %v, got %q", width, err, out)
		}
		w.Wait()
		if w.slots.Free() != width {
			t.Errorf("%d of %d slots are free", w.slots.Free(), width)
		}
	}
}

func TestOrderedFailures(t *testing.T) {
	for name, job := range map[string]func() (int, error){
		"an error": func() (int, error) { return 0, fault.Newf(fault.Input, "short") },
		"a panic":  func() (int, error) { panic("bug") },
	} {
		w, _ := writer(2)
		o := NewOrdered(w, func(int) error { return nil })
		for i := range 10 {
			if i == 5 {
				o.Go(job)
			} else {
				o.Go(func() (int, error) { return i, nil })
			}
		}
		err := o.Wait()
		if err == nil || o.Go(job) != err {
			t.Errorf("%s: got %v", name, err)
		}
		if o.All(func() (func() (int, error), bool) { t.Error("a job is asked for"); return job, true }) != err {
			t.Errorf("%s: All forgets it", name)
		}
		w.Wait()
		if w.slots.Free() != 2 {
			t.Errorf("%s: %d slots are free", name, w.slots.Free())
		}
	}
	for _, supply := range []func() (func() (int, error), bool){
		func() (func() (int, error), bool) { panic("bug") },
		func() (func() (int, error), bool) { return func() (int, error) { panic("bug") }, false },
	} {
		w, _ := writer(2)
		if err := NewOrdered(w, func(int) error { return nil }).All(supply); fault.From(err).Code != fault.Internal {
			t.Errorf("All: got %v", err)
		}
		w.Wait()
		if w.slots.Free() != 2 {
			t.Errorf("All: %d slots are free", w.slots.Free())
		}
	}
	w, _ := writer(2)
	o := NewOrdered(w, func(int) error { return errors.New("full") })
	o.Run(func() (int, error) { return 1, nil })
	if err := o.Wait(); err == nil {
		t.Error("emit's error is lost")
	}
}

func TestAbortWakesEveryone(t *testing.T) {
	w := NewWriter(nil, NewWindow(), NewAdmission(1), NewMeter())
	result := make(chan error)
	go func() { result <- w.Acquire() }()
	end := fault.Newf(fault.Aborted, "enough")
	w.Abort(end)
	if err := <-result; err != end || !w.Aborted() {
		t.Errorf("got %v", err)
	}
	w.Abort(fault.Newf(fault.Internal, "the first counts"))
	if err := w.Acquire(); err != end {
		t.Errorf("got %v", err)
	}
}

func TestGuard(t *testing.T) {
	code := func(f func() error) fault.Code { return fault.From(Guard(f)).Code }
	var none *Writer
	if c := code(func() error { return fmt.Errorf("%d", none.stream) }); c != fault.Internal {
		t.Errorf("a nil dereference: %v", c)
	}
	if c := code(func() error { panic("bug") }); c != fault.Internal {
		t.Errorf("a panic: %v", c)
	}
	gone, err := syscall.Mmap(-1, 0, 1<<16, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(gone)
	if c := code(func() error { return fmt.Errorf("%d", gone[100]) }); c != fault.Input {
		t.Errorf("memory that is gone: %v", c)
	}
	if err := Guard(func() error { return nil }); err != nil {
		t.Error(err)
	}
}

func TestSlabSize(t *testing.T) {
	for chunk, want := range map[int]int{1: 65536, 256: 65536, 1000: 65000, 65536: 65536, 70000: 70000} {
		if got := SlabSize(chunk); got != want {
			t.Errorf("%d: got %d, want %d", chunk, got, want)
		}
	}
}
