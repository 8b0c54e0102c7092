package png

import "sync/atomic"

// leveler says which level a strip gets.
type leveler struct {
	fixed *level // nil: auto

	starved atomic.Int32 // strips that began while the consumer waited
}

func (l *leveler) set(name string) { l.fixed = levels[name] }

// get returns the level of a strip that begins now.
//
// While the consumer is the bottleneck, time spent on size is free and shortens the response. When it waits, bytes now
// are worth more; but a buffer between here and the consumer may run empty by chance, so once is not enough.
func (l *leveler) get(e *Encoder) *level {
	if l.fixed != nil {
		return l.fixed
	}
	if !e.emitted.Load() {
		return levels["fast"] // the consumer has had nothing to take yet
	}
	if !e.w.Starved() {
		if e.w.Spare() {
			return levels["balanced"]
		}
		return levels["fast"] // other streams want the processor
	}
	if l.starved.Add(1) > 2 {
		return levels["fastest"]
	}
	return levels["fast"]
}

// trial returns the level that filters are tried with.
func (l *leveler) trial() *level {
	if l.fixed != nil && !l.fixed.trial {
		return nil
	}
	return levels["fastest"]
}
