// Package clitest is what the tests of the commands share: a library that runs in
// the test, a program made of some of the commands, and servers that refuse.
package clitest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/auth"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/httpapi"
	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
	"example.org/library/sample"
	"example.org/library/search"
	"example.org/library/service"
	"example.org/library/signin"
	"example.org/library/sqlstore"
	"example.org/library/statistics"
	"example.org/library/terminal"
)

// World is a library with the samples in it, and a provider that it trusts.
type World struct {
	idp     *testidp.Provider
	address string
}

// NewWorld runs the service in this process until the test ends.
func NewWorld(t *testing.T, options ...service.Option) *World {
	t.Helper()
	return NewWorldWith(t, signin.Rules{}, options...)
}

// NewWorldWith is NewWorld with rules of signing in.
func NewWorldWith(t *testing.T, rules signin.Rules, options ...service.Option) *World {
	t.Helper()
	return newWorld(t, rules, auth.ModeScope, options...)
}

// NewLocalWorld is NewWorld with roles of the records.
func NewLocalWorld(t *testing.T) *World {
	t.Helper()
	return newWorld(t, signin.Rules{}, auth.ModeLocal)
}

func newWorld(t *testing.T, rules signin.Rules, authorities auth.Mode, options ...service.Option) *World {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	store, err := sqlstore.Open(ctx, "sqlite:"+filepath.Join(t.TempDir(), "library.db"))
	testkit.NoError(t, err)
	t.Cleanup(func() { store.Close() })
	if _, err := store.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	lib := service.New(store, options...)
	testkit.NoError(t, lib.Prepare(ctx, service.Setup{Samples: sample.Basic}))
	idp, log := testidp.New(t), slog.New(slog.DiscardHandler)
	keys := auth.NewKeySet(auth.KeySetConfig{Issuer: idp.Issuer(), Logger: log})
	go keys.Run(ctx)
	server := httptest.NewServer(httpapi.New(httpapi.Config{
		Service: lib, Admits: signin.New(lib, store, rules), Search: search.New(store), Statistics: statistics.New(store, lib.Now), Auth: auth.NewBearer(auth.Config{Issuer: idp.Issuer(), Audience: testidp.Audience, Keys: keys, Authorities: authorities}),
		Logger: log, Events: func(*httpapi.Event) {}, Metrics: httpapi.NewMetrics(prometheus.NewRegistry()),
	}))
	t.Cleanup(server.Close)
	return &World{idp: idp, address: server.URL}
}

// Program is the program, or a part of it, without its process.
type Program func(ctx context.Context, args []string, env command.Environment) int

// Only is the program with some of its commands.
func Only(commands ...func(*command.App) *cobra.Command) Program {
	return func(ctx context.Context, args []string, env command.Environment) int {
		return command.Execute(ctx, args, env, func(env command.Environment) *cobra.Command {
			root := &cobra.Command{Use: "library", SilenceErrors: true, SilenceUsage: true}
			root.SetFlagErrorFunc(command.ExplainFlags)
			a := command.NewApp(env)
			for _, newCommand := range commands {
				root.AddCommand(newCommand(a))
			}
			a.CommonFlags()
			return root
		})
	}
}

// Run runs a program inside the test with some environment variables.
func Run(t *testing.T, p Program, env map[string]string, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err testkit.Buffer
	code = p(t.Context(), args, command.Environment{
		Lookup: func(name string) (string, bool) { value, found := env[name]; return value, found },
		Stdin:  strings.NewReader(stdin), Stdout: &out, Stderr: &err,
	})
	return code, out.String(), err.String()
}

// As runs a program as somebody.
func (w *World) As(t *testing.T, p Program, email, scope, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return Run(t, p, map[string]string{
		"LIBRARY_TOKEN": w.token(t, email, scope), "LIBRARY_SERVER": w.address, "LIBRARY_CONFIG_DIR": t.TempDir(),
	}, stdin, args...)
}

// At runs a program as somebody at a terminal.
func (w *World) At(t *testing.T, p Program, email, scope string, tty *os.File, args ...string) (code int) {
	t.Helper()
	env := map[string]string{
		"LIBRARY_TOKEN": w.token(t, email, scope), "LIBRARY_SERVER": w.address, "LIBRARY_CONFIG_DIR": t.TempDir(), "NO_COLOR": "1",
	}
	return p(t.Context(), args, command.Environment{
		Lookup: func(name string) (string, bool) { value, found := env[name]; return value, found },
		Stdin:  tty, Stdout: tty, Stderr: tty,
	})
}

// token lets a sample user in.
func (w *World) token(t *testing.T, email, scope string) string {
	t.Helper()
	return w.idp.Token(t, email, scope)
}

// Users among the samples, one for each role.
const (
	Reader  = "bruce.wayne@example.com"
	Curator = "peter.parker@example.com"
	Admin   = "clark.kent@example.com"
)

// Client is the API half alone.
func (w *World) Client(t *testing.T, email, scope string) *client.Client {
	t.Helper()
	c, err := client.New(w.address, client.StaticSource(client.Token{Access: w.token(t, email, scope)}))
	testkit.NoError(t, err)
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

// NewApp is an app in a pipe; what it says is in the buffer.
func NewApp() (*command.App, *bytes.Buffer) {
	var said bytes.Buffer
	env := command.Environment{
		Lookup: func(string) (string, bool) { return "", false },
		Stdin:  strings.NewReader(""), Stdout: &said, Stderr: &said,
	}
	a := &command.App{Env: env}
	a.Term = terminal.New(terminal.Options{In: env.Stdin, Out: env.Stdout, Err: env.Stderr, Lookup: env.Lookup})
	return a, &said
}

// CleanCode is the identifier of a book among the samples.
const CleanCode = "f9bf70d6-e56d-4cab-be6b-294cd05f599f"

// Refuse answers with an error body.
func Refuse(w http.ResponseWriter, status int, code, message string) bool {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(api.Error{Status: status, Code: code, Message: message})
	return true
}

// RefusedToken is a token that can be looked into.
var RefusedToken = testidp.Unsigned(`{"kid":"k"}`, `{"iss":"https://id.example.com","aud":"others","email":"a@example.com","exp":4000000000}`)

// Refusing is a library that refuses every token, in words that nobody knows.
func Refusing(t *testing.T, code string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		challenge := "Bearer"
		if r.Header.Get("Authorization") != "" {
			challenge += ` error="invalid_token", error_description="Nein, 'books-api' fehlt"`
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("WWW-Authenticate", challenge)
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"status":401,"code":%q,"message":"Nein"}`, code)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// Clock is a clock that is behind or ahead of the real one.
type Clock struct{ off atomic.Int64 }

func (c *Clock) now() time.Time { return time.Now().Add(time.Duration(c.off.Load())) }

// Set makes the clock some days fast, or slow.
func (c *Clock) Set(d int) { c.off.Store(int64(d) * int64(24*time.Hour)) }

// Option lets a service go by the clock.
func (c *Clock) Option() service.Option { return service.WithClock(c.now) }

// RefusalOf is what the service says of an error, in words that nobody knows.
func RefusalOf(e *library.Error) error {
	status := http.StatusConflict
	if e.Kind == library.NotFound {
		status = http.StatusNotFound
	}
	return &client.Error{Status: status, Code: e.Code, Message: "Nein"}
}
