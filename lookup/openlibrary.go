package lookup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"example.org/library"
)

// openLibrary is a server with the answers of Open Library.
type openLibrary struct{ address *url.URL }

// text is a text in such an answer, or a number. Anything else is as good as nothing.
type text string

func (t *text) UnmarshalJSON(value []byte) error {
	var s string
	var n json.Number
	if json.Unmarshal(value, &s) == nil {
		*t = text(s)
	} else if json.Unmarshal(value, &n) == nil {
		*t = text(n)
	}
	return nil
}

// names reads names, or objects with a name, in a list or alone. Anything else is left out.
type names []string

func (list *names) UnmarshalJSON(value []byte) error {
	var all []json.RawMessage
	if json.Unmarshal(value, &all) != nil {
		all = []json.RawMessage{value}
	}
	for _, one := range all {
		var name string
		var named struct {
			Name string `json:"name"`
		}
		if json.Unmarshal(one, &named) == nil {
			name = named.Name
		} else if json.Unmarshal(one, &name) != nil {
			continue
		}
		if name != "" {
			*list = append(*list, name)
		}
	}
	return nil
}

// openLibraryBook is a book in such an answer. A value of another type than it should have costs no
// more than the value; without a title it is no book.
type openLibraryBook struct {
	Title       string `json:"title"`
	Subtitle    text   `json:"subtitle"`
	Authors     names  `json:"authors"`
	Publishers  names  `json:"publishers"`
	PublishDate text   `json:"publish_date"`
	Subjects    names  `json:"subjects"`
}

var errNotOpenLibrary = errors.New("the answer is not that of Open Library")

func (o openLibrary) find(ctx context.Context, web *web, key string) (library.BookFields, bool, error) {
	u := *o.address
	asked := "ISBN:" + key
	u.Path += "/api/books"
	u.RawQuery = "bibkeys=" + url.QueryEscape(asked) + "&jscmd=data&format=json"
	status, body, err := web.get(ctx, u.String(), "application/json")
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("status %d", status)
	}
	if err != nil {
		return library.BookFields{}, false, err
	}
	var books map[string]openLibraryBook
	if json.Unmarshal(body, &books) != nil || books == nil {
		return library.BookFields{}, false, errNotOpenLibrary
	}
	book := books[asked].fields(key)
	return book, book.Title != "", nil
}
