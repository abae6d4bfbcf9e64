package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"time"

	"example.org/library/api"
)

// NoticeQuery selects notices. The zero query lists all.
type NoticeQuery struct {
	State  string // waiting, paused, sent, dropped or failed
	Kind   string // hold_ready, hold_expired, due_soon, overdue or wanted
	User   string // identifier
	Limit  int    // of one page, 1 to 1000; 0 is no limit
	Cursor string // Page.Next of the page before
}

func (q NoticeQuery) values() url.Values {
	v := pageValues("", q.Limit, q.Cursor)
	set(v, "state", q.State)
	set(v, "kind", q.Kind)
	set(v, "user", q.User)
	return v
}

// Notices returns a page of notices, newest first.
func (c *Client) Notices(ctx context.Context, q NoticeQuery) (Page[api.Notice], error) {
	return list[api.Notice](ctx, c, "/notices", q.values())
}

// NoticePages is [Client.BookPages] for notices.
func (c *Client) NoticePages(ctx context.Context, q NoticeQuery, limit int) iter.Seq2[Page[api.Notice], error] {
	return pages[api.Notice](ctx, c, "/notices", q.values(), limit)
}

// AllNotices reads the notices of a query.
func (c *Client) AllNotices(ctx context.Context, q NoticeQuery) iter.Seq2[api.Notice, error] {
	return Items(c.NoticePages(ctx, q, 0))
}

// RetryNotice lets a failed notice wait to be sent again.
func (c *Client) RetryNotice(ctx context.Context, id string) (api.Notice, error) {
	return ask[api.Notice](ctx, c, request{method: http.MethodPost, path: "/notices/" + url.PathEscape(id) + "/retry"})
}

// ResumeNotices lets the library send the mails held back because it may be a copy.
func (c *Client) ResumeNotices(ctx context.Context) error {
	return c.post(ctx, "/notices/resume")
}

// mailTimeout is how long a test mail may take: the service waits for the mail server for a minute.
const mailTimeout = 75 * time.Second

// SendTestMail sends a test mail to the caller now.
func (c *Client) SendTestMail(ctx context.Context) error {
	patient := *c
	if t, is := c.http.Transport.(*Transport); is {
		slow, transport := *c.http, *t
		transport.base = newTransport(mailTimeout)
		slow.Transport, patient.http = &transport, &slow
	}
	return patient.post(ctx, "/notices/test")
}

// Outbox returns whether mails are paused.
func (c *Client) Outbox(ctx context.Context) (api.Outbox, error) {
	return ask[api.Outbox](ctx, c, request{method: http.MethodGet, path: "/notices/outbox"})
}

// PreviewNotice returns a mail with made-up books. An empty locale is the caller's.
func (c *Client) PreviewNotice(ctx context.Context, kind, locale string) (api.MailPreview, error) {
	v := url.Values{"kind": {kind}}
	set(v, "locale", locale)
	return ask[api.MailPreview](ctx, c, request{method: http.MethodGet, path: "/notices/preview", query: v})
}

// post makes a POST without a body and reads none.
func (c *Client) post(ctx context.Context, path string) error {
	_, err := c.do(ctx, request{method: http.MethodPost, path: path}, maxRecord, nil)
	return err
}
