//go:build race

package png

// thin: under the race detector, which looks at interleavings, not values, a part of the combinations has to do. It makes
// everything ten times slower, and empties pools on purpose.
const thin = true
