package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/library/api"
	"example.org/library/client"
	"example.org/library/internal/testkit"
)

// service starts a service that answers with the handler, and a client of it.
func service(t *testing.T, handler http.HandlerFunc) *client.Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	c, err := client.New(server.URL+"/library-server/", client.StaticSource(client.Token{Access: "an.access.token"}))
	testkit.NoError(t, err)
	return c
}

// answer writes JSON.
func answer(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	io.WriteString(w, body)
}

const (
	bookID = "f9bf70d6-e56d-4cab-be6b-294cd05f599f"
	aBook  = `{"identifier":"` + bookID + `","title":"Clean Code","authors":["Bob Martin"],"borrowed":true}`
	aUser  = `{"identifier":"` + bookID + `","email":"a@example.com","firstName":"A","lastName":"B"}`
)

// call is a method of the client, and the request that it makes.
type call struct {
	name string
	call func(context.Context, *client.Client) error
	want string // method, address, If-Match and body
	give string
}

func checkCalls(t *testing.T, calls []call) {
	t.Helper()
	for _, test := range calls {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := ""
			c := service(t, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				path := strings.TrimPrefix(r.URL.RequestURI(), "/library-server")
				got = strings.Join(strings.Fields(fmt.Sprintf("%s %s %s %s", r.Method, path, r.Header.Get("If-Match"), body)), " ")
				testkit.Equal(t, r.Header.Get("Authorization"), "Bearer an.access.token", "Authorization")
				if test.give == "" {
					w.WriteHeader(http.StatusNoContent)
					return
				}
				w.Header().Set("X-Total-Count", "0")
				answer(w, http.StatusOK, test.give)
			})
			testkit.NoError(t, test.call(t.Context(), c))
			if want := strings.Join(strings.Fields(test.want), " "); got != want {
				t.Errorf("sent %s\nwant %s", got, want)
			}
		})
	}
}

func TestEachCallIsTheRequestOfTheContract(t *testing.T) {
	t.Parallel()
	yes := true
	fields := client.BookFields{BookFields: api.BookFields{Title: "Clean Code", Authors: []string{"Bob Martin"}}}
	user := client.UserFields{Email: "a@example.com", FirstName: "A", LastName: "B"}
	nobody := user
	nobody.Roles = []string{}
	checkCalls(t, []call{
		{"the caller", func(ctx context.Context, c *client.Client) error { _, err := c.Me(ctx); return err },
			"GET /me", aUser},
		{"all books", func(ctx context.Context, c *client.Client) error {
			_, err := c.Books(ctx, client.BookQuery{})
			return err
		},
			"GET /books", "[]"},
		{"some books", func(ctx context.Context, c *client.Client) error {
			_, err := c.Books(ctx, client.BookQuery{Words: "a b", Author: "x", ISBN: "1", Borrowed: &yes, Sort: "-title", Limit: 7, Cursor: "z"})
			return err
		}, "GET /books?author=x&borrowed=true&cursor=z&isbn=1&limit=7&q=a+b&sort=-title", "[]"},
		{"the caller's books", func(ctx context.Context, c *client.Client) error { _, err := c.MyBooks(ctx); return err },
			"GET /me/books", "[]"},
		{"a book", func(ctx context.Context, c *client.Client) error { _, _, err := c.Book(ctx, bookID); return err },
			"GET /books/" + bookID, aBook},
		{"a name that is no identifier stays one piece of the path", func(ctx context.Context, c *client.Client) error {
			_, _, err := c.Book(ctx, "../users?x#y")
			return err
		}, "GET /books/..%2Fusers%3Fx%23y", aBook},
		{"add a book", func(ctx context.Context, c *client.Client) error { _, err := c.AddBook(ctx, fields); return err },
			`POST /books {"title":"Clean Code","authors":["Bob Martin"]}`, aBook},
		{"edit a book", func(ctx context.Context, c *client.Client) error {
			_, err := c.EditBook(ctx, bookID, fields, `"v1"`)
			return err
		},
			"PUT /books/" + bookID + ` "v1" {"title":"Clean Code","authors":["Bob Martin"]}`, aBook},
		{"delete a book", func(ctx context.Context, c *client.Client) error { return c.DeleteBook(ctx, bookID, `"v1"`) },
			"DELETE /books/" + bookID + ` "v1"`, ""},
		{"borrow", func(ctx context.Context, c *client.Client) error { _, err := c.Borrow(ctx, bookID); return err },
			"POST /books/" + bookID + "/borrow", aBook},
		{"return", func(ctx context.Context, c *client.Client) error { _, err := c.Return(ctx, bookID); return err },
			"POST /books/" + bookID + "/return", aBook},
		{"users", func(ctx context.Context, c *client.Client) error {
			_, err := c.Users(ctx, client.UserQuery{Words: "a", Limit: 2})
			return err
		},
			"GET /users?limit=2&q=a", "[]"},
		{"a user", func(ctx context.Context, c *client.Client) error { _, _, err := c.User(ctx, bookID); return err },
			"GET /users/" + bookID, aUser},
		{"add a user", func(ctx context.Context, c *client.Client) error { _, err := c.AddUser(ctx, user); return err },
			`POST /users {"email":"a@example.com","firstName":"A","lastName":"B"}`, aUser},
		{"edit a user: no word of roles leaves them", func(ctx context.Context, c *client.Client) error {
			_, err := c.EditUser(ctx, bookID, user, "")
			return err
		},
			"PUT /users/" + bookID + ` {"email":"a@example.com","firstName":"A","lastName":"B"}`, aUser},
		{"edit a user: an empty list takes them away", func(ctx context.Context, c *client.Client) error {
			_, err := c.EditUser(ctx, bookID, nobody, "")
			return err
		},
			"PUT /users/" + bookID + ` {"email":"a@example.com","firstName":"A","lastName":"B","roles":[]}`, aUser},
		{"remove a user", func(ctx context.Context, c *client.Client) error { return c.RemoveUser(ctx, bookID, "") },
			"DELETE /users/" + bookID, ""},
	})
}

