package httpapi

import (
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"example.org/library"
	"example.org/library/auth"
	"example.org/library/httpapi/internal/responsecache"
	"example.org/library/internal/loadshed"
	"example.org/library/service"
)

// exchange is one request and its answer. Every answer is written through it,
// so it knows status and size without wrapping the ResponseWriter.
type exchange struct {
	server *Server
	w      http.ResponseWriter
	r      *http.Request
	id     string
	began  time.Time

	identity    *auth.Identity             // set by authentication
	subject     string                     // of the caller, where records are tied to one
	actor       library.Actor              // and its user, as soon as the record is loaded
	at          responsecache.Snapshot     // when the actor was looked up
	route       *route                     // set by routing
	param       string                     // the {id} or {code} of the path, decoded
	idempotency *service.IdempotentRequest // set if the request has an idempotency key

	limiter *loadshed.Limiter // of its work; nil for no limit
	place   *loadshed.Limiter // where the request has a place; nil if it has none
	begun   bool              // it has had a place before
	waiting waitBudget
	judged  time.Time // when a long answer has last been judged
	status  int       // 0 until the header has gone out
	bytes   int
	code    string // of the error body, if there was one
	isSCIM  bool   // it is for a directory, and errors have a form of their own
	endless bool   // the answer takes as long as the caller likes

	sheet     *spreadsheet // set if the caller wants a list as one
	corrected string       // the corrected question, if it was misspelt

	event Event // for the report in the end
}

// requestID takes over the caller's request id, if it is harmless, so that one
// request can be followed through several programs; else it makes one.
func requestID(r *http.Request) string {
	if given := r.Header["X-Request-Id"]; len(given) == 1 && harmlessID(given[0]) {
		return given[0]
	}
	return newRequestID()
}

func newRequestID() string {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], rand.Uint64())
	return hex.EncodeToString(b[:])
}

func harmlessID(id string) bool {
	if len(id) == 0 || len(id) > 64 {
		return false
	}
	for i := range len(id) {
		c := id[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	return true
}

// StillValid makes the caller's credentials known to the domain.
func (x *exchange) StillValid() error { return x.server.auth.StillValid(x.identity) }

// writeHeader sends the status line and the headers. From here
// on the caller sets the pace.
func (x *exchange) writeHeader(status int) {
	x.leave()
	x.status = status
	x.w.WriteHeader(status)
}

// write sends a complete body.
func (x *exchange) write(status int, body []byte) {
	x.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	x.writeHeader(status)
	x.sendWhole(body)
}

// sendWhole sends a complete body. A large one has a time-out for each part of it:
// it may take long, but not the next read of the caller.
func (x *exchange) sendWhole(body []byte) {
	for len(body) > streamChunk {
		x.allow(streamTimeout)
		if x.send(body[:streamChunk]) != nil {
			return
		}
		if body = body[streamChunk:]; len(body) <= streamChunk {
			x.allow(streamTimeout)
		}
	}
	x.send(body)
}

// allow gives the caller some time to read the next part, within the time for a whole
// answer.
func (x *exchange) allow(d time.Duration) {
	deadline := time.Now().Add(d)
	if x.identity != nil || x.actor.Stranger {
		if end := x.end(); end.Before(deadline) {
			deadline = end
		}
	}
	http.NewResponseController(x.w).SetWriteDeadline(deadline)
}

// send sends a piece of the body. Handlers may ignore the error, of a caller gone away;
// it is for those with a long answer.
func (x *exchange) send(body []byte) error {
	if x.r.Method == http.MethodHead {
		return nil
	}
	n, err := x.w.Write(body)
	x.bytes += n
	return err
}

// recover turns a panic into a 500 and a log event with the stack. If a part
// of the answer is out already, the connection is cut, so that nobody takes
// the part for the whole.
func (x *exchange) recover() {
	p := recover()
	if p == nil {
		return
	}
	if p != http.ErrAbortHandler {
		x.server.log.Error("panic", "requestId", x.id, "route", x.pattern(), "panic", p, "stack", string(debug.Stack()))
	}
	if x.status != 0 || p == http.ErrAbortHandler {
		panic(http.ErrAbortHandler)
	}
	x.fail(errPanic)
}

// pattern is the route for logs and metrics: never the path itself, which is
// untrusted input.
func (x *exchange) pattern() string {
	if x.route == nil {
		return ""
	}
	return x.route.pattern
}
