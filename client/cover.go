package client

import (
	"context"
	"net/http"
	"net/url"
)

// SetCover gives a book a cover, instead of the one that it has. kind is the media type of
// the picture: image/jpeg, image/png or image/webp. The service makes few covers at a time; if
// it has too many to make, the call is made again.
func (c *Client) SetCover(ctx context.Context, bookID, kind string, picture []byte) error {
	_, err := c.do(ctx, request{method: http.MethodPut, path: coverPath(bookID), body: file{kind, picture}, again: true}, maxRecord, nil)
	return err
}

// FetchCover gives a book the cover that the library's source of covers has of its ISBN.
func (c *Client) FetchCover(ctx context.Context, bookID string) error {
	_, err := c.do(ctx, request{method: http.MethodPost, path: coverPath(bookID) + "/fetch"}, maxRecord, nil)
	return err
}

// RemoveCover takes the cover away from a book.
func (c *Client) RemoveCover(ctx context.Context, bookID string) error {
	return c.remove(ctx, request{path: coverPath(bookID)})
}

func coverPath(bookID string) string { return "/books/" + url.PathEscape(bookID) + "/cover" }
