package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"example.org/library/httpapi/internal/responsecache"
)

// encode marshals a value without the escapes for HTML.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// respond sends a value outside of the cache.
func (x *exchange) respond(status int, v any) error {
	body, err := encode(v)
	if err != nil {
		return err
	}
	x.w.Header().Set("Content-Type", "application/json")
	x.write(status, body)
	return nil
}

// respondTagged is respond with the tag of the record as it is now.
func (x *exchange) respondTagged(status int, v any, tag string) error {
	setTag(x.w.Header(), tag)
	return x.respond(status, v)
}

// result sends a value outside of the cache, unless there is an error.
func (x *exchange) result(v any, err error) error {
	if err != nil {
		return err
	}
	return x.respond(http.StatusOK, v)
}

// noContent answers 204, unless there is an error.
func (x *exchange) noContent(err error) error {
	if err == nil {
		x.writeHeader(http.StatusNoContent)
	}
	return err
}

// ifAny converts a value, and returns nil for nil.
func ifAny[T, W any](value *T, convert func(T) W) *W {
	if value == nil {
		return nil
	}
	return new(convert(*value))
}

// each converts each element. The result is never nil, so JSON has an array.
func each[T, W any](list []T, convert func(T) W) []W {
	out := make([]W, len(list))
	for i, v := range list {
		out[i] = convert(v)
	}
	return out
}

// show sends one record with its tag.
func (x *exchange) show(v any, tag string) error {
	body, err := encode(v)
	if err != nil {
		return err
	}
	return x.answer(responsecache.NewResponse(body, tag))
}

// answer sends a response, or 304 when the caller has it already.
func (x *exchange) answer(r *responsecache.Response) error {
	if fresh(x.r.Header, r.Tag) {
		x.notModified(r.Tag)
		return nil
	}
	setHeaders(x.w.Header(), r)
	x.write(http.StatusOK, x.coded(r))
	return nil
}

func (x *exchange) notModified(tag string) {
	h := x.w.Header()
	setTag(h, tagOfCaller(x.r.Header, tag))
	h.Set("Vary", varyCoded)
	// A browser replaces the headers of its answer by these.
	if strings.Contains(x.r.URL.RawQuery, "fuzzy=") {
		exposeCorrection(h)
	}
	x.writeHeader(http.StatusNotModified)
}
