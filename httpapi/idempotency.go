package httpapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"net/http"
	"slices"
	"strings"

	"example.org/library"
	"example.org/library/service"
)

// A POST may carry an Idempotency-Key (draft-ietf-httpapi-idempotency-key-header):
// after a lost answer a caller sends the same request again, and gets the answer of the
// first time. The rules are the domain's; here is their form in HTTP.
// Without the header nothing of this happens.

const (
	keyHeader      = "Idempotency-Key"
	replayedHeader = "Idempotency-Replayed"
)

var errBadKey = &problem{status: 400, code: "bad_idempotency_key", message: fmt.Sprintf(
	"The Idempotency-Key must be given once, and have 1 to %d visible ASCII characters; a comma, quote or backslash only inside quotes.", service.MaxIdempotencyKey)}

// handle lets the route answer, under the idempotency key if the request has one.
func (x *exchange) handle() error {
	keys := x.r.Header[keyHeader]
	if x.r.Method != http.MethodPost || len(keys) == 0 || x.route.work == reads { // a test mail changes nothing, nor does a card or a trial
		return x.route.handle(x)
	}
	key, ok := parseKey(keys)
	if !ok {
		return errBadKey
	}
	body, err := x.read()
	if err != nil {
		return err
	}
	x.r.Body = io.NopCloser(bytes.NewReader(body))
	x.idempotency = &service.IdempotentRequest{Key: key, Fingerprint: fingerprint(x.r, body)}
	recorded, err := x.server.service.DoIdempotent(x.r.Context(), x.actor, x.idempotency, func(ctx context.Context) error {
		x.r = x.r.WithContext(ctx)
		return x.route.handle(x)
	})
	if err != nil || recorded == nil {
		return err
	}
	return x.replay(recorded)
}

// parseKey reads the key: a string of RFC 8941, as the draft has it, or the bare
// characters that many clients send. "a" and a are one key. A bare key has no comma:
// it may be two headers, put together on the way.
func parseKey(values []string) (string, bool) {
	if len(values) != 1 {
		return "", false
	}
	key, forbidden := values[0], `",\`
	if inner, ok := strings.CutPrefix(key, `"`); ok {
		if key, ok = unquoteKey(inner); !ok {
			return "", false
		}
		forbidden = ""
	}
	isVisible := func(r rune) bool { return '!' <= r && r <= '~' }
	ok := key != "" && len(key) <= service.MaxIdempotencyKey && !strings.ContainsAny(key, forbidden) &&
		!strings.ContainsFunc(key, func(r rune) bool { return !isVisible(r) })
	return key, ok
}

// unquoteKey reads a string up to its closing quote, the last character.
func unquoteKey(s string) (string, bool) {
	var key strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return key.String(), i == len(s)-1
		case c == '\\':
			if i++; i == len(s) || s[i] != '"' && s[i] != '\\' {
				return "", false
			}
			key.WriteByte(s[i])
		default:
			key.WriteByte(c)
		}
	}
	return "", false
}

// fingerprint returns a digest of the request: the method, the path
// and the query as they were received, how the body is to be read, and the body.
func fingerprint(r *http.Request, body []byte) (sum library.Digest) {
	h := sha256.New()
	for _, part := range slices.Concat([]string{r.Method, rawPath(r), r.URL.RawQuery}, r.Header["Content-Type"], r.Header["Content-Encoding"]) {
		addPart(h, []byte(part))
	}
	addPart(h, body)
	h.Sum(sum[:0])
	return sum
}

// addPart adds a part and its length, so that no two lists of parts look alike.
func addPart(h hash.Hash, part []byte) {
	fmt.Fprintf(h, "%d:", len(part))
	h.Write(part)
}

// reply is the answer to a change.
type reply struct {
	status   int
	location string // of a new record
	tag      string // of the record as it is now
	value    any    // nil for an answer without a body
}

func done(value any) reply { return reply{status: http.StatusOK, value: value} }

// created is the answer with a new record and where to find it.
func (x *exchange) created(collection, id string, value any) reply {
	return reply{status: http.StatusCreated, location: x.server.router.base + collection + "/" + id, value: value}
}

// change makes a change and answers with its result. If the request has an
// idempotency key, the domain records the answer in the transaction of the change.
// Every POST with a change answers through this.
func change[T any](x *exchange, do func(context.Context) (T, error), render func(T) reply) error {
	if x.idempotency != nil {
		x.idempotency.Response = func(result any) ([]byte, error) {
			known, ok := result.(T)
			if !ok {
				return nil, fmt.Errorf("httpapi: a change came to a %T, and the answer is about a %T", result, known)
			}
			return recordOf(render(known))
		}
	}
	result, err := do(x.r.Context())
	if err != nil {
		return err
	}
	r := render(result)
	x.setLocation(r.location)
	if r.status == http.StatusNoContent {
		return x.emptyReply(r.status, r.tag)
	}
	return x.respond(r.status, r.value)
}

// emptyReply sends an answer without a body.
func (x *exchange) emptyReply(status int, tag string) error {
	setTag(x.w.Header(), tag)
	x.writeHeader(status)
	return nil
}

func (x *exchange) setLocation(location string) {
	if location != "" {
		x.w.Header().Set("Location", location)
	}
}

// recordHead is the recorded part of a reply beside its body.
type recordHead struct {
	Status   int    `json:"status"`
	Location string `json:"location,omitempty"`
	Tag      string `json:"tag,omitempty"`
}

// recordOf is a reply as it is recorded: a line of JSON, and the body.
func recordOf(r reply) ([]byte, error) {
	head, err := encode(recordHead{r.status, r.location, r.tag})
	if err != nil || r.value == nil {
		return append(head, '\n'), err
	}
	body, err := encode(r.value)
	return slices.Concat(head, []byte("\n"), body), err
}

// replay sends a recorded reply.
func (x *exchange) replay(recorded []byte) error {
	line, body, _ := bytes.Cut(recorded, []byte("\n"))
	var head recordHead
	if err := json.Unmarshal(line, &head); err != nil {
		return fmt.Errorf("httpapi: read a recorded answer: %w", err)
	}
	h := x.w.Header()
	h.Set(replayedHeader, "true")
	if head.Status == http.StatusNoContent {
		return x.emptyReply(head.Status, head.Tag)
	}
	h.Set("Content-Type", "application/json")
	x.setLocation(head.Location)
	x.write(head.Status, body)
	return nil
}
