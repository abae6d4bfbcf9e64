package bookfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"example.org/library/internal/strictjson"
)

// jsonBook makes a book of a JSON object, or says why it is none. Unknown are
// the members that a book does not have.
func jsonBook(text []byte) (b Book, unknown []string, bad reason) {
	members, err := strictjson.Object(text)
	var twice *strictjson.DuplicateError
	switch {
	case errors.As(err, &twice):
		return b, nil, notABook(fmt.Sprintf("has the member %q twice", shortened(twice.Name)))
	case errors.Is(err, strictjson.ErrNotObject):
		return b, nil, notABook("is not a JSON object")
	case err != nil:
		return b, nil, notABook("is not one valid JSON object")
	}
	for _, name := range Fields {
		if value, is := members[name]; is && !bad.is() {
			bad = b.read(name, value)
		}
		delete(members, name)
	}
	for name := range members {
		unknown = append(unknown, name)
	}
	slices.Sort(unknown)
	return b, unknown, bad
}

func notABook(text string) reason { return reason{"not_a_book", text} }

// read takes over the value of a member, or says why it cannot. Null is as if
// the member was absent.
func (b *Book) read(name string, value json.RawMessage) reason {
	switch name {
	case fieldAuthors:
		return readTexts(name, value, &b.Authors)
	case fieldBarcode:
		return readTexts(name, value, &b.Barcodes)
	case fieldCopies:
		if json.Unmarshal(value, &b.Copies) != nil {
			return notABook(name + " is not a number")
		}
		return reason{}
	}
	into := map[string]*string{
		fieldIdentifier: &b.Identifier, fieldISBN: &b.ISBN, fieldTitle: &b.Title, fieldDescription: &b.Description, fieldShelf: &b.Shelf,
	}[name]
	if json.Unmarshal(value, into) != nil {
		return notABook(name + " is not a text")
	}
	return reason{}
}

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
