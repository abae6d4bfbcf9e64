package client

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"html"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// callback is the address on this machine for the provider's answer. It takes one answer. Any page
// in any browser on this machine can send it something, so a request without the state is refused
// and spoils nothing.
type callback struct {
	meta    metadata
	state   string
	address string // the redirect address
	host    string
	server  *http.Server

	start string                 // path that leads to the login page
	page  atomic.Pointer[string] // the login page; nil if nobody is to be led there

	short   string                 // path that people type; leads to the login page, too
	typed   atomic.Pointer[string] // the login page; nil if nobody is to be led there
	guesses atomic.Int32           // of paths that are not there

	taken    atomic.Bool
	answered chan answer
	finished chan struct{} // closed when err is known
	err      error         // what became of the sign-in
}

// answer is the provider's answer.
type answer struct {
	code string
	err  error
}

const (
	callbackPath    = "/callback"
	startPath       = "/start/"
	shortLength     = 6                      // letters, of which there are a billion
	maxGuesses      = 50                     // after which a path that people type leads nowhere
	browserTimeout  = 10 * time.Second       // for a request of the browser to come in
	farewellTimeout = 500 * time.Millisecond // for the last page to go out
)

// listen binds a port of the loopback interface and serves the callback there.
func listen(ctx context.Context, meta metadata) (*callback, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("no port of this machine to hear the answer at: %w", err)
	}
	host := listener.Addr().String()
	c := &callback{
		meta: meta, state: rand.Text(), address: "http://" + host + callbackPath, host: host,
		start:    startPath + rand.Text(),
		short:    "/" + strings.ToLower(rand.Text()[:shortLength]),
		answered: make(chan answer, 1), finished: make(chan struct{}),
	}
	c.server = &http.Server{
		Handler: c, ReadTimeout: browserTimeout, MaxHeaderBytes: 32 << 10,
		ErrorLog: log.New(io.Discard, "", 0), // whatever knocks is not worth a line
	}
	c.server.SetKeepAlivesEnabled(false)
	go c.server.Serve(listener) // ends with finish
	return c, nil
}

// finish shows the result of the sign-in in the browser and closes the port.
func (c *callback) finish(err error) {
	c.err = err
	close(c.finished)
	ctx, cancel := context.WithTimeout(context.Background(), farewellTimeout)
	defer cancel()
	if c.server.Shutdown(ctx) != nil {
		c.server.Close() // browsers connect beforehand and never ask
	}
}

// leadTo returns an address on this machine that redirects to a page, once.
func (c *callback) leadTo(page string) string {
	c.page.Store(&page)
	return "http://" + c.host + c.start
}

// shorten returns a short, typable address on this machine that redirects to a page. Only a reader
// of the screen sees it, so it may be visited more than once.
func (c *callback) shorten(page string) string {
	c.typed.Store(&page)
	return "http://" + c.host + c.short
}

// lead sends the browser to the login page, once. A second request gets a page with a warning:
// another program may have come first.
func (c *callback) lead(w http.ResponseWriter, r *http.Request) {
	page := c.page.Swap(nil)
	if page == nil {
		show(w, http.StatusGone, "This address was good for one visit, and has been visited. If that was not you, somebody else "+
			"on this machine may be signing in in your place: stop the program and start again.")
		return
	}
	redirect(w, r, *page)
}

func redirect(w http.ResponseWriter, r *http.Request, page string) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, page, http.StatusFound)
}

// isShort reports whether a path is the typed one. Others on this machine do not get to guess it.
func (c *callback) isShort(path string) bool {
	return c.typed.Load() != nil && c.guesses.Load() < maxGuesses && subtle.ConstantTimeCompare([]byte(path), []byte(c.short)) == 1
}

// wait returns the code sent by the provider.
func (c *callback) wait(ctx context.Context, opened <-chan error) (string, error) {
	for {
		select {
		case a := <-c.answered:
			return a.code, a.err
		case err := <-opened:
			if err != nil {
				return "", fmt.Errorf("%s: the address could not be opened: %w", signingIn, err)
			}
			opened = nil
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return "", inWords(ctx.Err(), "%s: it was not finished in time; try again", signingIn)
			}
			return "", fmt.Errorf("%s: %w", signingIn, ctx.Err())
		}
	}
}

// ServeHTTP answers the browser when the result of the sign-in is known.
func (c *callback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	starts := subtle.ConstantTimeCompare([]byte(r.URL.Path), []byte(c.start)) == 1
	short := c.isShort(r.URL.Path)
	if r.Host != c.host || r.URL.Path != callbackPath && !starts && !short {
		c.guesses.Add(1)
		show(w, http.StatusNotFound, "There is nothing here.")
		return
	}
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		show(w, http.StatusMethodNotAllowed, "There is nothing to send here.")
		return
	}
	if starts {
		c.lead(w, r)
		return
	}
	if short {
		redirect(w, r, *c.typed.Load())
		return
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	state := query["state"]
	if err != nil || len(state) != 1 || subtle.ConstantTimeCompare([]byte(state[0]), []byte(c.state)) != 1 {
		show(w, http.StatusBadRequest, "This does not belong to the sign-in that is under way. "+
			"Go back to the program and start again from there.")
		return
	}
	if c.taken.Swap(true) {
		show(w, http.StatusConflict, "This sign-in has been answered already. You can close this window.")
		return
	}
	c.answered <- c.read(query)
	select {
	case <-c.finished:
	case <-r.Context().Done():
		return
	}
	if c.err != nil {
		show(w, http.StatusBadRequest, "You are not signed in: "+strings.TrimPrefix(c.err.Error(), signingIn+": "))
		return
	}
	show(w, http.StatusOK, "You are signed in; you can close this window.")
}

var (
	errOtherIssuer = errors.New("signing in: the answer comes from another identity provider than the one asked; do not try again before you know why")
	errNoCode      = errors.New("signing in: the identity provider sent neither a code nor a reason")
)

// read checks an answer with the right state. Its sender is checked first: another provider may
// have been made to send its own code (RFC 9207).
func (c *callback) read(query url.Values) answer {
	for _, name := range []string{"iss", "code", "error"} {
		if len(query[name]) > 1 {
			return answer{err: errNoCode}
		}
	}
	switch {
	case query.Has("iss") && query.Get("iss") != c.meta.Issuer, c.meta.IssuerParameter && !query.Has("iss"):
		return answer{err: errOtherIssuer}
	case query.Get("error") != "":
		return answer{err: refusal(signingIn, 0, query.Get("error"))}
	case query.Get("code") == "":
		return answer{err: errNoCode}
	}
	return answer{code: query.Get("code")}
}

// show writes a page. The browser is to remember nothing of it: the address
// holds the code.
func show(w http.ResponseWriter, status int, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<!doctype html>\n<html lang=\"en\">\n<title>Library</title>\n<p>%s</p>\n</html>\n", html.EscapeString(text))
}
