package flow

import (
	"sync"
	"time"
)

// State is what a stream is doing.
type State int

// A stream with goroutines in several states is in the first of these.
const (
	Computing State = iota // a goroutine holds an admission slot
	Paused                 // waiting for credit
	Queued                 // waiting for an admission slot
	Waiting                // for parts
	states
)

// Meter tells how long a stream was in which state. The times add up to the stream's life.
type Meter struct {
	mu     sync.Mutex
	inside [states]int
	spent  [states]time.Duration
	since  time.Time
}

// NewMeter returns a Meter that starts now, in the state Waiting.
func NewMeter() *Meter { return &Meter{since: time.Now()} }

// Enter says that a goroutine of the stream is in s from now on.
func (m *Meter) Enter(s State) { m.move(s, 1) }

// Leave ends an Enter.
func (m *Meter) Leave(s State) { m.move(s, -1) }

// State returns what the stream is doing.
func (m *Meter) State() State {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state()
}

// Spent returns the time in each state until now.
func (m *Meter) Spent() (computing, paused, queued, waiting time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tick()
	return m.spent[Computing], m.spent[Paused], m.spent[Queued], m.spent[Waiting]
}

func (m *Meter) move(s State, d int) {
	m.mu.Lock()
	m.tick()
	m.inside[s] += d
	m.mu.Unlock()
}

func (m *Meter) tick() {
	now := time.Now()
	m.spent[m.state()] += now.Sub(m.since)
	m.since = now
}

func (m *Meter) state() State {
	for s := Computing; s < Waiting; s++ {
		if m.inside[s] > 0 {
			return s
		}
	}
	return Waiting
}
