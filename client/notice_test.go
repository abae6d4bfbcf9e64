package client_test

import (
	"context"
	"testing"

	"example.org/library/client"
)

const aNotice = `{"identifier":"` + bookID + `","kind":"overdue","state":"failed","book":{"identifier":"` + bookID + `","title":"Clean Code"},` +
	`"createdAt":"2026-11-15T08:00:00Z","attempts":1,"problem":{"code":550,"stage":"rcpt"}}`

func TestNotices(t *testing.T) {
	t.Parallel()
	checkCalls(t, []call{
		{"notices", with((*client.Client).Notices, client.NoticeQuery{State: "failed", Kind: "overdue", User: bookID, Limit: 7, Cursor: "z"}),
			"GET /notices?cursor=z&kind=overdue&limit=7&state=failed&user=" + bookID, "[" + aNotice + "]"},
		{"retry", with((*client.Client).RetryNotice, bookID), "POST /notices/" + bookID + "/retry", aNotice},
		{"resume", func(ctx context.Context, c *client.Client) error { return c.ResumeNotices(ctx) }, "POST /notices/resume", ""},
		{"a test mail", func(ctx context.Context, c *client.Client) error { return c.SendTestMail(ctx) }, "POST /notices/test", ""},
		{"whether mails are paused", func(ctx context.Context, c *client.Client) error {
			_, err := c.Outbox(ctx)
			return err
		},
			"GET /notices/outbox", `{"paused":true}`},
		{"a preview", func(ctx context.Context, c *client.Client) error {
			_, err := c.PreviewNotice(ctx, "overdue", "de")
			return err
		},
			"GET /notices/preview?kind=overdue&locale=de", `{"subject":"s","text":"t","html":"h"}`},
		{"a preview in the caller's language", func(ctx context.Context, c *client.Client) error {
			_, err := c.PreviewNotice(ctx, "overdue", "")
			return err
		},
			"GET /notices/preview?kind=overdue", `{"subject":"s","text":"t","html":"h"}`},
	})
}
