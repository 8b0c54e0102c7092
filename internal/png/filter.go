package png

// Filter types (PNG specification, 9.2).
const (
	filterNone  = 0
	filterPaeth = 4
)
