package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/library/api"
	"example.org/library/client"
	"example.org/library/internal/testkit"
)

// refusal is an answer with a code.
func refusal(status int, code, retryAfter string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		answer(w, status, `{"status":0,"message":"No.","code":"`+code+`"}`)
	}
}

func cut(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// cutShort ends in the middle of the body.
func cutShort(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", "1000")
	io.WriteString(w, `{"identifier":`)
	panic(http.ErrAbortHandler)
}

// scripted is a service that answers in turn, the last one for ever, and what it
// was sent.
func scripted(t *testing.T, answers ...http.HandlerFunc) (*client.Client, func() (keys, bodies []string)) {
	t.Helper()
	var mu sync.Mutex
	var keys, bodies []string
	c := service(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		next := answers[min(len(keys), len(answers)-1)]
		keys, bodies = append(keys, r.Header.Get("Idempotency-Key")), append(bodies, string(body))
		mu.Unlock()
		next(w, r)
	})
	client.SetPause(c, time.Millisecond)
	return c, func() ([]string, []string) {
		mu.Lock()
		defer mu.Unlock()
		return keys, bodies
	}
}

func added(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusCreated, aBook) }

func TestAPostIsSentAgainWithItsKey(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answers []http.HandlerFunc
		sent    int
		code    string // of the error in the end
		lost    bool   // there is no answer in the end
	}{
		"the first answer is good":              {answers: []http.HandlerFunc{added}, sent: 1},
		"no answer":                             {answers: []http.HandlerFunc{cut, added}, sent: 2},
		"half an answer":                        {answers: []http.HandlerFunc{cutShort, added}, sent: 2},
		"nobody knows whether it happened":      {answers: []http.HandlerFunc{refusal(503, "outcome_unknown", ""), added}, sent: 2},
		"the database is away for a moment":     {answers: []http.HandlerFunc{refusal(503, "unavailable", ""), added}, sent: 2},
		"too much is going on":                  {answers: []http.HandlerFunc{refusal(503, "overloaded", ""), added}, sent: 2},
		"the first is still being worked on":    {answers: []http.HandlerFunc{cut, refusal(409, "idempotency_key_in_use", ""), added}, sent: 3},
		"it is being worked on for long":        {answers: slices.Concat([]http.HandlerFunc{cut}, slices.Repeat([]http.HandlerFunc{refusal(409, "idempotency_key_in_use", "")}, 9), []http.HandlerFunc{added}), sent: 11},
		"the service says what has failed":      {answers: []http.HandlerFunc{refusal(502, "mail_failed", ""), added}, sent: 1, code: "mail_failed"},
		"a proxy has lost it":                   {answers: []http.HandlerFunc{refusal(502, "", ""), refusal(504, "", ""), added}, sent: 3},
		"it stays lost":                         {answers: []http.HandlerFunc{cut}, sent: 4, lost: true},
		"it stays unavailable":                  {answers: []http.HandlerFunc{refusal(503, "unavailable", "")}, sent: 4, code: "unavailable"},
		"the service asks for too much time":    {answers: []http.HandlerFunc{refusal(503, "unavailable", "60")}, sent: 1, code: "unavailable"},
		"a refusal":                             {answers: []http.HandlerFunc{refusal(409, "identifier_taken", "")}, sent: 1, code: "identifier_taken"},
		"the key of another request":            {answers: []http.HandlerFunc{refusal(422, "idempotency_key_reused", "")}, sent: 1, code: "idempotency_key_reused"},
		"an internal error":                     {answers: []http.HandlerFunc{refusal(500, "internal", "")}, sent: 1, code: "internal"},
		"the provider's keys are not there yet": {answers: []http.HandlerFunc{refusal(503, "keys_unavailable", "")}, sent: 1, code: "keys_unavailable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, sent := scripted(t, test.answers...)
			_, err := c.AddBook(t.Context(), client.BookFields{BookFields: api.BookFields{Title: "Clean Code"}})
			var refused *client.Error
			switch {
			case test.code != "" && (!errors.As(err, &refused) || refused.Code != test.code),
				test.lost && !errors.Is(err, client.ErrUnreachable),
				test.code == "" && !test.lost && err != nil:
				t.Errorf("got error %v", err)
			}
			keys, bodies := sent()
			if len(keys) != test.sent || len(keys[0]) < 22 || !strings.HasPrefix(keys[0], `"`) {
				t.Errorf("sent with the keys %q, want %d of them", keys, test.sent)
			}
			for i := range keys {
				if keys[i] != keys[0] || bodies[i] != `{"title":"Clean Code"}` {
					t.Errorf("sent %s with the key %s", bodies[i], keys[i])
				}
			}
		})
	}
}

