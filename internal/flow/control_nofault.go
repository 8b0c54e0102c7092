//go:build control_nofault

package flow

func init() { catchFaults = false }
