package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"example.org/library/api"
	"example.org/library/internal/testkit"
)

// importer starts a service that answers imports, and a client of it.
func importer(t *testing.T, answer http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	c, err := New(server.URL+"/library-server/", StaticSource(Token{Access: "s3cr3t"}))
	testkit.NoError(t, err)
	return c
}

func TestAnImportIsOneRequest(t *testing.T) {
	t.Parallel()
	for query, o := range map[string]ImportOptions{
		"":                        {},
		"update=true":             {Update: true},
		"dryRun=true":             {DryRun: true},
		"dryRun=true&update=true": {Update: true, DryRun: true},
	} {
		var method, path, asked, kind, body string
		c := importer(t, func(w http.ResponseWriter, r *http.Request) {
			text, _ := io.ReadAll(r.Body)
			method, path, asked, kind, body = r.Method, r.URL.Path, r.URL.RawQuery, r.Header.Get("Content-Type"), string(text)
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `[{"outcome":"added","identifier":"i"},
				{"outcome":"invalid","message":"m","code":"c","details":[{"field":"title","message":"is required"}]}]`)
		})
		got, err := c.ImportBooks(t.Context(), []EncodedRow{EncodeBook(BookFields{BookFields: api.BookFields{Title: "A", Authors: []string{"B"}}}), EncodeBook(BookFields{BookFields: api.BookFields{ISBN: "1"}})}, o)
		testkit.NoError(t, err)
		want := []api.ImportResult{
			{Outcome: Added, Identifier: "i"},
			{Outcome: Invalid, Message: "m", Code: "c", Details: []api.Detail{{Field: "title", Message: "is required"}}},
		}
		testkit.Diff(t, want, got)
		if method != "POST" || path != "/library-server/imports/books" || asked != query || kind != "application/json" {
			t.Errorf("asked for %s %s?%s with %s", method, path, asked, kind)
		}
		if want := `[{"title":"A","authors":["B"]},{"isbn":"1","title":""}]`; body != want {
			t.Errorf("sent %s", body)
		}
	}
}

var twoBooks = []EncodedRow{EncodeBook(BookFields{BookFields: api.BookFields{Title: "A"}}), EncodeBook(BookFields{BookFields: api.BookFields{Title: "B"}})}

func TestAnImportThatIsNotAnsweredIsAnError(t *testing.T) {
	t.Parallel()
	answer := func(status int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	for _, c := range []struct {
		rule   string
		answer http.HandlerFunc
		says   string
	}{
		{"one result for two books", answer(200, "application/json", `[{"outcome":"added"}]`), "what became of each book"},
		{"page of a proxy", answer(200, "text/html", "<html>"), "is not the library service"},
		{"refusal", answer(403, "application/json", `{"message":"Only curators.","code":"forbidden"}`), "Only curators."},
		{"answer that breaks off", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "[")
		}, "broke off"},
	} {
		_, err := importer(t, c.answer).ImportBooks(t.Context(), twoBooks, ImportOptions{})
		says(t, err, c.says)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := importer(t, answer(200, "", "")).ImportBooks(ctx, twoBooks, ImportOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
