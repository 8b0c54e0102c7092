package gml

import (
	"unicode"
	"unicode/utf8"
)

// isName reports whether s is a name without a colon (Namespaces in XML 1.0, NCName).
func isName(s string) bool {
	for i, r := range s {
		if !isNameRune(r) || i == 0 && !isNameStart(r) {
			return false
		}
	}
	return s != "" && utf8.ValidString(s)
}

// isNameStart reports whether names may begin with r (XML 1.0, 2.3; a colon aside).
func isNameStart(r rune) bool {
	switch {
	case r < 0x80:
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_'
	case r == 0xD7 || r == 0xF7 || r < 0xC0:
		return false
	}
	return r <= 0x2FF || r >= 0x370 && r <= 0x1FFF && r != 0x37E || r == 0x200C || r == 0x200D || r >= 0x2070 && r <= 0x218F ||
		r >= 0x2C00 && r <= 0x2FEF || r >= 0x3001 && r <= 0xD7FF || r >= 0xF900 && r <= 0xFDCF || r >= 0xFDF0 && r <= 0xFFFC ||
		r >= 0x10000 && r <= 0xEFFFF
}

// isNameRune reports whether names may hold r.
func isNameRune(r rune) bool {
	return isNameStart(r) || r >= '0' && r <= '9' || r == '-' || r == '.' || r == 0xB7 || r >= 0x300 && r <= 0x36F && unicode.Is(unicode.M, r) ||
		r == 0x203F || r == 0x2040
}

// appendName appends s, which follows the beginning of a name, with what names cannot hold as _.
func appendName(dst, s []byte) []byte {
	for len(s) > 0 {
		r, n := utf8.DecodeRune(s)
		if isNameRune(r) && !(r == utf8.RuneError && n == 1) {
			dst = append(dst, s[:n]...)
		} else {
			dst = append(dst, '_')
		}
		s = s[n:]
	}
	return dst
}
