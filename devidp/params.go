package devidp

import (
	"io"
	"mime"
	"net/http"
	"net/url"
	"unicode/utf8"
)

// Limits of requests.
const (
	maxBody  = 64 << 10
	maxQuery = 16 << 10
)

// params are the parameters of a request. An empty value counts as none
// (RFC 6749, section 3.1).
type params struct {
	values url.Values
}

func (p params) get(name string) string { return p.values.Get(name) }

// repeated reports whether a parameter is there more than once.
func (p params) repeated() bool {
	for _, values := range p.values {
		if len(values) > 1 {
			return true
		}
	}
	return false
}

var (
	errTooLong = &oauthError{
		Code: "invalid_request", Description: "The request is too long", status: http.StatusRequestEntityTooLarge,
	}
	errEncoding = invalidRequest("The request is not well encoded")
	errNoForm   = invalidRequest("The content type must be application/x-www-form-urlencoded")
	errRepeated = invalidRequest("A parameter is there more than once")
)

// bodyParams reads the parameters in the body of a request, each at most once. The address is not
// looked at: its parameters would end up in logs.
func bodyParams(r *http.Request) (params, error) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/x-www-form-urlencoded" {
		return params{}, errNoForm
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		return params{}, errEncoding
	}
	if len(body) > maxBody {
		return params{}, errTooLong
	}
	form, err := parseParams(string(body))
	if err == nil && form.repeated() {
		return params{}, errRepeated
	}
	return form, err
}

// queryParams reads the parameters in the address of a request.
func queryParams(r *http.Request) (params, error) {
	if len(r.URL.RawQuery) > maxQuery {
		return params{}, errTooLong
	}
	return parseParams(r.URL.RawQuery)
}

func parseParams(encoded string) (params, error) {
	values, err := url.ParseQuery(encoded)
	if err != nil {
		return params{}, errEncoding
	}
	for name, all := range values {
		for _, value := range all {
			if !utf8.ValidString(name) || !utf8.ValidString(value) {
				return params{}, errEncoding
			}
		}
	}
	return params{values}, nil
}
