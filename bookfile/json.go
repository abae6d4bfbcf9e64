package bookfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"example.org/library/internal/strictjson"
)

// jsonBook makes a book of a JSON object, or says why it is none. Unknown are
// the members that a book does not have.
func jsonBook(text []byte) (b Book, unknown []string, bad reason) {
	members, err := strictjson.Object(text)
	twice, isTwice := errors.AsType[*strictjson.DuplicateError](err)
	switch {
	case isTwice:
		return b, nil, notABook(fmt.Sprintf("has the member %q twice", shortened(twice.Name)))
	case errors.Is(err, strictjson.ErrNotObject):
		return b, nil, notABook("is not a JSON object")
	case err != nil:
		return b, nil, notABook("is not one valid JSON object")
	}
	for i := range fields {
		f := &fields[i]
		if value, is := members[f.name]; is && !bad.is() {
			bad = f.readJSON(&b, value)
		}
		delete(members, f.name)
	}
	return b, slices.Sorted(maps.Keys(members)), bad
}

func notABook(text string) reason { return reason{"not_a_book", text} }

func readTexts(name string, value json.RawMessage, into *[]string) reason {
	var texts []*string // null would pass for an empty text
	if json.Unmarshal(value, &texts) != nil || slices.Contains(texts, nil) {
		return notABook(name + " is not an array of texts")
	}
	for _, text := range texts {
		*into = append(*into, *text)
	}
	return reason{}
}
