package client_test

import (
	"context"
	"testing"

	"example.org/library/client"
)

func TestLookUpAndCovers(t *testing.T) {
	t.Parallel()
	checkCalls(t, []call{
		{"what others know of an ISBN", with((*client.Client).LookUp, "9780132350884"), "GET /lookups/9780132350884", `[{"source":"loc","book":{"title":"Clean Code"}}]`},
		{"a cover", func(ctx context.Context, c *client.Client) error {
			return c.SetCover(ctx, bookID, "image/png", []byte("a picture"))
		}, "PUT /books/" + bookID + "/cover a picture", ""},
		{"a cover that is fetched", func(ctx context.Context, c *client.Client) error { return c.FetchCover(ctx, bookID) }, "POST /books/" + bookID + "/cover/fetch", ""},
		{"no cover", func(ctx context.Context, c *client.Client) error { return c.RemoveCover(ctx, bookID) }, "DELETE /books/" + bookID + "/cover", ""},
	})
}
