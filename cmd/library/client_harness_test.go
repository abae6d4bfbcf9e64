package main

import (
	"bytes"
	"context"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.org/library/client"
	"example.org/library/internal/testidp"
	"example.org/library/terminal"
)

// world is a library with the samples in it, and a provider that it trusts.
type world struct {
	idp     *testidp.Provider
	address string
}

var listeningAt = regexp.MustCompile(`msg=listening addr=(\S+)`)

// newWorld runs the service in this process until the test ends.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{idp: testidp.New(t)}
	ctx, cancel := context.WithCancel(context.Background())
	var log safeBuffer
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		runHere(ctx, &log, "serve", "--addr", "127.0.0.1:0", "--management-addr", "127.0.0.1:0", "--issuer", w.idp.Issuer(),
			"--database", "sqlite:"+filepath.Join(t.TempDir(), "library.db"), "--sample-data")
	}()
	t.Cleanup(func() { cancel(); <-ended })
	for deadline := time.Now().Add(20 * time.Second); w.address == ""; time.Sleep(5 * time.Millisecond) {
		if found := listeningAt.FindStringSubmatch(log.String()); found != nil {
			w.address = "http://" + found[1] + "/library-server"
		} else if time.Now().After(deadline) {
			t.Fatalf("it does not listen:\n%s", log.String())
		}
	}
	return w
}

// token lets a sample user in.
func (w *world) token(t *testing.T, email, scope string) string {
	t.Helper()
	return w.idp.Token(t, email, scope)
}

const (
	reader  = "bruce.wayne@example.com"
	curator = "peter.parker@example.com"
	admin   = "clark.kent@example.com"
)

// client is the API half alone.
func (w *world) client(t *testing.T, email, scope string) *client.Client {
	t.Helper()
	c, err := client.New(w.address, client.StaticSource(client.Token{Access: w.token(t, email, scope)}))
	if err != nil {
		t.Fatal(err)
	}
	// The keys may still be on their way.
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if _, err = c.Me(t.Context()); err == nil {
			return c
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// newTestApp is an app in a pipe; what it says is in the buffer.
func newTestApp() (*app, *bytes.Buffer) {
	var said bytes.Buffer
	env := environment{
		lookup: func(string) (string, bool) { return "", false },
		stdin:  strings.NewReader(""), stdout: &said, stderr: &said,
	}
	a := &app{env: env}
	a.term = terminal.New(terminal.Options{In: env.stdin, Out: env.stdout, Err: env.stderr, Lookup: env.lookup})
	return a, &said
}
