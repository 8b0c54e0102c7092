// Package text appends numbers, dates and escaped strings to bytes, without allocating.
package text

import (
	"math"
	"math/bits"
	"slices"
	"strconv"
)

// MaxDecimals is the most that AppendFixed takes.
const MaxDecimals = 20

// fastDecimals is up to where a product by a power of ten is looked at in integers.
const fastDecimals = 15

var pow10 = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}
var intPow10 = [...]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}

const digitPairs = "00010203040506070809101112131415161718192021222324252627282930313233343536373839" +
	"4041424344454647484950515253545556575859606162636465666768697071727374757677787980818283848586878889" +
	"90919293949596979899"

// AppendFixed appends v rounded to decimals, without zeros at its end, without an exponent and without a negative zero:
// what strconv.AppendFloat(dst, v, 'f', decimals, 64) appends, less those zeros. v must be finite.
func AppendFixed(dst []byte, v float64, decimals int) []byte {
	if decimals > fastDecimals {
		return appendTrimmed(dst, v, decimals)
	}
	a := math.Abs(v)
	scaled := a * pow10[decimals]
	if !(scaled < 1<<52) {
		return appendTrimmed(dst, v, decimals)
	}
	// scaled is the true product but for half a unit of its last place, and that unit is at most 1/2: so the fraction is on the
	// same side of 1/2 as the true one, or it is 1/2 exactly. Then the product's error decides, which a fused multiplication
	// yields without one, and if there is none, the even neighbour is right.
	n := uint64(scaled)
	switch d := scaled - float64(n) - 0.5; {
	case d > 0:
		n++
	case d == 0:
		if e := math.FMA(a, pow10[decimals], -scaled); e > 0 || e == 0 && n&1 == 1 {
			n++
		}
	}
	if n == 0 {
		return append(dst, '0')
	}
	if v < 0 {
		dst = append(dst, '-')
	}
	return appendScaled(dst, n, decimals)
}

// appendScaled appends n / 10^decimals, without zeros at its end.
func appendScaled(dst []byte, n uint64, decimals int) []byte {
	whole := n / intPow10[decimals]
	return appendFraction(AppendUint(dst, whole), n-whole*intPow10[decimals], decimals)
}

// appendFraction appends a point and the digits of n / 10^decimals, which is below 1, without zeros at their end; nothing for 0.
func appendFraction(dst []byte, n uint64, decimals int) []byte {
	if n == 0 {
		return dst
	}
	start := len(dst) + 1
	dst = extend(append(dst, '.'), decimals)
	digits := dst[start:]
	for len(digits) >= 2 {
		q := n / 100
		pair := 2 * (n - q*100)
		digits[len(digits)-2], digits[len(digits)-1] = digitPairs[pair], digitPairs[pair+1]
		digits, n = digits[:len(digits)-2], q
	}
	if len(digits) == 1 {
		digits[0] = byte('0' + n)
	}
	end := len(dst)
	for dst[end-1] == '0' {
		end--
	}
	return dst[:end]
}

// extend returns dst with n more bytes, whose values do not matter.
func extend(dst []byte, n int) []byte {
	if cap(dst)-len(dst) < n {
		dst = slices.Grow(dst, n)
	}
	return dst[:len(dst)+n]
}

// appendTrimmed is AppendFixed by strconv.
func appendTrimmed(dst []byte, v float64, decimals int) []byte {
	start := len(dst)
	dst = strconv.AppendFloat(dst, v, 'f', decimals, 64)
	if decimals > 0 {
		end := len(dst)
		for dst[end-1] == '0' {
			end--
		}
		if dst[end-1] == '.' {
			end--
		}
		dst = dst[:end]
	}
	if len(dst) == start+2 && dst[start] == '-' && dst[start+1] == '0' {
		dst = append(dst[:start], '0')
	}
	return dst
}

// AppendPlain appends the shortest decimal number that is read back as v, without an exponent, and 0 for a negative zero. v
// must be finite.
func AppendPlain(dst []byte, v float64) []byte {
	if n, ok := short(v); ok {
		if n == 0 {
			return append(dst, '0')
		}
		if v < 0 {
			dst = append(dst, '-')
		}
		return appendScaled(dst, n, shortDecimals)
	}
	return strconv.AppendFloat(dst, v, 'f', -1, 64)
}

// AppendJSON is AppendPlain, but with an exponent where ECMAScript writes one: below 1e-6 and from 1e21 on.
func AppendJSON(dst []byte, v float64) []byte {
	if a := math.Abs(v); a != 0 && (a < 1e-6 || a >= 1e21) {
		return appendExponent(dst, v, 64)
	}
	return AppendPlain(dst, v)
}

// AppendPlain32 and AppendJSON32 append the shortest number that is read back as the same float32.
func AppendPlain32(dst []byte, v float32) []byte {
	if v == 0 {
		return append(dst, '0')
	}
	return strconv.AppendFloat(dst, float64(v), 'f', -1, 32)
}

// AppendJSON32 see AppendPlain32.
func AppendJSON32(dst []byte, v float32) []byte {
	if a := math.Abs(float64(v)); a != 0 && (a < 1e-6 || a >= 1e21) {
		return appendExponent(dst, float64(v), 32)
	}
	return AppendPlain32(dst, v)
}

// appendExponent writes exponents as ECMAScript does: without a leading zero.
func appendExponent(dst []byte, v float64, bits int) []byte {
	dst = strconv.AppendFloat(dst, v, 'e', -1, bits)
	if n := len(dst); dst[n-2] == '0' && (dst[n-3] == '-' || dst[n-3] == '+') {
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}

// shortDecimals is what short looks for: centimetres in degrees, and more than that in metres.
const shortDecimals = 7

// short returns v times 10^shortDecimals, without its sign, if v is the number nearest to a decimal of at most 15 digits with so many
// decimals. No two such decimals are read as the same number, so that one, less its zeros, is the shortest.
func short(v float64) (uint64, bool) {
	a := math.Abs(v)
	if !(a < 1e15/1e7) {
		return 0, false
	}
	n := uint64(a*1e7 + 0.5)
	return n, n < 1e15 && float64(n)/1e7 == a
}

// AppendInt appends v.
func AppendInt(dst []byte, v int64) []byte {
	if v < 0 {
		return AppendUint(append(dst, '-'), -uint64(v))
	}
	return AppendUint(dst, uint64(v))
}

// AppendUint appends v.
func AppendUint(dst []byte, v uint64) []byte {
	if v < 10 {
		return append(dst, byte('0'+v))
	}
	n := bits.Len64(v) * 1233 >> 12 // how many digits: log10(2) is about 1233/4096
	if v >= intPow10[n] {
		n++
	}
	start := len(dst)
	dst = extend(dst, n)
	digits := dst[start:]
	for v >= 10 && len(digits) >= 2 {
		q := v / 100
		pair := 2 * (v - q*100)
		digits[len(digits)-2], digits[len(digits)-1] = digitPairs[pair], digitPairs[pair+1]
		digits, v = digits[:len(digits)-2], q
	}
	if len(digits) == 1 {
		digits[0] = byte('0' + v)
	}
	return dst
}
