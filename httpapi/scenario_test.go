package httpapi_test

import (
	"net/http"
	"testing"
)

// scenario is one rule of the contract: given what has happened before, a
// request gets an answer. Each has a world of its own.
type scenario struct {
	rule   string
	given  func(t *testing.T, w *world)
	ask    request
	status int
	code   string // of the error, "" for a success
	then   func(t *testing.T, w *world, a reply)
}

func play(t *testing.T, scenarios []scenario, changes ...func(*setup)) {
	t.Helper()
	for _, s := range scenarios {
		t.Run(s.rule, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, changes...)
			if s.given != nil {
				s.given(t, w)
			}
			a := w.send(t, s.ask).want(t, s.status, s.code)
			if s.then != nil {
				s.then(t, w, a)
			}
		})
	}
}

// Things that may have happened before.

func lent(book, to string) func(*testing.T, *world) {
	return func(t *testing.T, w *world) {
		t.Helper()
		w.send(t, request{as: to, method: http.MethodPost, path: "/books/" + book + "/borrow"}).want(t, 200, "")
	}
}

func returned(book, by string) func(*testing.T, *world) {
	return func(t *testing.T, w *world) {
		t.Helper()
		w.send(t, request{as: by, method: http.MethodPost, path: "/books/" + book + "/return"}).want(t, 200, "")
	}
}

func edited(book, body string) func(*testing.T, *world) {
	return func(t *testing.T, w *world) {
		t.Helper()
		w.send(t, request{as: peterParker, method: http.MethodPut, path: "/books/" + book, body: body}).want(t, 200, "")
	}
}

func deleted(path, by string) func(*testing.T, *world) {
	return func(t *testing.T, w *world) {
		t.Helper()
		w.send(t, request{as: by, method: http.MethodDelete, path: path}).want(t, 204, "")
	}
}

func added(path, by, body string) func(*testing.T, *world) {
	return func(t *testing.T, w *world) {
		t.Helper()
		w.send(t, request{as: by, method: http.MethodPost, path: path, body: body}).want(t, 201, "")
	}
}

// inTurn is several things, one after another.
func inTurn(steps ...func(*testing.T, *world)) func(*testing.T, *world) {
	return func(t *testing.T, w *world) {
		t.Helper()
		for _, step := range steps {
			step(t, w)
		}
	}
}
