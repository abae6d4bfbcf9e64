package e2e

import (
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// startSource is a catalogue with the answers of Open Library, and a source of covers, for
// ISBNs with 13 digits. What it knows is seen from the number: the digit before the last is
// 9 if it does not know the book, and from 5 on if it has no cover. What begins with 979
// makes it fail.
func startSource(t testing.TB) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/books", func(w http.ResponseWriter, r *http.Request) {
		asked := r.URL.Query().Get("bibkeys")
		number := strings.TrimPrefix(asked, "ISBN:")
		answer := map[string]any{}
		switch {
		case strings.HasPrefix(number, "979"):
			http.Error(w, "out of order", http.StatusInternalServerError)
			return
		case number[11] != '9':
			answer[asked] = sourceBook(number)
		}
		json.NewEncoder(w).Encode(answer)
	})
	mux.HandleFunc("GET /cover/{isbn}", func(w http.ResponseWriter, r *http.Request) {
		switch number := r.PathValue("isbn"); {
		case strings.HasPrefix(number, "979"):
			http.Error(w, "out of order", http.StatusInternalServerError)
		case number[11] >= '5':
			http.NotFound(w, r)
		default:
			png.Encode(w, image.NewRGBA(image.Rect(0, 0, 20, 30)))
		}
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

func sourceBook(number string) map[string]any {
	named := func(names ...string) (list []map[string]string) {
		for _, name := range names {
			list = append(list, map[string]string{"name": name})
		}
		return list
	}
	if number == "9780132350884" {
		return map[string]any{
			"title": "Clean code", "subtitle": "a handbook of agile software craftsmanship", "authors": named("Robert C. Martin"),
			"publishers": named("Prentice Hall"), "publish_date": "August 2008", "subjects": named("Agile software development", "Computer software"),
		}
	}
	return map[string]any{"title": fmt.Sprintf("Book %s", number[:12]), "authors": named("Ada Example"), "publish_date": "1999"}
}
