package auth

import (
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
	if tokenInQuery(r.URL) {
		return "", errTwoMethods
	}
	if token == "" || len(token) > maxTokenSize {
		return "", errMalformed
	}
	return token, nil
}

// credentials returns what follows the scheme in an Authorization field, and
// whether the field uses that scheme. Spaces may part the two; anything else
// between them, such as a tab, stays a part of credentials that are then bad.
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

func tokenInQuery(u *url.URL) bool {
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