func TestTheServiceSaysHowLongToWait(t *testing.T) {
	t.Parallel()
	c, _ := scripted(t, refusal(503, "overloaded", "1"), added)
	began := time.Now()
	if _, err := c.AddBook(t.Context(), client.BookFields{BookFields: api.BookFields{Title: "T"}}); err != nil || time.Since(began) < time.Second {
		t.Errorf("got error %v after %s", err, time.Since(began))
	}
	c, sent := scripted(t, refusal(503, "overloaded", "10"))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	if _, err := c.AddBook(ctx, client.BookFields{BookFields: api.BookFields{Title: "T"}}); err == nil || err.Error() != "No." {
		t.Errorf("got error %v", err)
	}
	if keys, _ := sent(); len(keys) != 1 {
		t.Errorf("sent %d times", len(keys))
	}
}

// A cover that is uploaded twice is the same as one that is uploaded once.
func TestACoverIsUploadedAgainWhenTheServiceHasTooManyToMake(t *testing.T) {
	t.Parallel()
	done := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }
	for name, test := range map[string]struct {
		answers []http.HandlerFunc
		sent    int
		failed  bool
	}{
		"too many":       {answers: []http.HandlerFunc{refusal(503, "overloaded", "1"), done}, sent: 2},
		"no answer":      {answers: []http.HandlerFunc{cut, done}, sent: 2},
		"it is no cover": {answers: []http.HandlerFunc{refusal(400, "bad_image", "")}, sent: 1, failed: true},
		"still too many": {answers: []http.HandlerFunc{refusal(503, "overloaded", "")}, sent: 4, failed: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, sent := scripted(t, test.answers...)
			err := c.SetCover(t.Context(), "1", "image/png", []byte("picture"))
			testkit.Equal(t, err != nil, test.failed, "failed")
			keys, bodies := sent()
			if !slices.Equal(bodies, slices.Repeat([]string{"picture"}, test.sent)) || !slices.Equal(keys, make([]string, test.sent)) {
				t.Errorf("sent %q with the keys %q, want it %d times without one", bodies, keys, test.sent)
			}
		})
	}
}

func TestEachPostHasAKeyOfItsOwnAndNothingElseHasOne(t *testing.T) {
	t.Parallel()
	c, sent := scripted(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, aBook) })
	for range 2 {
		if _, err := c.Borrow(t.Context(), bookID); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := c.Book(t.Context(), bookID); err != nil {
		t.Fatal(err)
	}
	if _, err := c.EditBook(t.Context(), bookID, client.BookFields{BookFields: api.BookFields{Title: "T"}}, ""); err != nil {
		t.Fatal(err)
	}
	keys, _ := sent()
	if len(keys) != 4 || keys[0] == keys[1] || keys[0] == "" || keys[2] != "" || keys[3] != "" {
		t.Errorf("the keys are %q", keys)
	}
	c, sent = scripted(t, cut)
	if _, _, err := c.Book(t.Context(), bookID); !errors.Is(err, client.ErrUnreachable) {
		t.Errorf("got error %v", err)
	}
	if keys, _ := sent(); len(keys) != 1 {
		t.Errorf("a GET was sent %d times", len(keys))
	}
}

func TestACallWithAKeyOfTheCallerIsRepeatedByTheCaller(t *testing.T) {
	t.Parallel()
	c, sent := scripted(t, cut, cut, added)
	ctx := client.WithIdempotencyKey(t.Context(), client.NewIdempotencyKey())
	for _, want := range []bool{false, false, true} {
		if _, err := c.AddBook(ctx, client.BookFields{BookFields: api.BookFields{Title: "T"}}); (err == nil) != want {
			t.Errorf("got error %v", err)
		}
	}
	if keys, _ := sent(); len(keys) != 3 || keys[0] != keys[2] {
		t.Errorf("the keys are %q", keys)
	}
}

func TestTheContractHasTheCodesAfterWhichACallIsRepeated(t *testing.T) {
	t.Parallel()
	for _, code := range client.Passing {
		if !strings.Contains(string(api.OpenAPI), "        - "+code+"\n") {
			t.Errorf("the contract file does not list %s", code)
		}
	}
}
