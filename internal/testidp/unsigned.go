package testidp

import "encoding/base64"

// Unsigned is a token with this header and these claims, which nobody has signed.
func Unsigned(header, claims string) string {
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(header)) + "." + encode([]byte(claims)) + ".sig"
}
