package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/google/uuid"
)

// handler answers for a known caller.
type handler func(w http.ResponseWriter, r *http.Request, u user) (any, error)

// people finds callers, lender lends to them.
type people interface {
	userByEmail(ctx context.Context, email string) (user, error)
}

type lender interface {
	people
	borrow(ctx context.Context, u user, id string) (book, error)
	giveBack(ctx context.Context, u user, id string) (book, error)
}

func routes(l lender, v *verifier) *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /library-server/books/{id}/borrow", serve(l, v, "library_user", one(l.borrow)))
	mux.HandleFunc("POST /library-server/books/{id}/return", serve(l, v, "library_user", one(l.giveBack)))
	return mux
}

// one is about one book.
func one(do func(context.Context, user, string) (book, error)) handler {
	return func(_ http.ResponseWriter, r *http.Request, u user) (any, error) {
		if uuid.Validate(r.PathValue("id")) != nil {
			return nil, errBadRequest
		}
		return do(r.Context(), u, r.PathValue("id"))
	}
}

// serve authenticates, authorizes, and writes the answer.
func serve(p people, v *verifier, scope string, h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { answer(w, r, p, v, scope, h) }
}

func answer(w http.ResponseWriter, r *http.Request, p people, v *verifier, scope string, h handler) {
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-store")
	c, err := v.verify(r)
	if err != nil {
		header.Set("WWW-Authenticate", "Bearer")
		http.Error(w, "unauthorized", http.StatusUnauthorized)
		return
	}
	u, err := p.userByEmail(r.Context(), c.Email)
	if errors.Is(err, errNotFound) {
		http.Error(w, "unauthorized", http.StatusUnauthorized)
		return
	}
	if err == nil && scope != "" && !c.may(scope) {
		err = errForbidden
	}
	var found any
	if err == nil {
		found, err = h(w, r, u)
	}
	var body []byte
	if err == nil {
		body, err = json.Marshal(found)
	}
	if err != nil {
		http.Error(w, err.Error(), statusOf(err))
		return
	}
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.Write(body)
}

var (
	errBadRequest  = errors.New("bad request")
	errNotFound    = errors.New("not found")
	errForbidden   = errors.New("forbidden")
	errBorrowed    = errors.New("already borrowed")
	errNotBorrowed = errors.New("not borrowed")
	errTooMany     = errors.New("too many loans")
)

func statusOf(err error) int {
	switch {
	case errors.Is(err, errBadRequest):
		return http.StatusBadRequest
	case errors.Is(err, errNotFound):
		return http.StatusNotFound
	case errors.Is(err, errForbidden):
		return http.StatusForbidden
	case errors.Is(err, errBorrowed), errors.Is(err, errNotBorrowed), errors.Is(err, errTooMany):
		return http.StatusConflict
	}
	return http.StatusInternalServerError
}
