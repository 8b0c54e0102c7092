package deflate

// trim cuts a match that ends within a pixel, so that the next one begins with a pixel. It returns the end of the row in
// which the match ends then.
func trim(pos, length, rowEnd, rowBytes, pixelBytes int) (trimmed, end int) {
	over := pos + length - rowEnd
	if over <= 0 {
		if cut := length % pixelBytes; over < 0 && length-cut >= minMatch {
			length -= cut
		}
		return length, rowEnd
	}
	rowEnd += over / rowBytes * rowBytes
	if over %= rowBytes; over > 0 { // behind a filter type
		rowEnd += rowBytes
		if cut := (over - 1) % pixelBytes; length-cut >= minMatch {
			length -= cut
		}
	}
	return length, rowEnd
}
