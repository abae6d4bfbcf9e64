package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
)

// Page is a part of a list, or all of it.
type Page[T any] struct {
	Items []T
	Total int // of the whole list
	// More match than Total: a search counts no further.
	AtLeast bool
	Next    string // cursor of the next page, "" on the last one
	// The corrected words of a fuzzy query, "" if they are right.
	Corrected string
}

// pageSize is the page size for reading a long list.
const pageSize = 500

// errEndless is the error for a list with a repeated cursor.
var errEndless = errors.New("the list does not come to an end: what answers is not the library service; check the address")

// Pages reads the pages of a list until they have limit records, or all of them if limit is 0. A
// repeated cursor is an error.
func Pages[T any](limit int, get func(size int, cursor string) (Page[T], error)) iter.Seq2[Page[T], error] {
	return func(yield func(Page[T], error) bool) {
		visited := map[string]bool{}
		for cursor, left := "", limit; ; {
			size := pageSize
			if limit > 0 {
				size = min(size, left)
			}
			p, err := get(size, cursor)
			if err == nil && visited[p.Next] {
				err = errEndless
			}
			if err != nil {
				yield(Page[T]{}, err)
				return
			}
			if limit > 0 {
				p.Items = p.Items[:min(len(p.Items), left)]
				left -= len(p.Items)
			}
			if !yield(p, nil) || p.Next == "" || limit > 0 && left == 0 {
				return
			}
			cursor = p.Next
			visited[cursor] = true
		}
	}
}

// pages reads the pages of a query.
func pages[T any](ctx context.Context, c *Client, path string, query url.Values, limit int) iter.Seq2[Page[T], error] {
	return Pages(limit, func(size int, cursor string) (Page[T], error) {
		query := maps.Clone(query)
		query.Set("limit", strconv.Itoa(size))
		set(query, "cursor", cursor)
		return list[T](ctx, c, path, query)
	})
}

// Items are the records of pages.
func Items[T any](pages iter.Seq2[Page[T], error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for p, err := range pages {
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range p.Items {
				if !yield(item, nil) {
					return
				}
			}
		}
	}
}

// list gets a page.
func list[T any](ctx context.Context, c *Client, path string, query url.Values) (Page[T], error) {
	var p Page[T]
	header, err := c.do(ctx, request{method: http.MethodGet, path: path, query: query}, maxPage, &p.Items)
	if err != nil {
		return Page[T]{}, err
	}
	if p.Total, err = strconv.Atoi(header.Get("X-Total-Count")); err != nil {
		return Page[T]{}, fmt.Errorf("what answers at %s does not say how many there are; check the address", c.base)
	}
	p.AtLeast = header.Get("X-Total-Count-Exact") == "false"
	if p.Corrected, err = url.PathUnescape(header.Get("X-Corrected-Query")); err != nil {
		p.Corrected = ""
	}
	p.Next = nextCursor(header.Get("Link"))
	if p.Next != "" && len(p.Items) == 0 {
		return Page[T]{}, errEndless
	}
	return p, nil
}

var nextLink = regexp.MustCompile(`<([^<>]*)>;\s*rel="?next"?`)

// nextCursor finds the cursor in a Link header. The address is not used: a token must not be sent
// to an address from an answer.
func nextCursor(link string) string {
	found := nextLink.FindStringSubmatch(link)
	if found == nil {
		return ""
	}
	u, err := url.Parse(found[1])
	if err != nil {
		return ""
	}
	return u.Query().Get("cursor")
}

// record gets one record and its version.
func record[T any](ctx context.Context, c *Client, in request) (T, Version, error) {
	var out T
	header, err := c.do(ctx, in, maxRecord, &out)
	return out, Version(header.Get("ETag")), err
}

// ask gets one record in any version.
func ask[T any](ctx context.Context, c *Client, in request) (T, error) {
	out, _, err := record[T](ctx, c, in)
	return out, err
}

// remove deletes a record.
func (c *Client) remove(ctx context.Context, in request) error {
	in.method = http.MethodDelete
	_, err := c.do(ctx, in, maxRecord, nil)
	return err
}

func pageValues(words string, limit int, cursor string) url.Values {
	v := url.Values{}
	set(v, "q", words)
	set(v, "cursor", cursor)
	if limit > 0 {
		v.Set("limit", strconv.Itoa(limit))
	}
	return v
}

func set(v url.Values, name, value string) {
	if value != "" {
		v.Set(name, value)
	}
}

func setNumber(v url.Values, name string, value int) {
	if value != 0 {
		v.Set(name, strconv.Itoa(value))
	}
}

func setBool(v url.Values, name string, value *bool) {
	if value != nil {
		v.Set(name, strconv.FormatBool(*value))
	}
}
