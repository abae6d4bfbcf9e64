package cli

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"example.org/library/client"
	"example.org/library/terminal"
)

func TestAReasonToTryAgainIsGivenOnce(t *testing.T) {
	t.Parallel()
	s := startImportService(t, func(request int, w http.ResponseWriter) bool {
		switch request {
		case 1, 2, 5:
			return refuse(w, http.StatusServiceUnavailable, "stopping", "The service stops.")
		case 3:
			return refuse(w, http.StatusServiceUnavailable, "starting", "The service starts.")
		}
		return false
	})
	api, err := client.New(s.URL, client.StaticSource(client.Token{Access: "x"}))
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	i := bookImporter{
		app: &app{term: &terminal.Terminal{Err: &said}}, client: api, progress: &terminal.Progress{},
		options: bookImportOptions{waits: []time.Duration{1000, 2000, 3000}},
	}
	for range 2 {
		if _, err := i.send(t.Context(), []client.EncodedBook{client.EncodeBook(client.BookFields{})}); err != nil {
			t.Fatal(err)
		}
	}
	want := "The service stops. Trying again in 1µs.\nTrying again in 2µs.\nThe service starts. Trying again in 3µs.\nThe service stops. Trying again in 1µs.\n"
	if said.String() != want {
		t.Errorf("said:\n%swant:\n%s", said.String(), want)
	}
}
