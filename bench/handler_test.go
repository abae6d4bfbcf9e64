package bench

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"example.org/library/auth"
	"example.org/library/httpapi"
	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
	"example.org/library/sample"
	"example.org/library/service"
	"example.org/library/sqlstore"
)

// discard is a response that costs nothing, so that a profile shows only what
// the service itself does between the request and the answer.
type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) WriteHeader(int)             {}
func (d discard) Write(b []byte) (int, error) { return len(b), nil }

// newHandler is the handler of the program, in this process.
func newHandler(t testing.TB, lib *service.Service, idp *testidp.Provider) http.Handler {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	keys := auth.NewKeySet(auth.KeySetConfig{Issuer: idp.Issuer(), Logger: log})
	go keys.Run(t.Context())
	return httpapi.New(httpapi.Config{
		Service: lib, BasePath: base, Origins: []string{"localhost:4200"}, Logger: log, Events: func(*httpapi.Event) {},
		Auth:    auth.NewBearer(auth.Config{Issuer: idp.Issuer(), Audience: testidp.Audience, Keys: keys}),
		Metrics: httpapi.NewMetrics(prometheus.NewRegistry()),
	})
}

// BenchmarkHandler is what the service adds to net/http for one request.
func BenchmarkHandler(b *testing.B) {
	url := "sqlite:" + filepath.Join(b.TempDir(), "library.db")
	store, err := sqlstore.Open(b.Context(), url)
	testkit.NoError(b, err)
	defer store.Close()
	if _, err := store.Migrate(b.Context()); err != nil {
		b.Fatal(err)
	}
	lib := service.New(store)
	testkit.NoError(b, lib.Prepare(b.Context(), service.Setup{Samples: sample.Basic}))
	idp := testidp.New(b)
	handler := newHandler(b, lib, idp)
	r := httptest.NewRequest("GET", base+"/books", nil)
	r.Header.Set("Authorization", "Bearer "+idp.Token(b, reader, "library_user email profile"))
	first := httptest.NewRecorder()
	if handler.ServeHTTP(first, r); first.Code != 200 {
		b.Fatal(first.Body)
	}
	b.ReportAllocs()
	for b.Loop() {
		handler.ServeHTTP(discard{make(http.Header, 12)}, r)
	}
}
