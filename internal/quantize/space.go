package quantize

import "math"

// Distances are taken in a space where they are what the eye sees, about, over any background: its coordinates are
// 2w(C - A/2) for red, green and blue, and 2A. The sum of their squares is the squared difference of two colours on a
// background that may be anything from black to white. The weights w favour green, to which the eye is most sensitive,
// and little: strong ones cost more in what is measured than they gain.
const (
	redWeight   = 0.97
	greenWeight = 1.0
	blueWeight  = 0.9
	alphaScale  = 2.0

	maxCoordinate = 2 * 255 // of alpha; the others are within half of it, of both signs
)

// axes are the coordinates of the samples, before alpha is taken off, and shares what alpha takes off.
var axes, shares = func() (a, s [4][256]int32) {
	for i := range 256 {
		for j, w := range [...]float64{redWeight, greenWeight, blueWeight} {
			a[j][i] = int32(math.Floor(2*w*float64(i) + 0.5))
			s[j][i] = int32(math.Floor(w*float64(i) + 0.5))
		}
		a[3][i] = int32(alphaScale * i)
	}
	return a, s
}()

// vector is a point of the space, rounded.
type vector [4]int32

// locate returns where a colour is.
func locate(c uint32) vector {
	a := c >> 24
	return vector{
		axes[0][c&0xff] - shares[0][a],
		axes[1][c>>8&0xff] - shares[1][a],
		axes[2][c>>16&0xff] - shares[2][a],
		axes[3][a],
	}
}

// point is a colour, or the average of some, in the space, with its weight.
type point struct {
	x [4]float32
	w float32
}

// place returns where a colour with fractions is.
func place(r, g, b, a float64) [4]float32 {
	return [4]float32{
		float32(2 * redWeight * (r - a/2)),
		float32(2 * greenWeight * (g - a/2)),
		float32(2 * blueWeight * (b - a/2)),
		float32(alphaScale * a),
	}
}

// unplace is the way back.
func unplace(x [4]float64) (r, g, b, a float64) {
	a = x[3] / alphaScale
	return x[0]/(2*redWeight) + a/2, x[1]/(2*greenWeight) + a/2, x[2]/(2*blueWeight) + a/2, a
}

// round returns the nearest vector.
func round(x [4]float64) vector {
	var v vector
	for i := range x {
		v[i] = int32(math.Floor(x[i] + 0.5))
	}
	return v
}
