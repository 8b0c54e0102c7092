// Package fault lists every error that can cross into C and JavaScript.
package fault

import (
	"errors"
	"fmt"
)

// Code says what kind of error it is. Numbers are stable: never reused, never renumbered.
type Code int32

const (
	OK       Code = 0
	Internal Code = 1 // a bug in this library, or a panic in an encoder
	Argument Code = 2 // a call of the wrong shape: a bug of the caller's
	Format   Code = 3 // no such format
	Option   Code = 4 // an option is unknown, ill-typed or out of range
	Input    Code = 5 // a part does not fit the stream: too short, too long, malformed, gone
	Limit    Code = 6 // zero or absurd sizes
	Aborted  Code = 7 // the consumer gave up
)

var names = map[Code]string{
	Internal: "ERR_SLUICE_INTERNAL",
	Argument: "ERR_SLUICE_ARGUMENT",
	Format:   "ERR_SLUICE_FORMAT",
	Option:   "ERR_SLUICE_OPTION",
	Input:    "ERR_SLUICE_INPUT",
	Limit:    "ERR_SLUICE_LIMIT",
	Aborted:  "ABORT_ERR",
}

// Name returns the stable name that JavaScript shows as error.code.
func (c Code) Name() string { return names[c] }

// Names returns every code's name.
func Names() map[Code]string { return names }

// Error carries a Code and a message for people.
type Error struct {
	Code    Code
	Message string
}

func (e *Error) Error() string { return e.Message }

// Newf builds an Error.
func Newf(c Code, format string, args ...any) *Error {
	return &Error{c, fmt.Sprintf(format, args...)}
}

// From returns err as an Error; one that is not an Error already is a bug, so Internal.
func From(err error) *Error {
	var f *Error
	if errors.As(err, &f) {
		return f
	}
	return Newf(Internal, "%v", err)
}
