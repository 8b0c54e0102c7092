//go:build !(goexperiment.simd && amd64)

package quantize

// Without vectors, the scalar search does everything. A constant leaves the calls below out.
const vectors = false

func (q *nearest) findVectors(packed) uint8             { panic("quantize: no vectors") }
func (q *nearest) findAllVectors(_ []uint8, _ []packed) { panic("quantize: no vectors") }

func (a *joints) costsVectors(*[MaxColors]float32, int) { panic("quantize: no vectors") }
func addAllVectors(*[MaxColors]sum, []point, []uint8)   { panic("quantize: no vectors") }
