package webhook_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.org/library"
	"example.org/library/internal/testdb"
	"example.org/library/internal/testkit"
	"example.org/library/service"
	"example.org/library/sqlstore"
	"example.org/library/webhook"
)

const secretText = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

func secret(t testing.TB) webhook.Secret {
	t.Helper()
	s, err := webhook.ParseSecret(secretText)
	testkit.NoError(t, err)
	return s
}

// post is what a receiver got.
type post struct {
	ID     string
	Type   string
	Header http.Header
	Body   []byte
	Data   struct {
		Book       struct{ Identifier, Title string }
		Loan, Hold struct{ Identifier string }
		User       *struct{ Identifier, FirstName, LastName string }
	}
}

// receiver answers as a test says: it gets the number of the request, from 1 on.
type receiver struct {
	*httptest.Server
	mu    sync.Mutex
	posts []post
}

func receive(t testing.TB, answer func(n int, w http.ResponseWriter, r *http.Request)) *receiver {
	rec := &receiver{}
	rec.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := post{ID: r.Header.Get("webhook-id"), Header: r.Header}
		p.Body, _ = io.ReadAll(r.Body)
		if err := json.Unmarshal(p.Body, &p); err != nil {
			t.Errorf("the body is %s: %v", p.Body, err)
		}
		rec.mu.Lock()
		rec.posts = append(rec.posts, p)
		n := len(rec.posts)
		rec.mu.Unlock()
		if answer != nil {
			answer(n, w, r)
		}
	}))
	t.Cleanup(rec.CloseClientConnections)
	t.Cleanup(func() { go rec.Close() })
	return rec
}

func (r *receiver) all() []post {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]post(nil), r.posts...)
}

// await waits for n posts.
func (r *receiver) await(t testing.TB, n int) []post {
	t.Helper()
	testkit.Eventually(t, "the posts come", func() bool { return len(r.all()) >= n })
	return r.all()
}

// events are the posts without those that came again, because a process was stopped before it knew of the answer.
func (r *receiver) events() []post {
	return slices.CompactFunc(r.all(), func(a, b post) bool { return a.ID == b.ID })
}

// awaitEvents waits for n events.
func (r *receiver) awaitEvents(t testing.TB, n int) []post {
	t.Helper()
	testkit.Eventually(t, "the events come", func() bool { return len(r.events()) >= n })
	return r.events()
}

// world is a library with workers.
type world struct {
	address string
	store   *sqlstore.Store
	service *service.Service
	hooks   *webhook.Service
	clock   *testkit.Clock
	actor   library.Actor
	log     testkit.Buffer
}

func onBoth(t *testing.T, test func(t *testing.T, w *world)) {
	t.Parallel()
	for name, address := range map[string]func(testing.TB) string{"sqlite": testdb.Migrated.SQLite, "postgres": testdb.Migrated.Postgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newWorld(t, address(t)))
		})
	}
}

func onSQLite(t *testing.T) *world {
	t.Parallel()
	return newWorld(t, testdb.Migrated.SQLite(t))
}

func newWorld(t *testing.T, address string) *world {
	w := &world{address: address, clock: testkit.NewClock(time.Now())}
	w.store = w.open(t)
	w.service = service.New(w.store, service.WithClock(w.clock.Now))
	w.hooks = webhook.New(w.store, w.service.Now)
	user := library.User{ID: library.NewID(), Created: w.clock.Now(), Version: "v1", UserFields: library.UserFields{
		Email: "max@example.com", FirstName: "Max", LastName: "Frisch", Roles: library.Roles, Locale: "en"}}
	testkit.NoError(t, w.store.Tx(t.Context(), func(tx library.Tx) error { return tx.AddUser(t.Context(), user) }))
	w.actor = library.Actor{User: user}
	for _, r := range library.Roles {
		w.actor.Authorities = append(w.actor.Authorities, r.Authority())
	}
	return w
}

func (w *world) open(t *testing.T) *sqlstore.Store {
	store, err := sqlstore.Open(t.Context(), w.address)
	testkit.NoError(t, err)
	t.Cleanup(func() { store.Close() })
	return store
}

// start starts a worker for receivers, and waits until their hooks are known.
func (w *world) start(t *testing.T, people bool, to ...*receiver) (stop func()) {
	return w.startOn(t, w.hooks, people, to...)
}

func (w *world) startOn(t *testing.T, hooks *webhook.Service, people bool, to ...*receiver) (stop func()) {
	t.Helper()
	cfg := webhook.Config{Hooks: hooks, Secret: secret(t), People: people,
		Logger: slog.New(slog.NewTextHandler(&w.log, nil)), Metrics: prometheus.NewRegistry()}
	for _, r := range to {
		target, err := webhook.ParseTarget(r.URL + "/hook?token=t0ken")
		testkit.NoError(t, err)
		cfg.Targets = append(cfg.Targets, target)
	}
	stop = webhook.StartFast(cfg)
	t.Cleanup(stop)
	testkit.Eventually(t, "the hooks are known", func() bool {
		all, err := hooks.All(context.Background())
		known := 0
		for _, h := range all {
			for _, target := range cfg.Targets {
				if h.Key == target.Key() && !h.Off {
					known++
				}
			}
		}
		return err == nil && known == len(to)
	})
	return stop
}

func (w *world) addBook(t testing.TB, title string) library.Book {
	t.Helper()
	b, err := w.service.AddBook(t.Context(), w.actor, "", library.BookFields{Title: title, ISBN: ""}, 1)
	testkit.NoError(t, err)
	return b
}