func TestARecordComesWithItsVersion(t *testing.T) {
	t.Parallel()
	c := service(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"abc"`)
		answer(w, http.StatusOK, aBook)
	})
	got, version, err := c.Book(t.Context(), bookID)
	want := api.Book{Identifier: bookID, BookFields: api.BookFields{Title: "Clean Code", Authors: []string{"Bob Martin"}}, Borrowed: true}
	if diff := cmp.Diff(want, got); err != nil || diff != "" || version != `"abc"` {
		t.Errorf("version %q, error %v, book (-want +got):\n%s", version, err, diff)
	}
}

// pages serves three books, one to a page; the links lead to another host.
func pages(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Total-Count", "3")
	at := r.URL.Query().Get("cursor")
	next := map[string]string{"": "two", "two": "three"}[at]
	if next != "" {
		w.Header().Set("Link", `<https://elsewhere.example.com/books?limit=1&cursor=`+next+`>; rel="next"`)
	}
	answer(w, http.StatusOK, `[{"identifier":"x","title":"page `+at+`","borrowed":false}]`)
}

func TestAWholeListIsWalkedPageByPageAtTheAddressOfTheServiceAlone(t *testing.T) {
	t.Parallel()
	var titles []string
	for b, err := range service(t, pages).AllBooks(t.Context(), client.BookQuery{}) {
		testkit.NoError(t, err)
		titles = append(titles, b.Title)
	}
	testkit.Diff(t, []string{"page ", "page two", "page three"}, titles)
}

func TestAWalkCanBeLeft(t *testing.T) {
	t.Parallel()
	for b, err := range service(t, pages).AllBooks(t.Context(), client.BookQuery{}) {
		if err != nil || b.Title != "page " {
			t.Fatalf("%v, %v", b, err)
		}
		break
	}
}

