package client_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.org/library/client"
)

func TestAWalkThatGoesInACircleEnds(t *testing.T) {
	t.Parallel()
	for rule, c := range map[string]struct {
		next  map[string]string
		items string
		seen  int
	}{
		"a page after itself":        {map[string]string{"": "a", "a": "a"}, aBook, 1},
		"two pages after each other": {map[string]string{"": "a", "a": "b", "b": "a"}, aBook, 2},
		"the beginning once more":    {map[string]string{"": "a", "a": "b", "b": "c", "c": "b"}, aBook, 3},
		"no book, and yet more":      {map[string]string{"": "a", "a": "b"}, "", 0},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			s := service(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("X-Total-Count", "3")
				if next := c.next[r.URL.Query().Get("cursor")]; next != "" {
					w.Header().Set("Link", `</books?cursor=`+next+`>; rel="next"`)
				}
				answer(w, http.StatusOK, "["+c.items+"]")
			})
			seen, ctx := 0, t.Context()
			var failed error
			for _, err := range s.AllBooks(ctx, client.BookQuery{}) {
				if failed = err; err == nil {
					seen++
				}
				if seen > 10 {
					t.Fatal("there is no end")
				}
			}
			if failed == nil || !strings.Contains(failed.Error(), "does not come to an end") || seen > c.seen+1 {
				t.Errorf("%d seen, error %v", seen, failed)
			}
		})
	}
}

func TestAnAnswerThatDripsIsGivenUp(t *testing.T) {
	t.Parallel()
	c := service(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for r.Context().Err() == nil {
			io.WriteString(w, " ")
			http.NewResponseController(w).Flush()
			time.Sleep(5 * time.Millisecond)
		}
	})
	client.SetTimeout(c, 100*time.Millisecond)
	if _, err := c.Me(t.Context()); !errors.Is(err, client.ErrUnreachable) || !strings.Contains(err.Error(), "did not answer in time") {
		t.Errorf("the error is %v", err)
	}
}
