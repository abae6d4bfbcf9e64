package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"example.org/library/api"
)

// refusals are the answers to malformed requests, which net/http refuses before a
// handler sees them.
var refusals = map[int]string{
	http.StatusExpectationFailed:           "Nothing but 100-continue can be expected.",
	http.StatusRequestHeaderFieldsTooLarge: "The header of the request is larger than is allowed.",
	http.StatusNotImplemented:              "The transfer encoding of the request is not supported.",
	http.StatusHTTPVersionNotSupported:     "This version of HTTP is not supported.",
}

// Refusal makes complete answers to malformed requests, with the headers and the body
// of all our errors.
func Refusal(tls bool) func(status int) []byte {
	malformed := "The request is not well-formed HTTP."
	if tls { // mostly from clients with an http:// address
		malformed = "This server speaks HTTPS, and the request is not well-formed; check that the address begins with https://."
	}
	return func(status int) []byte {
		message := refusals[status]
		if message == "" {
			message = malformed
		}
		id := newRequestID()
		body, _ := json.Marshal(api.Error{ // strings and numbers always marshal
			Timestamp: time.Now().UTC().Format(api.TimestampLayout),
			Status:    status,
			Error:     statusText(status),
			Message:   message,
			Code:      "malformed_request",
			RequestID: id,
		})
		h := http.Header{"Content-Type": {"application/json"}, "Connection": {"close"}}
		setUsual(h, id, tls)
		var b bytes.Buffer
		fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", status, statusText(status))
		h.Write(&b)
		fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(body), body)
		return b.Bytes()
	}
}
