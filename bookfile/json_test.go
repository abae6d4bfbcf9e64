package bookfile_test

import (
	"strings"
	"testing"

	"example.org/library/bookfile"
	"example.org/library/internal/testkit"
)

func TestJSON(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", bookfile.MaxRecord+1)
	whole := `{"identifier":"I","isbn":"N","title":"T","authors":["A","B"],"description":"D"}`
	for _, c := range []struct {
		rule, text string
		want       []string
		err        string // that ends the reading
	}{
		{"a book per line", whole + "\n\n" + `{"title":"U"}`, []string{book(1, "I", "N", "T", "A|B", "D"), title(3, "U")}, ""},
		{"byte order mark, white space and carriage returns", "\ufeff\r\n {\"title\":\"T\"} \r\n", []string{title(2, "T")}, ""},
		{"nothing", " \n", nil, ""},
		{"what is null is absent", `{"title":"T","isbn":null,"authors":null}`, []string{title(1, "T")}, ""},
		{"what nobody knows is ignored", `{"title":"T","borrowed":false,"borrowedBy":{"x":[1]}}`, []string{title(1, "T")}, ""},
		{"member twice", `{"title":"T","title":"U"}` + "\n" + `{"title":"T"}`, []string{`1! has the member "title" twice`, title(2, "T")}, ""},
		{"names are exact", `{"Title":"T"}`, []string{title(1, "")}, ""},
		{"something behind the object", `{"title":"T"} {"title":"U"}`, []string{"1! is not one valid JSON object"}, ""},
		{"no object", "7\n\"x\"\n", []string{"1! is not a JSON object", "2! is not a JSON object"}, ""},
		{"no text", `{"title":7}`, []string{"1! title is not a text"}, ""},
		{"no texts", `{"title":"T","authors":"A"}` + "\n" + `{"title":"T","authors":["A",null]}`,
			[]string{"1! authors is not an array of texts", "2! authors is not an array of texts"}, ""},
		{"not UTF-8", "{\"title\":\"\xfc\"}", []string{"1! is not UTF-8; save the file as UTF-8"}, ""},
		{"line that is too long", `{"title":"` + long + "\"}\n" + `{"title":"T"}`, []string{"1! is longer than 512 KiB", title(2, "T")}, ""},

		{"array", "[" + whole + ",\n\n{\n\"title\":\n\"]}\\\"\"}\n, " + `{"title":"U"}]` + "\n", []string{book(1, "I", "N", "T", "A|B", "D"), title(3, `]}"`), title(6, "U")}, ""},
		{"empty array", "\n[ ]\n", nil, ""},
		{"array with a bad book", "[\n{\"title\":7},\n7,\n{\"title\" \"T\"},\n{\"title\":\"T\"}]", []string{
			"2! title is not a text", "3! is not a JSON object", "4! is not one valid JSON object", title(5, "T")}, ""},
		{"array without an end", "[{\"title\":\"T\"}\n", []string{title(1, "T")}, "line 2: the file ends within its array"},
		{"array without a comma", "[{\"title\":\"T\"}\n{}]", []string{title(1, "T")}, "line 2: a comma is missing"},
		{"array with a comma too many", "[{\"title\":\"T\"},]", []string{title(1, "T")}, "line 1: a book is missing"},
		{"array with two commas", "[{\"title\":\"T\"},,{}]", []string{title(1, "T")}, "line 1: a book is missing"},
		{"something after the array", "[]\n{}", nil, "line 2: something stands after"},
		{"book without an end", "[\n{\"title\":\"T}]", nil, "line 2: the book that begins here has no end"},
		{"book in an array that is too long", "[\n{\"title\":\"" + long + "\"}]", nil, "line 2: the book that begins here is longer than 512 KiB"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			got, err := readAll(t, c.text, bookfile.Options{Format: bookfile.JSON})
			if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
				t.Errorf("%v, want %q", err, c.err)
			}
			testkit.Diff(t, c.want, got)
		})
	}
}
