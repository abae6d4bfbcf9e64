package client

import (
	"context"
	"net/http"
	"net/url"

	"example.org/library/api"
)

// Policy returns the rules of the library and their version.
func (c *Client) Policy(ctx context.Context) (api.Policy, Version, error) {
	return record[api.Policy](ctx, c, request{method: http.MethodGet, path: "/policy"})
}

// EditPolicy replaces the rules of the library. A nil list is an empty one, and
// nil HistoryDays keep past loans for ever.
func (c *Client) EditPolicy(ctx context.Context, p api.Policy, v Version) (api.Policy, error) {
	return ask[api.Policy](ctx, c, request{method: http.MethodPut, path: "/policy", body: complete(p), version: v})
}

// complete makes nil lists of the rules empty ones.
func complete(p api.Policy) api.Policy {
	p.ClosedWeekdays, p.ClosedDates, p.OverdueDays = noNull(p.ClosedWeekdays), noNull(p.ClosedDates), noNull(p.OverdueDays)
	p.Rules = noNull(p.Rules)
	return p
}

// TryPolicy returns what the rules would have changed in the last year. It changes nothing. About nil see EditPolicy.
func (c *Client) TryPolicy(ctx context.Context, p api.Policy) (api.PolicyTrial, error) {
	return ask[api.PolicyTrial](ctx, c, request{method: http.MethodPost, path: "/policy/trial", body: complete(p)})
}

// EffectivePolicy returns the policy for a user, the caller if it is "", and a book.
func (c *Client) EffectivePolicy(ctx context.Context, user, book string) (api.EffectivePolicy, error) {
	v := url.Values{"book": {book}}
	set(v, "user", user)
	return ask[api.EffectivePolicy](ctx, c, request{method: http.MethodGet, path: "/policy/effective", query: v})
}

// noNull makes a nil list an empty one: an omitted list would take its default.
func noNull[T any](list []T) []T { return append([]T{}, list...) }

// StatisticsQuery selects periods. The zero query shows the last twelve months.
type StatisticsQuery struct {
	By       string // day, week or month; "" is month
	From, To string // days, in the form of api.DateLayout
}

// Statistics returns the library in numbers.
func (c *Client) Statistics(ctx context.Context, q StatisticsQuery) (api.Statistics, error) {
	return ask[api.Statistics](ctx, c, request{method: http.MethodGet, path: "/statistics", query: q.values()})
}

func (q StatisticsQuery) values() url.Values {
	v := url.Values{}
	set(v, "by", q.By)
	set(v, "from", q.From)
	set(v, "to", q.To)
	return v
}
