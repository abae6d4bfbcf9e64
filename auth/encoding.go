package auth

import (
	"encoding/base64"
	"strings"
)

// strictBase64 refuses unused bits that are set. It ignores line breaks all the
// same, hence decodeBase64.
var strictBase64 = base64.RawURLEncoding.Strict()

// decodeBase64 decodes base64url in its one spelling: without padding, white
// space or stray bits.
func decodeBase64(s string) ([]byte, error) {
	if strings.ContainsAny(s, "\r\n") {
		return nil, base64.CorruptInputError(0)
	}
	return strictBase64.DecodeString(s)
}

// equalFoldASCII compares without regard to the case of ASCII letters. It is
// not strings.EqualFold, to which the Kelvin sign is a k.
func equalFoldASCII(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if lowerASCII(a[i]) != lowerASCII(b[i]) {
			return false
		}
	}
	return true
}

// foldASCII puts ASCII letters into lower case and leaves all others alone.
func foldASCII(s string) string {
	folded := []byte(s)
	for i, c := range folded {
		folded[i] = lowerASCII(c)
	}
	return string(folded)
}

func lowerASCII(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
