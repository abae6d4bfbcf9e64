package cli

import (
	"bytes"
	"context"
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.org/library"
	"example.org/library/auth"
	"example.org/library/client"
	"example.org/library/httpapi"
	"example.org/library/internal/testidp"
	"example.org/library/sample"
	"example.org/library/sqlstore"
	"example.org/library/terminal"
)

// run runs the commands that use a library, without those that run one.
func run(ctx context.Context, args []string, env Environment) int {
	return Run(ctx, args, env, Program{})
}

// world is a library with the samples in it, and a provider that it trusts.
type world struct {
	idp     *testidp.Provider
	address string
}

// newWorld runs the service in this process until the test ends.
func newWorld(t *testing.T, options ...library.Option) *world {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	store, err := sqlstore.Open(ctx, "sqlite:"+filepath.Join(t.TempDir(), "library.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	if _, err := store.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	service := library.NewService(store, options...)
	if err := service.Prepare(ctx, library.Setup{Samples: sample.Basic}); err != nil {
		t.Fatal(err)
	}
	idp, log := testidp.New(t), slog.New(slog.DiscardHandler)
	keys := auth.NewKeySet(auth.KeySetConfig{Issuer: idp.Issuer(), Logger: log})
	go keys.Run(ctx)
	server := httptest.NewServer(httpapi.New(httpapi.Config{
		Service: service, Auth: auth.NewBearer(auth.Config{Issuer: idp.Issuer(), Audience: testidp.Audience, Keys: keys}),
		Logger: log, Events: func(*httpapi.Event) {}, Metrics: httpapi.NewMetrics(prometheus.NewRegistry()),
	}))
	t.Cleanup(server.Close)
	return &world{idp: idp, address: server.URL}
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
	env := Environment{
		Lookup: func(string) (string, bool) { return "", false },
		Stdin:  strings.NewReader(""), Stdout: &said, Stderr: &said,
	}
	a := &app{env: env}
	a.term = terminal.New(terminal.Options{In: env.Stdin, Out: env.Stdout, Err: env.Stderr, Lookup: env.Lookup})
	return a, &said
}
