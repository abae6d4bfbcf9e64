package httpapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"example.org/library"
	"example.org/library/httpapi/internal/feed"
	"example.org/library/service"
)

// maxLag is how many events a stream may be behind.
const maxLag = 10_000

// streamEvents sends the caller every change of a book, and of the caller's own loans
// and holds, as long as the caller listens, may listen, and the server runs. It begins
// at the caller's last event, if this is still known.
func (s *Server) streamEvents(x *exchange) error {
	if err := x.query().Err(); err != nil {
		return err
	}
	if x.r.Method == http.MethodHead {
		x.beginStream()
		return nil
	}
	if err := s.streams.Acquire(x.actor.User.ID); err != nil {
		return tooManyStreams(err)
	}
	defer s.streams.Release(x.actor.User.ID)
	ctx, cancel := context.WithDeadline(x.r.Context(), x.end())
	defer cancel()
	defer context.AfterFunc(s.streams.Stopped(), cancel)()

	st := &stream{x: x, service: s.service, hub: s.streams}
	err := st.run(ctx)
	switch {
	case err == nil || ctx.Err() != nil && x.status != 0:
		return nil
	case ctx.Err() != nil && x.r.Context().Err() == nil: // over before it began, and not by the caller
		x.beginStream()
		return nil
	case x.status != 0:
		x.code = "broken_off"
		s.log.Error("event stream broken off", "requestId", x.id, "route", x.pattern(), "error", err)
		return nil
	}
	return err
}

func tooManyStreams(err error) error {
	if errors.Is(err, feed.ErrTooManyOwn) {
		return errTooManyOwn
	}
	return errTooManyAll
}

func (x *exchange) beginStream() {
	h := x.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	x.endless = true
	x.writeHeader(http.StatusOK)
}

// stream is the event stream of one caller.
type stream struct {
	x       *exchange
	service *service.Service
	hub     *feed.Hub
	at      library.Position // all changes up to here have been sent
	buf     []byte           // to be sent
}

// errNotRead is returned if the caller does not read on: nothing to report.
var errNotRead = errors.New("the caller does not read")

// run is the life of a stream. A nil error is a good end.
func (st *stream) run(ctx context.Context) error {
	f, err := st.hub.Subscribe(ctx)
	if err != nil {
		return err
	}
	defer st.hub.Unsubscribe(f)
	// First the place in the feed, then the history: changes in between are in both,
	// and take skips them.
	last := f.Latest()
	missed, err := st.begin(ctx)
	if err != nil {
		return err
	}
	st.x.beginStream()
	if err := st.catchUp(ctx, missed); err != nil {
		return quietly(err)
	}
	// Only now: after a departure in the history the user may have come back.
	if err := st.x.recheck(ctx); isRefusal(err) {
		return nil
	} else if err != nil {
		return err
	}
	return quietly(st.follow(ctx, f, last))
}

func quietly(err error) error {
	if errors.Is(err, errNotRead) {
		return nil
	}
	return err
}

// begin finds the place to begin at, and the first changes that the caller has
// missed.
func (st *stream) begin(ctx context.Context) ([]library.Change, error) {
	st.buf = append(st.buf, "retry: 2000\n\n"...)
	kind := "ready"
	if given := st.x.r.Header["Last-Event-Id"]; len(given) > 0 && (len(given) > 1 || given[0] != "") {
		kind = "reset"
		if p, ok := library.ParsePosition(given[0]); ok && len(given) == 1 {
			missed, err := st.service.Changes(ctx, p, feed.Page)
			if !errors.Is(err, library.ErrPositionLost) {
				st.at = p
				return missed, err
			}
		}
	}
	var err error
	st.at, err = st.service.LastChange(ctx)
	st.buf = feed.Append(st.buf, kind, st.at, []byte("{}"))
	return nil, err
}

// catchUp sends the missed changes, page by page. The caller has to read all of them in the
// time of one event: meanwhile the feed grows in memory.
func (st *stream) catchUp(ctx context.Context, missed []library.Change) error {
	deadline := st.deadline()
	for {
		for _, e := range feed.Encode(missed) {
			if err := st.add(ctx, e); err != nil {
				return err
			}
		}
		if err := st.send(deadline); err != nil {
			return err
		}
		if len(missed) < feed.Page {
			return nil
		}
		var err error
		if missed, err = st.service.Changes(ctx, st.at, feed.Page); err != nil {
			return err
		}
	}
}

