package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/library/api"
	"example.org/library/bookfile"
	"example.org/library/internal/testkit"
)

// Each way to write a book takes every field, and the book is answered with it.
func TestEveryFieldOfABookIsTakenAndAnswered(t *testing.T) {
	t.Parallel()
	for _, write := range []struct {
		name string
		ask  func(asJSON, asCSV string) request
	}{
		{"add", func(text, _ string) request {
			return request{as: peterParker, method: http.MethodPost, path: "/books", body: text}
		}},
		{"edit", func(text, _ string) request {
			return request{as: peterParker, method: http.MethodPut, path: bookPath, body: text}
		}},
		{"import", func(text, _ string) request { return importing("?update=true", "["+text+"]") }},
		{"import a table", func(_, table string) request { return importingTable("?update=true", "text/csv", table) }},
	} {
		t.Run(write.name, func(t *testing.T) {
			t.Parallel()
			w, id := newWorld(t), cleanCode
			if write.name == "add" {
				id = unknownID
			}
			want := bookfile.Book{Identifier: id}
			testkit.FillFields(&want.BookFields, "a ")
			text, err := json.Marshal(want)
			testkit.NoError(t, err)
			var table strings.Builder
			file, err := bookfile.NewWriter(&table, bookfile.WriterOptions{Format: bookfile.CSV})
			if err == nil {
				err = file.Write(want)
			}
			if err == nil {
				err = file.Flush()
			}
			testkit.NoError(t, err)
			a := w.send(t, write.ask(string(text), table.String()))
			if a.status != http.StatusOK && a.status != http.StatusCreated {
				t.Fatalf("%d %s", a.status, a.body)
			}
			if write.name == "import a table" {
				if row := decode[api.TableImport](t, a).Results[0].Book; row == nil || cmp.Diff(api.RowFields(want.BookFields), row.RowFields) != "" {
					t.Errorf("the row is %+v", row)
				}
			}
			got := w.send(t, request{as: bruceWayne, path: "/books/" + id}).want(t, 200, "").book(t)
			if diff := cmp.Diff(want.BookFields, got.BookFields); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
