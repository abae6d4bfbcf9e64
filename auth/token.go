package auth

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"

	"example.org/library/internal/strictjson"
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
	headerJSON, err1 := decodeSegment(first)
	payload, err2 := decodeSegment(second)
	signature, err3 := decodeSegment(third)
	if errors.Join(err1, err2, err3) != nil || len(signature) == 0 {
		return nil, errMalformed
	}
	header, refusal := parseHeader(headerJSON)
	if refusal != nil {
		return nil, refusal
	}
	return &token{raw: raw, header: header, payload: payload}, nil
}

// strictBase64 refuses unused bits that are set. It ignores line breaks all the
// same, hence decodeSegment.
var strictBase64 = base64.RawURLEncoding.Strict()

func decodeSegment(s string) ([]byte, error) {
	if strings.ContainsAny(s, "\r\n") {
		return nil, base64.CorruptInputError(0)
	}
	return strictBase64.DecodeString(s)
}

func parseHeader(data []byte) (header, *Error) {
	members, err := strictjson.Object(data)
	if err != nil {
		return header{}, errMalformed
	}
	name, ok := stringMember(members, "alg")
	if !ok {
		return header{}, errMalformed
	}
	h := header{algorithm: algorithm(name)}
	if !h.algorithm.allowed() {
		return header{}, errAlgorithm
	}
	if has(members, "crit") || has(members, "b64") {
		return header{}, errExtension
	}
	if has(members, "typ") {
		if kind, ok := stringMember(members, "typ"); !ok || !accessTokenType(kind) {
			return header{}, errTokenType
		}
	}
	if has(members, "kid") {
		if h.kid, h.hasKid = stringMember(members, "kid"); !h.hasKid {
			return header{}, errMalformed
		}
	}
	return h, nil
}

// accessTokenType reports whether a token of that typ may be an access token:
// plain JWT, as most providers say, or the type of RFC 9068.
func accessTokenType(typ string) bool {
	return equalFoldASCII(typ, "JWT") || equalFoldASCII(typ, "at+jwt") || equalFoldASCII(typ, "application/at+jwt")
}

func has(members map[string]json.RawMessage, name string) bool {
	_, ok := members[name]
	return ok
}

// stringMember returns the member if it is there and a string. A null is no
// string, although encoding/json would take it for an empty one.
func stringMember(members map[string]json.RawMessage, name string) (string, bool) {
	return stringValue(members[name])
}

func stringValue(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}

// stringsValue returns the elements of an array of strings.
func stringsValue(raw json.RawMessage) ([]string, bool) {
	if len(raw) == 0 || raw[0] != '[' {
		return nil, false
	}
	var elements []json.RawMessage
	if json.Unmarshal(raw, &elements) != nil {
		return nil, false
	}
	values := make([]string, len(elements))
	for i, element := range elements {
		s, ok := stringValue(element)
		if !ok {
			return nil, false
		}
		values[i] = s
	}
	return values, true
}
