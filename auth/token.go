package auth

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
)

// tokenOf returns the token in the request's Authorization field. RFC 6750
// knows two more places for it, the query and a form; they end up in logs and
// histories, so a token there counts as none at all.
func tokenOf(r *http.Request, scheme string) (string, *Error) {
	fields := r.Header["Authorization"]
	if len(fields) > 1 {
		return "", errTwoFields
	}
	if len(fields) == 0 {
		return "", errMissingToken
	}
	token, ok := credentials(fields[0], scheme)
	if !ok {
		return "", errMissingToken
	}
	if TokenInQuery(r.URL) {
		return "", errTwoMethods
	}
	if token == "" || len(token) > maxTokenSize {
		return "", errMalformed
	}
	return token, nil
}

// credentials returns the text after the scheme in an Authorization field, and whether the field
// uses the scheme. Spaces may part the two; anything else between them, such as a tab, makes the
// credentials bad.
func credentials(field, scheme string) (string, bool) {
	end := strings.IndexFunc(field, func(r rune) bool { return !inSchemeName(r) })
	if end < 0 {
		end = len(field)
	}
	if !equalFoldASCII(field[:end], scheme) {
		return "", false
	}
	return strings.Trim(field[end:], " "), true
}

// inSchemeName reports whether r may be in a scheme's name: a token of RFC 9110.
func inSchemeName(r rune) bool {
	return r > ' ' && r <= '~' && !strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
}

// TokenInQuery reports whether an address has an access token.
func TokenInQuery(u *url.URL) bool {
	if u == nil {
		return false
	}
	for query := u.RawQuery; query != ""; {
		var pair string
		if i := strings.IndexAny(query, "&;"); i >= 0 {
			pair, query = query[:i], query[i+1:]
		} else {
			pair, query = query, ""
		}
		name, _, _ := strings.Cut(pair, "=")
		if name == "access_token" {
			return true
		}
		if plain, err := url.QueryUnescape(name); err == nil && plain == "access_token" {
			return true
		}
	}
	return false
}

// maxTokenSize is the longest accepted token, in bytes.
const maxTokenSize = 16 << 10

// token is a well-formed signed token in compact form. Nothing in it is verified yet.
type token struct {
	raw     string
	header  header
	payload []byte
}

// header holds the used members of a token's header. Members with a key (jwk, jku, x5c, x5u) are
// left out: keys come from the key set alone.
type header struct {
	algorithm algorithm
	kid       string
	hasKid    bool
	isAccess  bool // it says that it is an access token
}

// parseToken parses a token. There is exactly one spelling of each token: base64url without
// padding, white space or stray bits, and JSON objects with a single possible reading.
func parseToken(raw string) (*token, *Error) { return parseTyped(raw, bearerType) }

// parseTyped is parseToken for the types that takes accepts in the header.
func parseTyped(raw string, takes func(typ string) bool) (*token, *Error) {
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
	header, refusal := parseHeader(headerJSON, takes)
	if refusal != nil {
		return nil, refusal
	}
	return &token{raw: raw, header: header, payload: payload}, nil
}

func parseHeader(data []byte, takes func(typ string) bool) (header, *Error) {
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
		if !ok || !takes(kind) {
			return header{}, errTokenType
		}
		h.isAccess = accessTokenType(kind)
	}
	if m.has("kid") {
		if h.kid, h.hasKid = m.text("kid"); !h.hasKid {
			return header{}, errMalformed
		}
	}
	return h, nil
}

// bearerType reports whether a token with the type typ may be sent as a bearer token.
func bearerType(typ string) bool { return accessTokenType(typ) || equalFoldASCII(typ, "JWT") }

// accessTokenType reports whether typ is the type of an access token of RFC 9068. Most providers
// say JWT, a type for any token.
func accessTokenType(typ string) bool {
	return equalFoldASCII(typ, "at+jwt") || equalFoldASCII(typ, "application/at+jwt")
}
