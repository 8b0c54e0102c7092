package flow

import (
	"container/heap"
	"sync"
)

// class orders those who wait for a slot.
type class int

const (
	small class = iota // all the work is one strip or less: tiles overtake print maps
	fresh              // the stream has sent nothing: somebody looks at an empty page
	rest               // by arrival of the stream
)

// Admission hands out slots: so many strips are encoded at once, over all streams. A slot is held while computing and
// never while waiting for a consumer, so paused streams cost no parallelism.
type Admission struct {
	mu    sync.Mutex
	free  int
	width int
	queue waiters
}

// NewAdmission returns an Admission of width slots.
func NewAdmission(width int) *Admission { return &Admission{free: width, width: width} }

// Width returns the number of slots, free or not.
func (a *Admission) Width() int { return a.width }

// Free returns the number of slots that nobody holds.
func (a *Admission) Free() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.free
}

// acquire takes a slot; it waits its turn by class, then by stream. It returns false when stop was closed before.
func (a *Admission) acquire(c class, stream uint64, stop <-chan struct{}, m *Meter) bool {
	a.mu.Lock()
	if a.free > 0 {
		a.free--
		a.mu.Unlock()
		return true
	}
	w := &waiter{class: c, stream: stream, turn: make(chan struct{})}
	heap.Push(&a.queue, w)
	a.mu.Unlock()

	m.Enter(Queued)
	defer m.Leave(Queued)
	select {
	case <-w.turn:
		return true
	case <-stop:
	}
	a.mu.Lock()
	if w.index >= 0 {
		heap.Remove(&a.queue, w.index)
		a.mu.Unlock()
		return false
	}
	a.mu.Unlock()
	a.release() // the turn came in the meantime
	return false
}

// yield hands the caller's slot to the first in the queue if that comes before c and stream, and waits for another.
func (a *Admission) yield(c class, stream uint64, m *Meter) {
	w := &waiter{class: c, stream: stream, index: -1}
	a.mu.Lock()
	if len(a.queue) == 0 || !a.queue[0].before(w) {
		a.mu.Unlock()
		return
	}
	w.turn = make(chan struct{})
	close(heap.Pop(&a.queue).(*waiter).turn)
	heap.Push(&a.queue, w)
	a.mu.Unlock()
	m.Leave(Computing)
	m.Enter(Queued)
	<-w.turn // slots are never held for long, so it comes
	m.Enter(Computing)
	m.Leave(Queued)
}

func (a *Admission) release() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.queue) == 0 {
		a.free++
		return
	}
	close(heap.Pop(&a.queue).(*waiter).turn) // the slot passes on without being free in between
}

type waiter struct {
	class  class
	stream uint64
	turn   chan struct{}
	index  int // in the heap, -1 outside
}

func (w *waiter) before(v *waiter) bool {
	if w.class != v.class {
		return w.class < v.class
	}
	return w.stream < v.stream
}

// waiters is a container/heap.
type waiters []*waiter

func (q waiters) Len() int { return len(q) }

func (q waiters) Less(i, j int) bool { return q[i].before(q[j]) }

func (q waiters) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

func (q *waiters) Push(x any) {
	w := x.(*waiter)
	w.index = len(*q)
	*q = append(*q, w)
}

func (q *waiters) Pop() any {
	last := len(*q) - 1
	w := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	w.index = -1
	return w
}