// follow sends the changes of the feed after a batch. The removal of a user is in the feed;
// the end of credentials is not, so they are checked before anything is sent.
func (st *stream) follow(ctx context.Context, f *feed.Feed, last *feed.Batch) error {
	silence := time.NewTicker(st.hub.KeepAlive)
	defer silence.Stop()
	ended := st.x.server.logouts.changed()
	if st.x.StillValid() != nil {
		return nil
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ended:
			ended = st.x.server.logouts.changed()
			if st.x.StillValid() != nil {
				return nil
			}
		case <-silence.C:
			st.buf = append(st.buf, ": keep-alive\n\n"...)
		case <-last.Linked():
			last = last.Next()
			over, err := st.take(ctx, last)
			if err != nil {
				return err
			}
			if over || f.Latest().Number-last.Number > maxLag {
				return nil
			}
		}
		if len(st.buf) == 0 {
			continue
		}
		if st.x.StillValid() != nil {
			return nil
		}
		if err := st.send(st.deadline()); err != nil {
			return err
		}
		silence.Reset(st.hub.KeepAlive)
	}
}

// take adds the events of a batch to the buffer. The stream is over when
// it has to begin anew, or when the caller has been removed.
func (st *stream) take(ctx context.Context, b *feed.Batch) (over bool, err error) {
	for _, e := range b.Events {
		if e.Position.Compare(st.at) <= 0 {
			continue
		}
		if e.Kind == library.UserLeft && e.ID == st.x.actor.User.ID {
			return true, nil
		}
		if err := st.add(ctx, e); err != nil {
			return true, err
		}
	}
	return b.Reset, nil
}

// add adds an event, if it is for this caller.
func (st *stream) add(ctx context.Context, e feed.Event) error {
	text := e.Text
	if e.Person != "" && e.Person == st.x.actor.User.ID {
		var err error
		if text, err = st.ownEvent(ctx, e.Change); err != nil {
			return err
		}
	}
	st.buf = append(st.buf, text...)
	st.at = e.Position
	return nil
}

// ownEvent is about a loan or a hold of the caller's own, as it is by now. There is
// none about a record that is gone, or no longer the caller's.
func (st *stream) ownEvent(ctx context.Context, c library.Change) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, feed.Timeout)
	defer cancel()
	var record any
	var whose string
	var err error
	switch c.Kind {
	case library.LoanChanged:
		var l library.Loan
		l, err = st.service.Loan(ctx, st.x.actor, c.ID)
		record, whose = wireLoan(l), l.Borrower.ID
	case library.HoldChanged:
		var h library.Hold
		h, err = st.service.Hold(ctx, st.x.actor, c.ID)
		record, whose = wireHold(h), h.Holder.ID
	}
	switch {
	case errors.Is(err, library.ErrLoanNotFound) || errors.Is(err, library.ErrHoldNotFound):
		return nil, nil
	case err != nil || whose != st.x.actor.User.ID:
		return nil, err
	}
	data, err := encode(record)
	return feed.Append(nil, string(c.Kind), c.Position, data), err
}

// deadline is for the next write, and late enough to come after the next sign
// of life: over HTTP/2 a stream is cut off when its deadline passes, whether
// anything is being written or not.
func (st *stream) deadline() time.Time { return time.Now().Add(st.hub.KeepAlive + streamTimeout) }

// send sends the buffer at once.
func (st *stream) send(deadline time.Time) error {
	out := http.NewResponseController(st.x.w)
	out.SetWriteDeadline(deadline)
	err := st.x.send(st.buf)
	st.buf = st.buf[:0]
	if err != nil {
		return errNotRead
	}
	if err := out.Flush(); errors.Is(err, http.ErrNotSupported) {
		return err
	} else if err != nil {
		return errNotRead
	}
	return nil
}

// EndStreams ends all event streams, now and for good: the server is stopping,
// and they would not end by themselves. Nor do test mails wait for a mail server.
func (s *Server) EndStreams() {
	s.stop()
	s.streams.Stop()
}
