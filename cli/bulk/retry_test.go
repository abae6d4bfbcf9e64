package bulk

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library/cli/clitest"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/internal/testkit"
	"example.org/library/terminal"
)

// newImporter is an import to a service that adds one row for each request, unless answer
// has another answer to the request with that number, counted from 1.
func newImporter(t *testing.T, said io.Writer, waits []time.Duration, answer func(request int, w http.ResponseWriter) bool) (*importer, *atomic.Int32) {
	t.Helper()
	requests := new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if !answer(int(requests.Add(1)), w) {
			_, _ = io.WriteString(w, `[{"outcome":"added"}]`)
		}
	}))
	t.Cleanup(s.Close)
	api, err := client.New(s.URL, client.StaticSource(client.Token{Access: "x"}))
	testkit.NoError(t, err)
	return &importer{
		Import: Import{
			App: &command.App{Env: command.Environment{Stderr: said}}, Name: "books.csv", Nouns: Nouns{"book", "books"},
			Options: Options{Waits: waits}, Send: api.ImportBooks,
		},
		progress: &terminal.Progress{}, report: importReport{term: &terminal.Terminal{Out: said}},
	}, requests
}

func TestAReasonToTryAgainIsGivenOnce(t *testing.T) {
	t.Parallel()
	var said strings.Builder
	i, _ := newImporter(t, &said, []time.Duration{1000, 2000, 3000}, func(request int, w http.ResponseWriter) bool {
		switch request {
		case 1, 2, 5:
			return clitest.Refuse(w, http.StatusServiceUnavailable, "stopping", "The service stops.")
		case 3:
			return clitest.Refuse(w, http.StatusServiceUnavailable, "starting", "The service starts.")
		}
		return false
	})
	for range 2 {
		if _, _, err := i.send(t.Context(), []client.EncodedRow{client.EncodeBook(client.BookFields{})}); err != nil {
			t.Fatal(err)
		}
	}
	want := "The service stops. Trying again in 1µs.\nTrying again in 2µs.\nThe service starts. Trying again in 3µs.\nThe service stops. Trying again in 1µs.\n"
	testkit.Equal(t, said.String(), want, "said")
}

func TestAnImportThatGivesUpDoesNotRepeatTheReason(t *testing.T) {
	t.Parallel()
	var said strings.Builder
	i, _ := newImporter(t, &said, []time.Duration{1000}, func(_ int, w http.ResponseWriter) bool {
		return clitest.Refuse(w, http.StatusServiceUnavailable, "unavailable", "The library has no database.")
	})
	i.batch = []importRow{{line: 2, row: client.EncodeBook(client.BookFields{})}}
	err := i.end(t.Context(), io.EOF)
	if command.ExitCode(err) != command.ExitFailed || !strings.HasPrefix(err.Error(), "Stopped at line 2 of books.csv;") || strings.Count(said.String(), "no database") != 1 {
		t.Errorf("%v\n%s", err, said.String())
	}
}

func TestABatchIsSentAgainOnlySomeTimes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule     string
		answer   func(int, http.ResponseWriter) bool
		attempts int32
	}{
		{"service away", func(_ int, w http.ResponseWriter) bool {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				conn.Close()
			}
			return true
		}, 3},
		{"service that fails", func(_ int, w http.ResponseWriter) bool {
			return clitest.Refuse(w, http.StatusInternalServerError, "internal", "Something is broken.")
		}, 1},
		{"refused as a whole", func(_ int, w http.ResponseWriter) bool {
			return clitest.Refuse(w, http.StatusForbidden, "role_missing", "You may not.")
		}, 1},
	} {
		i, requests := newImporter(t, io.Discard, []time.Duration{time.Millisecond, time.Millisecond}, c.answer)
		if _, _, err := i.send(t.Context(), []client.EncodedRow{client.EncodeBook(client.BookFields{})}); err == nil || requests.Load() != c.attempts {
			t.Errorf("%s: %v after %d attempts, want %d", c.rule, err, requests.Load(), c.attempts)
		}
	}
}

func TestALongImportWaitsLongerForTheService(t *testing.T) {
	t.Parallel()
	away := func(_ int, w http.ResponseWriter) bool {
		return clitest.Refuse(w, http.StatusServiceUnavailable, "starting", "The service starts.")
	}
	for rows, attempts := range map[int]int32{0: 3, longImport - 1: 3, longImport: 5} {
		i, requests := newImporter(t, io.Discard, []time.Duration{1000, 1000}, away)
		i.Options.LongWaits = []time.Duration{1000, 1000}
		i.report.Unchanged = rows
		if _, _, err := i.send(t.Context(), []client.EncodedRow{client.EncodeBook(client.BookFields{})}); err == nil || requests.Load() != attempts {
			t.Errorf("after %d rows: %v after %d attempts, want %d", rows, err, requests.Load(), attempts)
		}
	}
}
