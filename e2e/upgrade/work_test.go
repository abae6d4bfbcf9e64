package upgrade

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
)

func must(t *testing.T, when string, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", when, err)
	}
}

// rounds is how often everything is done, so that what is prepared or cached is used as well.
const rounds = 4

// work does what people do at one program, and looks at another whether it is seen there. The
// error is the first answer that is not as it should be.
func work(at, seenAt *server) error {
	for range rounds {
		if err := addAndEdit(at, seenAt); err != nil {
			return err
		}
		if err := lendAndReturn(at, seenAt); err != nil {
			return err
		}
	}
	return nil
}

// together works at both programs at the same time, each of which looks at the other.
func together(a, b *server) error {
	var all sync.WaitGroup
	failures := make([]error, 4)
	for i := range failures {
		all.Go(func() {
			if at, seenAt := a, b; i%2 == 0 {
				failures[i] = work(at, seenAt)
			} else {
				failures[i] = work(seenAt, at)
			}
		})
	}
	all.Wait()
	return errors.Join(failures...)
}

// addAndEdit adds a user and a book, and edits both.
func addAndEdit(at, seenAt *server) error {
	s := at.site
	n := s.serial.Add(1)
	email := fmt.Sprintf("reader-%d@example.com", n)
	user, err := at.ask("POST", "/users", s.admin, map[string]any{"email": email, "firstName": "R", "lastName": "R"}, http.StatusCreated)
	if err != nil {
		return err
	}
	email = fmt.Sprintf("person-%d@example.com", n)
	if _, err := at.ask("PUT", "/users/"+user.Identifier, s.admin,
		map[string]any{"email": email, "firstName": "P", "lastName": "P"}, http.StatusOK); err != nil {
		return err
	}
	got, err := seenAt.ask("GET", "/users/"+user.Identifier, s.admin, nil, http.StatusOK)
	if err == nil && got.Email != email {
		err = fmt.Errorf("the %s program shows the address %q, which is %q", seenAt.name, got.Email, email)
	}
	if err != nil {
		return err
	}
	book, err := at.addBook(n)
	if err != nil {
		return err
	}
	title := fmt.Sprint("Persuasion ", n)
	if _, err := at.ask("PUT", "/books/"+book, s.curator, map[string]any{"title": title}, http.StatusOK); err != nil {
		return err
	}
	return seenAt.wantBook(book, title, 1)
}

func (s *server) addBook(n int32) (string, error) {
	book, err := s.ask("POST", "/books", s.site.curator, map[string]any{"title": fmt.Sprint("Emma ", n)}, http.StatusCreated)
	return book.Identifier, err
}

// lendAndReturn lends a book at one program and returns it at the other.
func lendAndReturn(at, seenAt *server) error {
	s := at.site
	n := s.serial.Add(1)
	book, err := at.addBook(n)
	if err != nil {
		return err
	}
	title := fmt.Sprint("Emma ", n)
	for _, step := range []struct {
		at, seenAt *server
		act        string
		available  int
	}{
		{at, seenAt, "borrow", 0}, {at, seenAt, "return", 1}, // by one program
		{at, seenAt, "borrow", 0}, {seenAt, at, "return", 1}, // by one and the other
	} {
		if _, err := step.at.ask("POST", "/books/"+book+"/"+step.act, s.user, nil, http.StatusOK); err != nil {
			return err
		}
		if err := step.seenAt.wantBook(book, title, step.available); err != nil {
			return err
		}
	}
	_, err = seenAt.ask("GET", "/books?limit=5", s.user, nil, http.StatusOK)
	return err
}

// wantBook wants a book to be shown so.
func (s *server) wantBook(id, title string, available int) error {
	got, err := s.ask("GET", "/books/"+id, s.site.user, nil, http.StatusOK)
	if err == nil && (got.Title != title || got.Available != available) {
		err = fmt.Errorf("the %s program shows %q with %d available, which is %q with %d", s.name, got.Title, got.Available, title, available)
	}
	return err
}
