package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"example.org/library/httpapi/internal/responsecache"
)

// encode marshals a value without escaping what only matters inside HTML.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// respond sends a value that may not be cached.
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
	setTag(x.w.Header(), []string{tag})
	return x.respond(status, v)
}

// result sends a value that may not be cached, unless there is an error.
func (x *exchange) result(v any, err error) error {
	if err != nil {
		return err
	}
	return x.respond(http.StatusOK, v)
}

// noContent says that it is done, unless there is an error.
func (x *exchange) noContent(err error) error {
	if err == nil {
		x.writeHeader(http.StatusNoContent)
	}
	return err
}

// ifAny is what convert makes of a value, nil if there is none.
func ifAny[T, W any](value *T, convert func(T) W) *W {
	if value == nil {
		return nil
	}
	return new(convert(*value))
}

// each is what convert makes of each element. It is never nil, so JSON has an array.
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
	if r.Tag != nil && fresh(x.r.Header, r.Tag[0]) {
		x.notModified(r.Tag)
		return nil
	}
	setHeaders(x.w.Header(), r)
	x.setLength(r.Length)
	x.writeHeader(http.StatusOK)
	x.sendWhole(r.Body)
	return nil
}

func (x *exchange) notModified(tag []string) {
	setTag(x.w.Header(), tag)
	// A browser takes the headers of this for those of the answer that it has.
	if strings.Contains(x.r.URL.RawQuery, "fuzzy=") {
		exposeCorrection(x.w.Header())
	}
	x.writeHeader(http.StatusNotModified)
}
