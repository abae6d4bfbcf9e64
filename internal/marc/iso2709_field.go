package marc

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// fieldOf is a field as it stands in a record.
func fieldOf(tag string, raw []byte, text func([]byte) string) Field {
	f := Field{Tag: tag}
	if IsControl(tag) {
		f.Value = text(raw)
		return f
	}
	parts := bytes.Split(raw, []byte{subfieldBegin})
	f.Ind1, f.Ind2 = indicator(parts[0], 0), indicator(parts[0], 1)
	for _, part := range parts[1:] {
		if code, value := codeOf(part); code != 0 {
			f.Subfields = append(f.Subfields, Subfield{code, text(value)})
		}
	}
	return f
}

// codeOf is the code of a subfield and what follows it, 0 if there is none. A code is a
// character of ASCII. Real files have others where programs took it for text: "á" was an "a",
// and one that nobody could read stands before the code.
func codeOf(part []byte) (code byte, value []byte) {
	if len(part) == 0 || part[0] <= ' ' || part[0] == 0x7F {
		return 0, nil
	}
	if part[0] < utf8.RuneSelf {
		return part[0], part[1:]
	}
	letter, size := utf8.DecodeRune(part)
	if letter == utf8.RuneError && size == 1 {
		letter = rune(part[0]) // of ISO 8859-1
	}
	if plain := norm.NFKD.String(string(letter)); isCode(plain[0]) {
		return plain[0], part[size:]
	}
	if size < len(part) && isCode(part[size]) {
		return part[size], part[size+1:]
	}
	return 0, nil
}

// isCode reports whether a byte is one of the usual codes.
func isCode(b byte) bool { return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' }

func indicator(raw []byte, i int) byte {
	if i < len(raw) && raw[i] > ' ' && raw[i] < 0x7F {
		return raw[i]
	}
	return ' '
}
