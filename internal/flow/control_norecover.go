//go:build control_norecover

package flow

func init() { recovers = false }
