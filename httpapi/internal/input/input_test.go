package input_test

import (
	"errors"
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/httpapi/internal/input"
	"example.org/library/internal/strictjson"
	"example.org/library/internal/testkit"
)

// named are the fields that an error names, in its order.
func named(err error) (names []string) {
	var query *input.Error
	var ruled *library.Error
	var details []library.Detail
	switch {
	case errors.As(err, &query):
		details = query.Details
	case errors.As(err, &ruled):
		details = ruled.Details
	}
	for _, d := range details {
		names = append(names, d.Field)
	}
	return names
}

func fieldsOf(t *testing.T, text string) input.Fields {
	t.Helper()
	members, err := strictjson.Object([]byte(text))
	testkit.NoError(t, err)
	return input.NewFields(members)
}

func TestEverythingThatIsWrongWithAQueryIsNamedAtOnce(t *testing.T) {
	t.Parallel()
	q := input.ParseQuery("limit=0&fuzzy=yes&user=me&colour=red&q=a&q=b")
	q.Limit("limit")
	q.Flag("fuzzy")
	q.Identifier("user")
	q.Text("q")
	testkit.Diff(t, []string{"limit", "fuzzy", "user", "q", "colour"}, named(q.Err()))
}

func TestAParameterThatIsNotGivenIsNotWrong(t *testing.T) {
	t.Parallel()
	q := input.ParseQuery("")
	if q.Boolean("borrowed") != nil || q.Date("from") != nil || q.Number("limit", 10) != 0 || q.Cursor("cursor", library.ByTitle) != nil {
		t.Error("something was read from an empty query")
	}
	testkit.NoError(t, q.Err())
}

func TestANameThatIsUntrustedIsCutInTheError(t *testing.T) {
	t.Parallel()
	names := named(input.ParseQuery(strings.Repeat("x", 1000) + "=1").Err())
	testkit.Diff(t, []string{strings.Repeat("x", 64) + "…"}, names)
}

func TestARefusalByTheRulesIsOneAboutTheQuery(t *testing.T) {
	t.Parallel()
	q := input.ParseQuery("")
	testkit.Diff(t, []string{"to"}, named(q.Judged(library.InvalidFields(library.Detail{Field: "to"}))))
	if err := q.Judged(library.ErrForbidden); !errors.Is(err, library.ErrForbidden) {
		t.Errorf("another error became %v", err)
	}
}

func TestEverythingThatIsWrongWithABodyIsNamedAtOnce(t *testing.T) {
	t.Parallel()
	f := fieldsOf(t, `{"title": 1, "authors": ["a", null], "pages": 1.5, "user": "me"}`)
	f.Text("title")
	f.Texts("authors")
	f.Integer("pages", 0)
	f.Reference("user")
	// The rules say nothing more about a field that could not be read.
	ruled := []library.Detail{{Field: "title"}, {Field: "shelf"}}
	testkit.Diff(t, []string{"title", "authors", "pages", "user", "shelf"}, named(f.Err(ruled)))
}

func TestNullIsNoValue(t *testing.T) {
	t.Parallel()
	f := fieldsOf(t, `{"copies": null, "title": null}`)
	if f.Has("copies") || f.Integer("copies", 3) != 3 || f.Text("title") != "" || f.IsWrong() {
		t.Errorf("null was read as a value: %v", f.Err(nil))
	}
}

func TestAWholeNumberMayBeWrittenInAnyWay(t *testing.T) {
	t.Parallel()
	f := fieldsOf(t, `{"a": 10, "b": 1e1, "c": 10.0, "d": 1e300}`)
	testkit.Diff(t, []int{10, 10, 10, 1 << 30}, []int{f.Integer("a", 0), f.Integer("b", 0), f.Integer("c", 0), f.Integer("d", 0)})
	testkit.NoError(t, f.Err(nil))
}

func TestABodyIsAboutTheRecordOfItsPath(t *testing.T) {
	t.Parallel()
	id := library.NewID()
	same, other := fieldsOf(t, `{"identifier": "`+id+`"}`), fieldsOf(t, `{"identifier": "`+library.NewID()+`"}`)
	same.MustBe(id)
	other.MustBe(id)
	testkit.NoError(t, same.Err(nil))
	testkit.Diff(t, []string{"identifier"}, named(other.Err(nil)))
}
