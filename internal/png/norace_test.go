//go:build !race

package png

const thin = false
