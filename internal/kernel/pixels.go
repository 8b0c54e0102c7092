package kernel

import "encoding/binary"

// RGBAToRGB drops alpha. src has whole pixels, dst room for three quarters of its bytes.
func RGBAToRGB(dst, src []byte) { pack(dst, src, false) }

// BGRAToRGB drops alpha and exchanges blue and red.
func BGRAToRGB(dst, src []byte) { pack(dst, src, true) }

func pack(dst, src []byte, swap bool) {
	pixels := len(src) / 4
	dst = dst[:3*pixels]
	red, blue := 0, 2
	if swap {
		red, blue = 2, 0
	}
	for i := packVectors(dst, src, swap); i < pixels; i++ {
		d, s := dst[3*i:3*i+3], src[4*i:4*i+4]
		d[0], d[1], d[2] = s[red], s[1], s[blue]
	}
}

// BGRAToRGBA exchanges blue and red. dst may be src. src has whole pixels.
func BGRAToRGBA(dst, src []byte) {
	dst = dst[:len(src)]
	for i := swapVectors(dst, src); i+4 <= len(src); i += 4 {
		v := binary.LittleEndian.Uint32(src[i : i+4])
		binary.LittleEndian.PutUint32(dst[i:i+4], v&0xff00ff00|v>>16&0xff|v&0xff<<16)
	}
}

// Opaque reports whether alpha, the last byte of four, is 255 in every pixel. It stops soon after one that is not.
func Opaque(pix []byte) bool {
	i, opaque := opaqueVectors(pix)
	for ; opaque && i+8 <= len(pix); i += 8 {
		opaque = binary.LittleEndian.Uint64(pix[i:i+8])&0xff000000ff000000 == 0xff000000ff000000
	}
	for ; opaque && i+4 <= len(pix); i += 4 {
		opaque = pix[i+3] == 0xff
	}
	return opaque
}

// Gray reports whether the first three bytes of four are equal in every pixel. It stops soon after one where they are not.
func Gray(pix []byte) bool {
	i, gray := grayVectors(pix)
	for ; gray && i+4 <= len(pix); i += 4 {
		v := binary.LittleEndian.Uint32(pix[i : i+4])
		gray = (v^v>>8)&0xffff == 0
	}
	return gray
}

// RGBToRGBA adds an alpha of 255. src has whole pixels, dst room for four thirds of its bytes; they do not overlap.
func RGBToRGBA(dst, src []byte) {
	pixels := len(src) / 3
	dst = dst[:4*pixels]
	for i := spreadVectors(dst, src); i < pixels; i++ {
		d, s := dst[4*i:4*i+4], src[3*i:3*i+3]
		d[0], d[1], d[2], d[3] = s[0], s[1], s[2], 255
	}
}