func TestAWalkEndsWithTheErrorThatStoppedIt(t *testing.T) {
	t.Parallel()
	c := service(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("cursor") != "" {
			answer(w, http.StatusForbidden, `{"message":"No.","code":"role_missing"}`)
			return
		}
		pages(w, r)
	})
	seen, failed := 0, 0
	for _, err := range c.AllUsers(t.Context(), client.UserQuery{}) {
		if err != nil {
			failed++
		} else {
			seen++
		}
	}
	if seen != 1 || failed != 1 {
		t.Errorf("%d seen, %d failed", seen, failed)
	}
}

func TestARefusalIsInTheWordsOfTheService(t *testing.T) {
	t.Parallel()
	c := service(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Request-Id", "r1")
		w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", error_description="The request requires more.", error_uri="x", scope="library_curator"`)
		body, _ := json.Marshal(api.Error{Message: "You may not.", Code: "role_missing", Details: []api.Detail{{Field: "title", Message: "is required"}}})
		answer(w, http.StatusForbidden, string(body))
	})
	_, err := c.Me(t.Context())
	var got *client.Error
	if !errors.As(err, &got) {
		t.Fatalf("the error is %v", err)
	}
	want := &client.Error{
		Status: 403, Code: "role_missing", Message: "You may not.", RequestID: "r1",
		Details:     []api.Detail{{Field: "title", Message: "is required"}},
		Description: "The request requires more.", Role: "library_curator",
	}
	testkit.Diff(t, want, got)
}

func TestWhatIsNotTheServiceIsNotTakenForIt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		handler http.HandlerFunc
		want    string
	}{
		{"a page", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "<html>hello") }, "is not the library service"},
		{"JSON of another kind", func(w http.ResponseWriter, r *http.Request) { answer(w, 200, `[1]`) }, "is not the library service"},
		{"a redirect to a login page", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://login.example.com/", http.StatusFound)
		}, "wants to redirect"},
		{"another path", http.NotFound, "There is no library service at this address"},
		{"a proxy that fails", func(w http.ResponseWriter, r *http.Request) { http.Error(w, "secret", http.StatusBadGateway) }, "502 Bad Gateway"},
		{"an error without words", func(w http.ResponseWriter, r *http.Request) { answer(w, 418, `{}`) }, "418"},
		{"no end", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.Copy(w, io.LimitReader(zeros{}, 5<<20))
		}, "sends too much"},
		{"nobody", func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }, "cannot be reached"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := service(t, test.handler).Me(t.Context())
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("the error is %v, want %q in it", err, test.want)
			}
		})
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestAListThatDoesNotSayHowManyThereAreIsNone(t *testing.T) {
	t.Parallel()
	c := service(t, func(w http.ResponseWriter, r *http.Request) { answer(w, 200, "[]") })
	if _, err := c.MyBooks(t.Context()); err == nil {
		t.Error("it was taken for a list")
	}
}

func TestAServiceThatIsDownIsUnreachable(t *testing.T) {
	t.Parallel()
	c, err := client.New("http://"+testkit.NobodyListens, client.StaticSource(client.Token{Access: "x"}))
	testkit.NoError(t, err)
	if _, err := c.Me(t.Context()); !errors.Is(err, client.ErrUnreachable) {
		t.Errorf("the error is %v", err)
	}
}

func TestATokenThatCannotBeHadIsNotAnErrorOfTheService(t *testing.T) {
	t.Parallel()
	c := service(t, func(w http.ResponseWriter, r *http.Request) { t.Error("a request was sent") })
	source := client.NewSource(client.Token{}, func(context.Context, client.Token) (client.Token, error) {
		return client.Token{}, client.ErrSessionEnded
	})
	ended, err := client.New(c.Address(), source)
	testkit.NoError(t, err)
	if _, err := ended.Me(t.Context()); err != client.ErrSessionEnded {
		t.Errorf("the error is %v", err)
	}
}

func TestAnAddressThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "library.example.com", "ftp://x", "http://", "https://user@x", "http://x#y", "http://x?y"} {
		if _, err := client.New(address, client.StaticSource(client.Token{Access: "x"})); err == nil {
			t.Errorf("%q was taken", address)
		}
	}
}
