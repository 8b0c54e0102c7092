package kernel

// Premultiply returns a straight RGBA colour, red in the low byte and alpha in the high one, with its samples multiplied by
// alpha: round(c * a / 255).
func Premultiply(c uint32) uint32 {
	a := c >> 24
	switch a {
	case 255:
		return c
	case 0:
		return 0
	}
	return multiply(c&0xff, a) | multiply(c>>8&0xff, a)<<8 | multiply(c>>16&0xff, a)<<16 | a<<24
}

// multiply divides by 255 exactly: t/255 = (t + t/256)/256 for the numerators that occur.
func multiply(c, a uint32) uint32 {
	t := c*a + 128
	return (t + t>>8) >> 8
}

// PremultiplyAll does that to every colour.
func PremultiplyAll(colors []uint32) {
	for i, c := range colors {
		if c < 0xff000000 {
			colors[i] = Premultiply(c)
		}
	}
}
