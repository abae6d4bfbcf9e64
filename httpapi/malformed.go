package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"example.org/library/api"
)

// Malformed is a complete answer to bytes that are no request at all, so that
// they never reach a handler: net/http refuses them by itself, with a body of
// its own that this one replaces.
func Malformed(status int, now time.Time) []byte {
	id := newRequestID()
	body, _ := json.Marshal(api.Error{ // strings and numbers always marshal
		Timestamp: now.UTC().Format(api.TimestampLayout),
		Status:    status,
		Error:     statusText(status),
		Message:   "The request is not well-formed HTTP, or larger than is allowed.",
		Code:      "malformed_request",
		RequestID: id,
	})
	h := http.Header{"Content-Type": contentJSON, "Connection": {"close"}}
	headers{}.write(h, []string{id})
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", status, statusText(status))
	h.Write(&b)
	fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return b.Bytes()
}
