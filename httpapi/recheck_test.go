package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/api"
)

// slowReader takes what is written to it. While it takes the first piece,
// something happens.
type slowReader struct {
	*httptest.ResponseRecorder
	happen func()
	after  int // pieces that came after that
}

func (s *slowReader) Write(p []byte) (int, error) {
	if s.happen == nil {
		s.after++
		return s.ResponseRecorder.Write(p)
	}
	s.happen()
	s.happen = nil
	time.Sleep(300 * time.Millisecond) // longer than a judgement lasts
	return s.ResponseRecorder.Write(p)
}

const lastTitle = "ZZZ"

// longList fills the library with more than is sent at a time.
func (s *standing) longList(t *testing.T) (last library.Book) {
	t.Helper()
	var books []library.Book
	for i := range 120 {
		f := library.BookFields{Title: fmt.Sprintf("Long %03d", i), Description: strings.Repeat("x", 9000)}
		books = append(books, library.Book{ID: library.NewID(), BookFields: f.Complete(), Created: time.Now(), Version: "v1"})
	}
	last = library.Book{ID: library.NewID(), BookFields: library.BookFields{Title: lastTitle}.Complete(), Created: time.Now(), Version: "v1", Stock: library.Stock{Copies: 1, Available: 1}}
	s.tx(t, func(tx library.Tx) error { return tx.AddBooks(t.Context(), append(books, last)) })
	return last
}

// readSlowly asks for all books. It reports whether the answer came to its end.
func (s *standing) readSlowly(path, credentials string, happen func()) (r *slowReader, whole bool) {
	r = &slowReader{ResponseRecorder: httptest.NewRecorder(), happen: happen}
	req := httptest.NewRequestWithContext(allowTime(context.Background()), http.MethodGet, basePath+path, nil)
	req.Header.Set("Authorization", credentials)
	defer func() {
		if p := recover(); p != nil && p != http.ErrAbortHandler {
			panic(p)
		}
	}()
	s.api().ServeHTTP(r, req)
	return r, true
}

func TestALongListEndsWithTheStandingOfItsReader(t *testing.T) {
	t.Parallel()
	withEachStanding(t, func(t *testing.T, s *standing, losses []loss) {
		last := s.longList(t)
		for _, l := range losses {
			for _, path := range []string{"/books", "/books?limit=1000"} {
				// A curator sees who has a book; a demoted one does not.
				u, credentials := s.newCaller(t, library.RoleCurator)
				r, whole := s.readSlowly(path, credentials, func() { l.happen(t, s, u) })
				if whole || r.Code != 200 || r.after > 0 || strings.Contains(r.Body.String(), last.ID) {
					t.Errorf("%s, %s: whole: %v, status %d, %d pieces afterwards", path, l.name, whole, r.Code, r.after)
				}
			}
		}
		if strings.Contains(s.log.String(), `"ERROR"`) {
			t.Error("it is no error of ours")
		}
	})
}

// TestALongListIsTrueWhenItIsRead is what is promised of a list that is read
// slowly by somebody who may: it is no snapshot, each book is as it was when its
// batch was read.
func TestALongListIsTrueWhenItIsRead(t *testing.T) {
	t.Parallel()
	for database := range databases {
		s := newStanding(t, database, "scope")
		last := s.longList(t)
		u, credentials := s.newCaller(t, library.RoleUser)
		r, whole := s.readSlowly("/books", credentials, func() {
			reader := library.Actor{User: u, Authorities: u.Authorities()}
			if _, err := s.service.Borrow(allowTime(t.Context()), reader, last.ID); err != nil {
				t.Error(err)
			}
		})
		var books []api.Book
		if err := json.Unmarshal(r.Body.Bytes(), &books); err != nil || !whole {
			t.Fatalf("%s: whole: %v, %v", database, whole, err)
		}
		if b := books[len(books)-1]; b.Title != lastTitle || !b.Borrowed {
			t.Errorf("%s: the last book is %+v", database, b)
		}
	}
}

func TestALongListHasAnEndInTime(t *testing.T) {
	t.Parallel()
	s := newStanding(t, "sqlite", "basic") // whose credentials do not expire
	s.longList(t)
	_, credentials := s.newCaller(t, library.RoleUser)
	if _, whole := s.readSlowly("/books", credentials, func() {}); !whole {
		t.Error("a slow reader is cut off for slowness alone")
	}
	s.api().MaxAge(100 * time.Millisecond)
	if r, whole := s.readSlowly("/books", credentials, func() {}); whole && r.Code == http.StatusOK { // another status: it took too long before the first piece
		t.Error("the list goes on")
	}
}

func TestABasicStreamEndsWithItsPassword(t *testing.T) {
	t.Parallel()
	s := newStanding(t, "sqlite", "basic")
	s.api().KeepAlive(50 * time.Millisecond)
	u, credentials := s.newCaller(t, library.RoleUser)
	_, others := s.newCaller(t, library.RoleUser)
	l := s.listen(t, request{header: field("Authorization", credentials)})
	other := s.listen(t, request{header: field("Authorization", others)})
	l.wantBare("ready")
	other.wantBare("ready")
	s.password(t, u.Email, false)
	l.WantEnd()
	s.send(t, request{method: http.MethodPost, path: borrowPath, header: field("Authorization", others)}).want(t, 200, "")
	other.want("borrowed", cleanCode, true)
}
