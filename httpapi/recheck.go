package httpapi

import (
	"context"
	"errors"
	"time"

	"example.org/library"
	"example.org/library/auth"
)

// Some answers take as long as the caller takes to read them: long lists and
// event streams. The caller was judged at the beginning; before more is sent, the
// caller is judged again.

const (
	maxAnswerAge   = time.Hour              // then the caller shows the credentials again
	recheckEvery   = 250 * time.Millisecond // how old the last judgement may be
	recheckTimeout = 10 * time.Second
)

var errAnswerTooLong = errors.New("the answer takes longer than an answer may")

// end is when a long answer ends at the latest.
func (x *exchange) end() time.Time {
	end := x.began.Add(x.server.maxAge)
	if x.actor.Stranger {
		return x.began.Add(publicMaxAge)
	}
	if expires := x.identity.Expires; !expires.IsZero() && expires.Before(end) {
		return expires
	}
	return end
}

// recheck judges the caller again, unless it did a moment ago.
func (x *exchange) recheck(ctx context.Context) error {
	now := time.Now()
	if now.Sub(x.judged) < recheckEvery {
		return nil
	}
	if now.After(x.end()) {
		return errAnswerTooLong
	}
	if x.actor.Stranger {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, recheckTimeout)
	defer cancel()
	err := x.server.service.Recheck(ctx, x.actor, x.route.permission)
	x.judged = now
	return err
}

// isRefusal reports whether an error of recheck is about the caller: nothing
// has gone wrong, the answer is over.
func isRefusal(err error) bool {
	_, isRefused := errors.AsType[*auth.Error](err)
	_, isRuled := errors.AsType[*library.Error](err)
	return isRefused || isRuled || errors.Is(err, errAnswerTooLong) || errors.Is(err, library.ErrCallerGone)
}
