package httpapi

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"example.org/library"
	"example.org/library/httpapi/internal/input"
	"example.org/library/internal/strictjson"
)

// maxBody is the size of the largest request body.
const maxBody = 1 << 20

// query reads the query string.
func (x *exchange) query() *input.Query { return input.ParseQuery(x.r.URL.RawQuery) }

// body reads the whole of a body of JSON.
func (x *exchange) body() ([]byte, error) {
	if !isJSON(x.r.Header) {
		return nil, errNotJSON
	}
	return x.read()
}

// read reads the whole of a body.
func (x *exchange) read() ([]byte, error) {
	body, err := x.receive(maxBody, errTooLarge)
	if err != nil {
		return nil, err
	}
	return body, x.enter()
}

// receive reads the whole of a body, without a place.
func (x *exchange) receive(most int64, tooLarge error) ([]byte, error) {
	if x.r.ContentLength > most {
		return nil, tooLarge
	}
	if err := x.knownBeforeBody(); err != nil {
		return nil, err
	}
	x.leave() // from here on it waits for the caller
	body, err := io.ReadAll(http.MaxBytesReader(x.w, x.r.Body, most))
	if _, isTooLarge := errors.AsType[*http.MaxBytesError](err); isTooLarge {
		return nil, tooLarge
	} else if err != nil {
		return nil, badRequest(codeIncompleteBody, "The body could not be read to its end.")
	}
	return body, nil
}

// fields reads the JSON object in the request's body.
func (x *exchange) fields() (input.Fields, error) {
	body, err := x.body()
	if err != nil {
		return input.Fields{}, err
	}
	return parseFields(body)
}

// optionalFields reads the JSON object in the request's body, which may be empty.
func (x *exchange) optionalFields() (input.Fields, error) {
	body, err := x.read()
	if err != nil || len(bytes.TrimSpace(body)) == 0 {
		return input.Fields{}, err
	}
	if !isJSON(x.r.Header) {
		return input.Fields{}, errNotJSON
	}
	return parseFields(body)
}

// parseFields reads a JSON object.
func parseFields(body []byte) (input.Fields, error) {
	members, err := strictjson.Object(body)
	if err != nil {
		return input.Fields{}, malformed(err)
	}
	return input.NewFields(members), nil
}

// mediaType returns the media type of a body, "" if there is not exactly one.
func mediaType(h http.Header) (media string, params map[string]string) {
	types := h["Content-Type"]
	if len(types) != 1 || h["Content-Encoding"] != nil {
		return "", nil
	}
	media, params, err := mime.ParseMediaType(types[0])
	if err != nil {
		return "", nil
	}
	return media, params
}

func isJSON(h http.Header) bool {
	media, params := mediaType(h)
	if charset, ok := params["charset"]; ok && !strings.EqualFold(charset, "utf-8") {
		return false
	}
	return media == "application/json" || strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json")
}

func malformed(err error) error {
	duplicate, isDuplicate := errors.AsType[*strictjson.DuplicateError](err)
	switch {
	case isDuplicate:
		return badRequest(codeMalformedBody, "The body names a member twice.", input.DuplicateMember(duplicate))
	case errors.Is(err, strictjson.ErrTooMany):
		return library.ErrImportSize
	case errors.Is(err, strictjson.ErrNotArray):
		return badRequest(codeMalformedBody, "The body must be one JSON array of books.")
	case errors.Is(err, strictjson.ErrNotObject):
		return badRequest(codeMalformedBody, "The body must be one JSON object.")
	default:
		return badRequest(codeMalformedBody, "The body is not valid JSON.")
	}
}

// edit reads the new fields of a record from the body of a PUT.
func (x *exchange) edit(id string) (input.Fields, error) {
	in, err := x.fields()
	in.MustBe(id)
	return in, err
}
