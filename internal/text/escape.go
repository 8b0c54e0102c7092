package text

import "unicode/utf8"

const replacement = "\uFFFD"

// The bytes that are not copied as they are: those of characters of several bytes are looked at.
var xmlSpecial, jsonSpecial, csvSpecial = special(`<>&"'`, ' '), special(`"\`, ' '), special(`"`, 0)

// special marks the bytes of list, those below controls and those from 0x80 on.
func special(list string, controls int) (s [256]bool) {
	for i := range s {
		s[i] = i < controls || i >= utf8.RuneSelf
	}
	for _, b := range []byte(list) {
		s[b] = true
	}
	return s
}

// span returns how many bytes from at on may be copied as they are.
func span(s []byte, at int, special *[256]bool) int {
	start := at
	for at < len(s) {
		if !special[s[at]] {
			at++
			continue
		}
		if s[at] < utf8.RuneSelf {
			break
		}
		r, n := utf8.DecodeRune(s[at:])
		if n == 1 || r == 0xFFFE || r == 0xFFFF {
			break
		}
		at += n
	}
	return at - start
}

// AppendXML appends s as the text of an element or an attribute. Bytes that are no UTF-8 and characters that XML 1.0 cannot hold
// become U+FFFD; line ends of text survive parsing (XML 1.0, 2.11 and 3.3.3) as character references.
func AppendXML(dst, s []byte) []byte {
	for at := 0; ; {
		n := span(s, at, &xmlSpecial)
		dst = append(dst, s[at:at+n]...)
		if at += n; at == len(s) {
			return dst
		}
		size := 1
		switch s[at] {
		case '<':
			dst = append(dst, "&lt;"...)
		case '>':
			dst = append(dst, "&gt;"...)
		case '&':
			dst = append(dst, "&amp;"...)
		case '"':
			dst = append(dst, "&quot;"...)
		case '\'':
			dst = append(dst, "&apos;"...)
		case '\t':
			dst = append(dst, "&#9;"...)
		case '\n':
			dst = append(dst, "&#10;"...)
		case '\r':
			dst = append(dst, "&#13;"...)
		default:
			dst = append(dst, replacement...)
			_, size = utf8.DecodeRune(s[at:])
		}
		at += size
	}
}

const hex = "0123456789abcdef"

// AppendQuoted appends s as a JSON string (RFC 8259, 7), quotes included. Bytes that are no UTF-8 become U+FFFD.
func AppendQuoted(dst, s []byte) []byte {
	dst = append(dst, '"')
	for at := 0; ; {
		n := span(s, at, &jsonSpecial)
		dst = append(dst, s[at:at+n]...)
		if at += n; at == len(s) {
			return append(dst, '"')
		}
		size := 1
		switch c := s[at]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\r':
			dst = append(dst, '\\', 'r')
		case c == '\t':
			dst = append(dst, '\\', 't')
		case c < ' ':
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			dst, size = appendWide(dst, s[at:])
		}
		at += size
	}
}

// AppendField appends s as a field of CSV (RFC 4180, 2), in quotes where it needs them: also when it is empty, because a field
// without anything is a null. Bytes that are no UTF-8 become U+FFFD.
func AppendField(dst, s []byte) []byte {
	quoted := len(s) == 0 || s[0] == ' ' || s[len(s)-1] == ' '
	for _, c := range s {
		if c == '"' || c == ',' || c == '\n' || c == '\r' {
			quoted = true
			break
		}
	}
	if quoted {
		dst = append(dst, '"')
	}
	for at := 0; ; {
		n := span(s, at, &csvSpecial)
		dst = append(dst, s[at:at+n]...)
		if at += n; at == len(s) {
			break
		}
		size := 1
		if s[at] == '"' {
			dst = append(dst, `""`...)
		} else {
			dst, size = appendWide(dst, s[at:])
		}
		at += size
	}
	if quoted {
		dst = append(dst, '"')
	}
	return dst
}

// appendWide appends the character that s begins with, or U+FFFD for a byte that begins none. It returns its size in s.
func appendWide(dst, s []byte) ([]byte, int) {
	r, n := utf8.DecodeRune(s)
	return utf8.AppendRune(dst, r), n
}
