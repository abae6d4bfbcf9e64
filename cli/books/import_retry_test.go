package books

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.org/library/cli/clitest"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/internal/testkit"
	"example.org/library/terminal"
)

func TestAReasonToTryAgainIsGivenOnce(t *testing.T) {
	t.Parallel()
	s := startImportService(t, func(request int, w http.ResponseWriter) bool {
		switch request {
		case 1, 2, 5:
			return clitest.Refuse(w, http.StatusServiceUnavailable, "stopping", "The service stops.")
		case 3:
			return clitest.Refuse(w, http.StatusServiceUnavailable, "starting", "The service starts.")
		}
		return false
	})
	api, err := client.New(s.URL, client.StaticSource(client.Token{Access: "x"}))
	testkit.NoError(t, err)
	var said strings.Builder
	i := bookImporter{
		app: &command.App{Env: command.Environment{Stderr: &said}}, client: api, progress: &terminal.Progress{},
		options: importOptions{waits: []time.Duration{1000, 2000, 3000}},
	}
	for range 2 {
		if _, _, err := i.send(t.Context(), []client.EncodedBook{client.EncodeBook(client.BookFields{})}); err != nil {
			t.Fatal(err)
		}
	}
	want := "The service stops. Trying again in 1µs.\nTrying again in 2µs.\nThe service starts. Trying again in 3µs.\nThe service stops. Trying again in 1µs.\n"
	testkit.Equal(t, said.String(), want, "said")
}

func TestAnImportThatGivesUpDoesNotRepeatTheReason(t *testing.T) {
	t.Parallel()
	s := startImportService(t, func(_ int, w http.ResponseWriter) bool {
		return clitest.Refuse(w, http.StatusServiceUnavailable, "unavailable", "The library has no database.")
	})
	api, err := client.New(s.URL, client.StaticSource(client.Token{Access: "x"}))
	testkit.NoError(t, err)
	var said strings.Builder
	i := bookImporter{
		app: &command.App{Env: command.Environment{Stderr: &said}}, client: api, progress: &terminal.Progress{}, name: "books.csv",
		report:  importReport{term: &terminal.Terminal{Out: &said}},
		options: importOptions{waits: []time.Duration{1000}},
		batch:   []importRow{{line: 2, book: client.EncodeBook(client.BookFields{})}},
	}
	err = i.end(t.Context(), io.EOF)
	if command.ExitCode(err) != command.ExitFailed || !strings.HasPrefix(err.Error(), "Stopped at line 2 of books.csv;") || strings.Count(said.String(), "no database") != 1 {
		t.Errorf("%v\n%s", err, said.String())
	}
}
