package bookfile

import (
	"maps"
	"slices"

	"example.org/library/internal/table"
)

// jsonBook makes a book of a JSON object, or says why it is none. Unknown are
// the members that a book does not have.
func jsonBook(text []byte) (b Book, unknown []string, bad reason) {
	members, wrong := table.Object(text)
	if wrong != "" {
		return b, nil, notABook(wrong)
	}
	for i := range fields {
		f := &fields[i]
		if value, is := members[f.name]; is && !bad.Is() {
			bad = f.readJSON(&b, value)
		}
		delete(members, f.name)
	}
	return b, slices.Sorted(maps.Keys(members)), bad
}

func notABook(text string) reason { return reason{Code: "not_a_book", Text: text} }
