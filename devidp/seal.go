package devidp

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
)

// seal signs what this process gives out (HMAC), and recognises it when it comes back.
type seal [sha256.Size]byte

func newSeal() seal {
	var k seal
	rand.Read(k[:]) // never fails
	return k
}

// of returns the seal of the parts. The first says what it is for, so that the
// seal of one thing is never that of another.
func (k seal) of(parts ...string) string {
	h := hmac.New(sha256.New, k[:])
	for _, part := range parts {
		// The length first: ("a", "bc") is not ("ab", "c").
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		h.Write([]byte(part))
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

func (k seal) is(mac string, parts ...string) bool {
	return hmac.Equal([]byte(mac), []byte(k.of(parts...)))
}
