package flow

import (
	"sync"

	"github.com/sluice-js/sluice/internal/fault"
)

// Ordered runs jobs side by side and hands their results over in the order of submission.
//
// Whoever finishes the next result in order emits it, and what waits behind it: no goroutine exists only to write, so
// the first chunk leaves as soon as it is ready. Calls of emit never overlap, and no lock or slot is held during one.
type Ordered[T any] struct {
	w    *Writer
	emit func(T) error

	mu       sync.Mutex
	moved    sync.Cond // emitted, busy or err changed
	next     int       // index of the job to submit next
	emitted  int
	busy     int // helpers that compute
	emitting bool
	results  map[int]T
	err      error
}

// NewOrdered returns an Ordered for one stream. emit may Write.
func NewOrdered[T any](w *Writer, emit func(T) error) *Ordered[T] {
	o := &Ordered[T]{w: w, emit: emit, results: map[int]T{}}
	o.moved.L = &o.mu
	return o
}

// Go submits a job. It starts on a helper goroutine while fewer than Width jobs run, or here. Go blocks while more than Width
// jobs have not been emitted, because a stream that is parked keeps their results. The first error of any job or emit sticks
// and is returned from then on.
func (o *Ordered[T]) Go(job func() (T, error)) error {
	if err := o.w.window.Credit(o.w.meter); err != nil { // a helper that waits for it would cost a stack more
		return err
	}
	o.mu.Lock()
	for o.err == nil && o.isFull() {
		o.moved.Wait()
	}
	if o.err != nil {
		defer o.mu.Unlock()
		return o.err
	}
	i := o.submit()
	help := o.busy < o.w.Width()-1
	if help {
		o.busy++
	}
	o.mu.Unlock()
	if help {
		o.w.Go(func() { o.run(i, job, true) })
		return nil
	}
	o.run(i, job, false)
	return o.failed()
}

// All runs the jobs that next returns, up to the last, and returns when all have been emitted. next is called by one goroutine at
// a time, in the order of jobs; it must not block.
//
// The caller runs jobs itself, the first of them too, and helpers take what comes next as long as there is something to take:
// starting a goroutine for each job takes about as long as a job does, when an idle processor has to be woken for it.
func (o *Ordered[T]) All(next func() (job func() (T, error), last bool)) error {
	work := &work[T]{next: next}
	for {
		if err := o.w.window.Credit(o.w.meter); err != nil {
			return err
		}
		o.mu.Lock()
		for o.err == nil && !work.taken && o.isFull() {
			o.moved.Wait()
		}
		if o.err != nil || work.taken {
			o.mu.Unlock()
			return o.Wait()
		}
		o.takeOne(work)
	}
}

// work is the jobs of an All.
type work[T any] struct {
	next  func() (job func() (T, error), last bool)
	taken bool // all of it
}

// help takes jobs until there is none, or none that may run: a helper that waited would cost a parked stream its stack. All
// starts another. While a slow job holds the others' results back, helpers get ahead by twice what a parked stream keeps;
// starting one anew takes long.
func (o *Ordered[T]) help(work *work[T]) {
	for {
		o.mu.Lock()
		if o.err != nil || work.taken || o.next-o.emitted > 2*o.w.Width() || !o.w.window.HasCredit() {
			o.busy--
			o.mu.Unlock()
			return
		}
		o.takeOne(work)
	}
}

// takeOne runs the next job, and has a helper take the one after it. mu is held on entry, and not on return.
func (o *Ordered[T]) takeOne(work *work[T]) {
	var job func() (T, error)
	if err := Guard(func() error {
		job, work.taken = work.next()
		return nil
	}); err != nil {
		o.fail(err)
		o.mu.Unlock()
		return
	}
	i := o.submit()
	more := i > 0 && !work.taken && o.busy < o.w.Width()-1
	if more {
		o.busy++
	}
	o.mu.Unlock()
	if more {
		o.w.Go(func() { o.help(work) })
	}
	o.run(i, job, false)
}

// isFull says that more results wait than a stream may keep while it is parked. mu is held.
func (o *Ordered[T]) isFull() bool { return o.next-o.emitted > o.w.Width() }

// Submit is Go, and Run for the last job.
func (o *Ordered[T]) Submit(job func() (T, error), last bool) error {
	if last {
		return o.Run(job)
	}
	return o.Go(job)
}

// Run submits the last job and runs it here.
func (o *Ordered[T]) Run(job func() (T, error)) error {
	o.mu.Lock()
	i := o.submit()
	o.mu.Unlock()
	o.run(i, job, false)
	return o.failed()
}

// Wait returns when every job has been emitted, or when one has failed.
func (o *Ordered[T]) Wait() error {
	return o.Until(func() bool { return o.emitted == o.next })
}

// Until returns when ready says so, or when a job has failed. It asks after every emit; ready must not block.
func (o *Ordered[T]) Until(ready func() bool) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.err == nil && !ready() {
		o.moved.Wait()
	}
	return o.err
}

func (o *Ordered[T]) submit() int {
	o.next++
	return o.next - 1
}

func (o *Ordered[T]) failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

func (o *Ordered[T]) run(i int, job func() (T, error), helper bool) {
	var result T
	err := o.w.Acquire()
	if err == nil {
		err = Guard(func() (err error) {
			result, err = job()
			return err
		})
		o.w.Release()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if helper {
		o.busy--
	}
	if err != nil {
		o.fail(err)
		return
	}
	o.results[i] = result
	o.drain()
}

// drain emits what is next in order. mu is held on entry and on return, but not while emit runs.
func (o *Ordered[T]) drain() {
	for !o.emitting && o.err == nil {
		result, ok := o.results[o.emitted]
		if !ok {
			break
		}
		delete(o.results, o.emitted)
		o.emitting = true
		o.mu.Unlock()
		err := Guard(func() error { return o.emit(result) })
		o.mu.Lock()
		o.emitting = false
		o.emitted++
		if err != nil {
			o.fail(err)
		}
		o.moved.Broadcast()
	}
	o.moved.Broadcast()
}

// fail ends the stream: its own goroutine may wait for a part that would come in vain.
func (o *Ordered[T]) fail(err error) {
	if o.err == nil {
		o.err = err
		o.w.Abort(fault.From(err))
	}
	o.moved.Broadcast()
}
