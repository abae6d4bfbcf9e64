package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/google/uuid"
)

// handler answers for a caller who is known.
type handler func(w http.ResponseWriter, r *http.Request, u user) (any, error)

func routes(s *store, v *verifier) http.Handler {
	mux := http.NewServeMux()
	handle := func(pattern, scope string, h handler) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { serve(w, r, s, v, scope, h) })
	}
	handle("GET /library-server/books", "", func(w http.ResponseWriter, r *http.Request, u user) (any, error) {
		limit, err := strconv.Atoi(r.FormValue("limit"))
		if err != nil && r.FormValue("limit") != "" || limit < 0 || limit > 1000 {
			return nil, errBadRequest
		}
		list, total, err := s.books(r.Context(), u, r.FormValue("q"), limit)
		w.Header().Set("X-Total-Count", strconv.Itoa(total))
		return list, err
	})
	one := func(do func(*http.Request, user, string) (book, error)) handler {
		return func(_ http.ResponseWriter, r *http.Request, u user) (any, error) {
			if uuid.Validate(r.PathValue("id")) != nil {
				return nil, errBadRequest
			}
			return do(r, u, r.PathValue("id"))
		}
	}
	handle("GET /library-server/books/{id}", "", one(func(r *http.Request, u user, id string) (book, error) { return s.book(r.Context(), u, id) }))
	handle("POST /library-server/books/{id}/borrow", "library_user", one(func(r *http.Request, u user, id string) (book, error) { return s.borrow(r.Context(), u, id) }))
	handle("POST /library-server/books/{id}/return", "library_user", one(func(r *http.Request, u user, id string) (book, error) { return s.giveBack(r.Context(), u, id) }))
	return mux
}

// serve authenticates, authorizes, and writes the answer.
func serve(w http.ResponseWriter, r *http.Request, s *store, v *verifier, scope string, h handler) {
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-store")
	c, err := v.verify(r)
	if err != nil {
		header.Set("WWW-Authenticate", "Bearer")
		http.Error(w, "unauthorized", http.StatusUnauthorized)
		return
	}
	u, err := s.userByEmail(r.Context(), c.Email)
	if errors.Is(err, errNotFound) {
		http.Error(w, "unauthorized", http.StatusUnauthorized)
		return
	}
	if err == nil && scope != "" && !c.may(scope) {
		err = errForbidden
	}
	var answer any
	if err == nil {
		answer, err = h(w, r, u)
	}
	var body []byte
	if err == nil {
		body, err = json.Marshal(answer)
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
