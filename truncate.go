package main

import (
	"errors"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/format"
)

// truncater is an Encoder of a format that has words for the end of a document before its time.
type truncater interface {
	// Truncate ends the document after what is complete. False: nothing was written, and the stream is to fail.
	Truncate(message string) (bool, error)
}

// Fault is an error that the output itself tells of.
type Fault struct {
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
}

// truncate ends the document because of err, and has the report say so. False: the stream fails.
func (s *Stream) truncate(enc format.Encoder, err error) bool {
	t, ok := enc.(truncater)
	var f *fault.Error
	if !ok || !errors.As(err, &f) || s.writer.Aborted() {
		return false
	}
	if done, err := t.Truncate(f.Message); err != nil || !done {
		return false
	}
	s.fault = &Fault{f.Code, f.Message}
	return true
}
