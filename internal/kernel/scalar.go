//go:build !(goexperiment.simd && amd64)

package kernel

// Without vectors, nothing of a row is done by them.

func subVectors(_, _, _ []byte) int         { return 0 }
func averageVectors(_, _, _, _ []byte) int  { return 0 }
func paethVectors(_, _, _, _, _ []byte) int { return 0 }
func absoluteVectors([]byte) (n, sum int)   { return 0, 0 }
func packVectors(_, _ []byte, _ bool) int   { return 0 }
func swapVectors(_, _ []byte) int           { return 0 }
func spreadVectors(_, _ []byte) int         { return 0 }
func opaqueVectors([]byte) (n int, ok bool) { return 0, true }
func grayVectors([]byte) (n int, ok bool)   { return 0, true }
func adlerVectors(a, b uint32, _ []byte) (n int, a1, b1 uint32) {
	return 0, a, b
}

func premultiplyVectors([]uint32) int              { return 0 }
func boundVectors([]uint32) int                    { return 0 }
func colorVectors(_ []uint32, _ []byte) int        { return 0 }
func runVectors(_ []uint16, _ []uint32) (i, n int) { return 1, 1 }
func swapColorVectors([]uint32) int                { return 0 }
