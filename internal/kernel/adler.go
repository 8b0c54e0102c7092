package kernel

const (
	adlerBase = 65521
	// adlerBatch is how many bytes are summed before the sums are reduced. They overflow from 5553 on; this is whole vectors.
	adlerBatch = 5536
)

// Adler32 adds p to a checksum (RFC 1950, 8.2), which is 1 for no bytes.
func Adler32(sum uint32, p []byte) uint32 {
	a, b := sum&0xffff, sum>>16
	for len(p) > 0 {
		batch := p[:min(len(p), adlerBatch)]
		p = p[len(batch):]
		i, a1, b1 := adlerVectors(a, b, batch)
		for _, x := range batch[i:] {
			a1 += uint32(x)
			b1 += a1
		}
		a, b = a1%adlerBase, b1%adlerBase
	}
	return b<<16 | a
}
