package lookup

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// ErrNoCover means a source without a picture of this book.
var ErrNoCover = errors.New("lookup: there is no cover")

// Covers fetches pictures of covers.
type Covers struct {
	Name    string
	address string // with isbnPlace in it
	web     *web
}

const (
	isbnPlace  = "{isbn}"
	maxPicture = 5 << 20

	openLibraryCovers = "https://covers.openlibrary.org/b/isbn/{isbn}-L.jpg?default=false"
)

// ParseCovers reads a setting: openlibrary, or an address with {isbn} in it. It is nil for "".
func ParseCovers(setting string) (*Covers, error) {
	switch setting {
	case "":
		return nil, nil
	case "openlibrary":
		return &Covers{setting, openLibraryCovers, newWeb(maxPicture, openLibraryMayFollow)}, nil
	}
	if !strings.Contains(setting, isbnPlace) {
		return nil, fmt.Errorf("%q is neither openlibrary nor an address with %s in it", setting, isbnPlace)
	}
	const number = "9780000000002"
	u, err := parseAddress(strings.ReplaceAll(setting, isbnPlace, number))
	if err != nil {
		return nil, fmt.Errorf("%q %w", setting, err)
	}
	if strings.Contains(u.Host, number) {
		return nil, fmt.Errorf("%q has %s in the name of its host", setting, isbnPlace)
	}
	return &Covers{u.Host, setting, newWeb(maxPicture, sameHost)}, nil
}

// openLibraryMayFollow lets Open Library send us to the Internet Archive, where its pictures are.
func openLibraryMayFollow(from, to *url.URL) bool {
	host := to.Hostname()
	return sameHost(from, to) || to.Scheme == "https" && (host == "archive.org" || strings.HasSuffix(host, ".archive.org"))
}

// Fetch returns the file of a cover. key is an ISBN with 13 digits. The error is ErrNoCover,
// ErrFailed, or the context's.
func (c *Covers) Fetch(ctx context.Context, key string) ([]byte, error) {
	status, body, err := c.web.get(ctx, strings.ReplaceAll(c.address, isbnPlace, url.QueryEscape(key)), "image/jpeg, image/png, image/webp")
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrFailed, err)
	case status == http.StatusNotFound || status == http.StatusGone:
		return nil, ErrNoCover
	case status != http.StatusOK:
		return nil, fmt.Errorf("%w: status %d", ErrFailed, status)
	}
	return body, nil
}
