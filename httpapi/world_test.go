package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.org/library"
	"example.org/library/auth"
	"example.org/library/httpapi"
	"example.org/library/internal/testdb"
	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
	"example.org/library/lookup"
	"example.org/library/notice"
	"example.org/library/sample"
	"example.org/library/search"
	"example.org/library/service"
	"example.org/library/signin"
	"example.org/library/sqlstore"
	"example.org/library/statistics"
	"example.org/library/stocktake"
)

const basePath = "/library-server"

// The sample users and some sample books.
const (
	bruceWayne  = "bruce.wayne@example.com"  // a reader
	bruceBanner = "bruce.banner@example.com" // another reader
	peterParker = "peter.parker@example.com" // a curator
	clarkKent   = "clark.kent@example.com"   // an admin

	wayneID  = "c47641ee-e63c-4c13-8cd2-1c2490aee0b3"
	bannerID = "69c10574-9064-42e4-85bd-5c9b8b1d9ee4"
	parkerID = "40c5ad0d-41f7-494b-8157-33fad16012aa"
	kentID   = "0d2c04f1-e25f-41b5-b4cd-3566a081200f"

	cleanCode      = "f9bf70d6-e56d-4cab-be6b-294cd05f599f"
	designPatterns = "3038627d-627e-448d-8422-0a5705c9e8f1"
	unknownID      = "00000000-0000-4000-8000-000000000000"
)

// scopes is the scope that each sample user's token has.
var scopes = map[string]string{
	bruceWayne:  "library_user email profile",
	bruceBanner: "library_user email profile",
	peterParker: "library_curator email profile",
	clarkKent:   "library_admin email profile",
}

// world is a library with the sample data, an identity provider, and the API
// in front of them, for one test.
type world struct {
	idp        *testidp.Provider
	store      *sqlstore.Store
	service    *service.Service
	stocktakes *stocktake.Service
	server     *httptest.Server
	log        *logBook
	requests   *requestLog
	metrics    *prometheus.Registry

	base   string
	tls    bool
	mu     sync.Mutex
	tokens map[string]string
}

// setup is what a test may change about its world.
type setup struct {
	auth    auth.Config
	scheme  auth.Scheme // instead of bearer tokens
	keysURL string
	name    string
	mails   *notice.Sender
	base    string
	origins []string
	tls     bool

	resource *httpapi.Resource
	open     func(testing.TB) *sqlstore.Store
	store    func(library.Store) library.Store
	clock    func() time.Time // of the library
	mail     *library.MailSettings

	signIn  signin.Rules
	scim    *httpapi.SCIM
	roles   library.GroupRoles // of groups of a directory
	logouts *auth.LogoutConfig // without the keys, which are those of bearer tokens
	covers  string             // where they are fetched
	lookup  string             // where books are looked up

	publicRate int // where the catalogue is public

	hurried bool // the database has the time that it has outside tests
}

// stopClock stops the clock of the library. No quarter of an hour begins then, with which a list would leave the cache.
func stopClock(s *setup) {
	now := time.Now()
	s.clock = func() time.Time { return now }
}

// sampled is a library with the sample data.
var sampled = testdb.New(func(ctx context.Context, store *sqlstore.Store) error {
	return service.New(store).Prepare(ctx, service.Setup{Samples: sample.Basic})
})

// addresses are those of new libraries with the sample data, of both kinds; databases
// opens one.
var (
	addresses = map[string]func(testing.TB) string{"sqlite": sampled.SQLite, "postgres": sampled.Postgres}
	databases = map[string]func(testing.TB) *sqlstore.Store{
		"sqlite":   func(t testing.TB) *sqlstore.Store { return openStore(t, sampled.SQLite(t)) },
		"postgres": func(t testing.TB) *sqlstore.Store { return openStore(t, sampled.Postgres(t)) },
	}
)

// onEachDatabase runs a test on each of them, all at once.
func onEachDatabase(t *testing.T, test func(*testing.T, *world)) {
	t.Helper()
	for name, open := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newWorld(t, func(s *setup) { s.open = open }))
		})
	}
}

func openStore(t testing.TB, address string) *sqlstore.Store {
	t.Helper()
	store, err := sqlstore.Open(context.Background(), address)
	testkit.NoError(t, err)
	t.Cleanup(func() { store.Close() })
	return store
}

