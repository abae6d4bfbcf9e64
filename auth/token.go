package auth

import (
	"errors"
	"strings"
)

// maxTokenSize is the longest token that is looked at, in bytes.
const maxTokenSize = 16 << 10

// token is a signed token in compact form that keeps the rules of the front
// door. Nothing in it is verified yet.
type token struct {
	raw     string
	header  header
	payload []byte
}

// header is what of a token's header counts. Members that offer a key (jwk,
// jku, x5c, x5u) are not among them: keys come from the key set alone.
type header struct {
	algorithm algorithm
	kid       string
	hasKid    bool
	isAccess  bool // it says that it is an access token
}

// parseToken takes a token apart. There is exactly one spelling of each token:
// base64url without padding, white space or stray bits, and JSON objects that
// all readers read alike.
func parseToken(raw string) (*token, *Error) {
	if len(raw) > maxTokenSize || strings.Count(raw, ".") != 2 {
		return nil, errMalformed
	}
	first, rest, _ := strings.Cut(raw, ".")
	second, third, _ := strings.Cut(rest, ".")
	headerJSON, err1 := decodeBase64(first)
	payload, err2 := decodeBase64(second)
	signature, err3 := decodeBase64(third)
	if errors.Join(err1, err2, err3) != nil || len(signature) == 0 {
		return nil, errMalformed
	}
	header, refusal := parseHeader(headerJSON)
	if refusal != nil {
		return nil, refusal
	}
	return &token{raw: raw, header: header, payload: payload}, nil
}

func parseHeader(data []byte) (header, *Error) {
	m, err := parseMembers(data)
	if err != nil {
		return header{}, errMalformed
	}
	name, ok := m.text("alg")
	if !ok {
		return header{}, errMalformed
	}
	h := header{algorithm: algorithm(name)}
	if !h.algorithm.allowed() {
		return header{}, errAlgorithm
	}
	if m.has("crit") || m.has("b64") {
		return header{}, errExtension
	}
	if m.has("typ") {
		kind, ok := m.text("typ")
		if h.isAccess = accessTokenType(kind); !ok || !h.isAccess && !equalFoldASCII(kind, "JWT") {
			return header{}, errTokenType
		}
	}
	if m.has("kid") {
		if h.kid, h.hasKid = m.text("kid"); !h.hasKid {
			return header{}, errMalformed
		}
	}
	return h, nil
}

// accessTokenType reports whether a token of that typ is an access token of
// RFC 9068. Most providers say JWT, which may be any token.
func accessTokenType(typ string) bool {
	return equalFoldASCII(typ, "at+jwt") || equalFoldASCII(typ, "application/at+jwt")
}
