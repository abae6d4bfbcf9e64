package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
)

// answer is a success that is ready to be sent, as often as is wanted. Header
// values are kept in the form in which the response takes them.
type answer struct {
	body   []byte
	length []string
	tag    []string // ETag, nil for none
	total  []string // X-Total-Count, nil for none
	link   []string // Link, nil for none

	parts []part // what it shows, if it is kept
}

func newAnswer(body []byte, tag string) *answer {
	a := &answer{body: body, length: []string{strconv.Itoa(len(body))}}
	if tag != "" {
		a.tag = []string{tag}
	}
	return a
}

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

// respond sends a value that may not be kept.
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

// noContent says that it is done, and there is nothing to say about it.
func (x *exchange) noContent() error {
	x.writeHeader(http.StatusNoContent)
	return nil
}

// show sends one record with its tag.
func (x *exchange) show(v any, tag string) error {
	body, err := encode(v)
	if err != nil {
		return err
	}
	return x.answer(newAnswer(body, tag))
}

// answer sends a kept answer, or 304 when the caller has it already.
func (x *exchange) answer(a *answer) error {
	if a.tag != nil && fresh(x.r.Header, a.tag[0]) {
		x.notModified(a.tag)
		return nil
	}
	a.setHeaders(x.w.Header())
	x.setLength(a.length)
	x.writeHeader(http.StatusOK)
	x.sendWhole(a.body)
	return nil
}

func (x *exchange) notModified(tag []string) {
	setTag(x.w.Header(), tag)
	x.writeHeader(http.StatusNotModified)
}
