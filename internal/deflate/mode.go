package deflate

var efforts = [...]effort{
	Overlay:  {pixels: 1, runs: 8, enough: 64, lazy: true, perByte: 10, left: 4, above: 20},
	Balanced: {pixels: 2, runs: 4, enough: 64, perByte: 10, left: 6, above: 16},
	Lazy:     {pixels: 4, runs: 16, enough: 258, lazy: true, perByte: 10, left: 4, above: 20},
	Thorough: {pixels: 8, runs: 64, enough: 258, lazy: true, perByte: 10, left: 4, above: 20},
}

// parserOf returns what a mode does with a geometry.
func parserOf(m Mode, g Geometry) parser {
	g.PixelBytes = min(max(g.PixelBytes, 1), windowSize)
	g.RowBytes = max(g.RowBytes, 1+g.PixelBytes)
	switch m {
	case RLE:
		return &rle{g.PixelBytes}
	case Greedy:
		return greedyOf(g)
	}
	p := chainOf(m, g)
	return &p
}

func chainOf(m Mode, g Geometry) chain {
	p := chain{effort: efforts[m], step: 1, pixelBytes: g.PixelBytes, rowBytes: g.RowBytes, pixelShift: 40, runShift: 32}
	if m != Balanced {
		return p
	}
	p.step = g.PixelBytes
	switch g.PixelBytes { // the bytes of a pixel, and of two
	case 2:
		p.pixelShift, p.runShift = 32, 0
	case 3:
		p.runShift = 16
	case 4:
		p.pixelShift, p.runShift = 32, 0
	case 6:
		p.pixelShift, p.runShift = 16, 0
	case 8:
		p.pixelShift, p.runShift = 0, 0
	}
	return p
}

func greedyOf(g Geometry) parser {
	switch g.PixelBytes {
	case 2:
		return &greedy[[2]byte]{rowBytes: g.RowBytes}
	case 3:
		return &greedy[[3]byte]{rowBytes: g.RowBytes}
	case 4:
		return &greedy[[4]byte]{rowBytes: g.RowBytes}
	case 6:
		return &greedy[[6]byte]{rowBytes: g.RowBytes}
	case 8:
		return &greedy[[8]byte]{rowBytes: g.RowBytes}
	}
	return &greedy[[1]byte]{rowBytes: g.RowBytes}
}
