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

// repeated returns a parameter that is there more than once, or "".
func (p params) repeated() string {
	for name, values := range p.values {
		if len(values) > 1 {
			return name
		}
	}
	return ""
}

var (
	errTooLong = &oauthError{
		Code: "invalid_request", Description: "The request is too long", status: http.StatusRequestEntityTooLarge,
	}
	errEncoding = invalidRequest("The request is not well encoded")
	errNoForm   = invalidRequest("The content type must be application/x-www-form-urlencoded")
	errRepeated = invalidRequest("A parameter is there more than once")
)

// bodyParams reads the parameters in the body of a request. Those in its
// address are not looked at: they would end up in logs.
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
	return parseParams(string(body))
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

// tokenParams reads the body of a request by a program, where a parameter that
// is there twice is an error whatever it is.
func tokenParams(r *http.Request) (params, error) {
	form, err := bodyParams(r)
	if err != nil {
		return params{}, err
	}
	if form.repeated() != "" {
		return params{}, errRepeated
	}
	return form, nil
}
