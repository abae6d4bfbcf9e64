package lookup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"

	"example.org/library"
)

// openLibrary is a server with the answers of Open Library.
type openLibrary struct{ address *url.URL }

// named is what has a name in such an answer.
type named struct {
	Name string `json:"name"`
}

type openLibraryBook struct {
	Title       string  `json:"title"`
	Subtitle    string  `json:"subtitle"`
	Authors     []named `json:"authors"`
	Publishers  []named `json:"publishers"`
	PublishDate string  `json:"publish_date"`
	Subjects    []named `json:"subjects"`
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
	book, found := books[asked]
	if !found || book.Title == "" {
		return library.BookFields{}, false, nil
	}
	return book.fields(key), true, nil
}

var fourDigits = regexp.MustCompile(`[0-9]{4}`)