// newWorld starts a world that ends with the test.
func newWorld(t testing.TB, changes ...func(*setup)) *world {
	t.Helper()
	w := &world{idp: testidp.New(t), log: &logBook{}, requests: &requestLog{}, metrics: prometheus.NewRegistry(), tokens: map[string]string{}}
	s := setup{
		auth:    auth.Config{Issuer: w.idp.Issuer(), Audience: testidp.Audience},
		base:    basePath,
		origins: []string{"localhost:4200"},
		open:    databases["sqlite"],
		store:   func(s library.Store) library.Store { return s },
		clock:   time.Now,
	}
	for _, change := range changes {
		change(&s)
	}
	w.base, w.tls = s.base, s.tls
	w.store = s.open(t)
	store := s.store(w.store)
	options := []service.Option{service.WithClock(s.clock), service.WithGroupRoles(s.roles)}
	if s.mail != nil {
		options = append(options, service.WithMail(*s.mail))
	}
	w.service = service.New(store, options...)
	w.stocktakes = stocktake.New(w.store, w.service)
	if s.scheme == nil {
		s.scheme = w.bearer(t, &s)
	}
	covers, err := lookup.ParseCovers(s.covers)
	testkit.NoError(t, err)
	sources, err := lookup.ParseSources(s.lookup)
	testkit.NoError(t, err)
	metrics := httpapi.NewMetrics(w.metrics)
	var catalogues *lookup.Lookup
	if len(sources) > 0 {
		catalogues = lookup.New(sources, lookup.Options{Count: metrics.LookedUp})
	}
	w.server = httptest.NewUnstartedServer(httpapi.New(httpapi.Config{
		Service: w.service, Admits: signin.New(w.service, store, s.signIn), Search: search.New(w.store), Statistics: statistics.New(w.store, w.service.Now), Stocktakes: w.stocktakes, Auth: s.scheme, Mails: s.mails, Name: s.name, BasePath: s.base, Origins: s.origins, TLS: s.tls, Resource: s.resource,
		Covers: covers, SCIM: s.scim, Logouts: s.auth.Logouts, Lookup: catalogues, PublicRate: s.publicRate,
		Logger: w.log.logger(), Events: w.requests.add, Metrics: metrics,
	}))
	w.server.Config.DisableGeneralOptionsHandler = true
	w.server.Config.ErrorLog = slog.NewLogLogger(w.log.logger().Handler(), slog.LevelWarn)
	w.server.Config.BaseContext = func(net.Listener) context.Context {
		if s.hurried {
			return context.Background()
		}
		return allowTime(context.Background())
	}
	w.server.Start()
	t.Cleanup(w.server.Close)
	return w
}

// allowTime lets a statement take a minute: a busy machine is no broken database, which the store gives up after seconds.
func allowTime(ctx context.Context) context.Context {
	return library.WithStoreTimeout(ctx, time.Minute)
}

// bearer returns bearer tokens, and the ended sessions of their provider if it tells.
func (w *world) bearer(t testing.TB, s *setup) auth.Scheme {
	t.Helper()
	if s.logouts == nil {
		return bearer(t, *s, w.log.logger())
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	cfg := *s.logouts
	cfg.Issuer, cfg.ClockSkew, cfg.Now = s.auth.Issuer, s.auth.ClockSkew, s.auth.Now
	cfg.Keys = auth.NewKeySet(auth.KeySetConfig{Issuer: s.auth.Issuer, URL: s.keysURL, Logger: w.log.logger()})
	go cfg.Keys.Run(ctx)
	s.auth.Keys, s.auth.Logouts = cfg.Keys, auth.NewLogouts(cfg)
	stop, err := httpapi.WatchLogouts(ctx, w.service, s.auth.Logouts, w.log.logger())
	testkit.NoError(t, err)
	t.Cleanup(stop)
	return auth.NewBearer(s.auth)
}

func bearer(t testing.TB, s setup, logger *slog.Logger) auth.Scheme {
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	s.auth.Keys = auth.NewKeySet(auth.KeySetConfig{Issuer: s.auth.Issuer, URL: s.keysURL, Logger: logger})
	go s.auth.Keys.Run(ctx)
	return auth.NewBearer(s.auth)
}

// token returns the token of a sample user, always the same one.
func (w *world) token(t testing.TB, email string) string {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.tokens[email] == "" {
		w.tokens[email] = w.idp.Token(t, email, scopes[email])
	}
	return w.tokens[email]
}

// actor is a sample user as the domain sees one.
func (w *world) actor(t testing.TB, email string) library.Actor {
	t.Helper()
	u, _, err := w.service.Caller(context.Background(), email)
	testkit.NoError(t, err)
	return library.Actor{User: u, Authorities: u.Authorities()}
}

// addBooks adds many books without asking the API.
func (w *world) addBooks(t testing.TB, fields ...library.BookFields) {
	t.Helper()
	curator := w.actor(t, peterParker)
	for _, f := range fields {
		testkit.NoError(t, testkit.Err(w.service.AddBook(context.Background(), curator, "", f, 1)))
	}
}

// requestLog is the events of all requests to a server.
type requestLog struct {
	mu     sync.Mutex
	events []httpapi.Event
}

func (l *requestLog) add(e *httpapi.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, *e)
}

// wait returns the events when there are n of them.
func (l *requestLog) wait(t *testing.T, n int) (events []httpapi.Event) {
	t.Helper()
	testkit.Eventually(t, fmt.Sprintf("%d events", n), func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		events = slices.Clone(l.events)
		return len(events) >= n
	})
	return events
}

// logBook is the log of a server.
type logBook struct{ testkit.Buffer }

func (l *logBook) logger() *slog.Logger {
	return slog.New(slog.NewJSONHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// events returns the events with that message.
func (l *logBook) events(t testing.TB, message string) []map[string]any {
	t.Helper()
	var out []map[string]any
	for line := range strings.Lines(l.String()) {
		var event map[string]any
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatalf("log line %q: %v", line, err)
		}
		if event["msg"] == message {
			out = append(out, event)
		}
	}
	return out
}
