package httpapi

import (
	"context"
	"slices"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/httpapi/internal/input"
	"example.org/library/httpapi/internal/responsecache"
)

func (s *Server) listBooks(x *exchange) error {
	if x.answerFromCache() {
		return nil
	}
	q, err := x.bookQuery()
	if err != nil {
		return err
	}
	tag := booksTag(x.at, x.actor.ViewKey())
	if fresh(x.r.Header, tag) {
		x.notModified(tag)
		return nil
	}
	if err := x.enter(); err != nil {
		return err
	}
	if q, err = s.search.Correct(x.r.Context(), x.actor, q); err != nil {
		return err
	}
	x.corrected = q.Corrected
	books, err := s.service.Books(x.r.Context(), x.actor, q)
	if err != nil {
		return err
	}
	var parts []responsecache.Part
	wire := func(b library.Book) api.Book {
		if x.status == 0 { // it may be cached
			parts = append(parts, responsecache.PartOf(b))
		}
		return x.wireBook(b)
	}
	return list(x, books, wire, tag, func(r *responsecache.Response) error {
		r.Tag, r.Parts = booksTag(x.at, viewOf(x.actor, parts)), parts
		x.cache().Put(x.at, x.actor, x.r.RequestURI, r, library.LendingChanges(q))
		return x.answer(r)
	})
}

func (x *exchange) bookQuery() (library.BookQuery, error) {
	in := x.query()
	q := bookFilters(in)
	q.Order, q.Limit = in.Order("sort"), in.Limit("limit")
	if q.Order == library.ByRelevance {
		in.Require("q", q.Question)
	}
	if q.After = in.Cursor("cursor", q.Order); q.After != nil {
		in.Words("cursor", q.After.Corrected) // callers may have made them
	}
	return q, in.Err()
}

// bookFilters reads the filters of books, without an order.
func bookFilters(q *input.Query) library.BookQuery {
	question := q.Text("q")
	fuzzy := q.Flag("fuzzy")
	if fuzzy {
		q.Require("q", question)
	}
	return library.BookQuery{
		Terms:     q.Words("q", question),
		Phrases:   library.RankedQuestion(question),
		Question:  question,
		Fuzzy:     fuzzy,
		Authors:   q.Terms("author"),
		ISBN:      q.ISBN("isbn"),
		IDStart:   q.IDStart("identifier"),
		Borrowed:  q.Boolean("borrowed"),
		Available: q.Boolean("available"),
		Language:  q.Language("language"),
		Kind:      input.Choice(q, "kind", library.BookKinds),
		Subjects:  q.Subjects("subject"),
		Series:    q.Subject("series", library.MaxSeries),
		From:      q.Number("from", library.MaxYear),
		To:        q.Number("to", library.MaxYear),
	}
}

func (s *Server) listMyBooks(x *exchange) error {
	if err := x.query().Err(); err != nil {
		return err
	}
	books, err := s.service.BooksOf(x.r.Context(), x.actor)
	return listUncached(x, books, err, x.wireBook)
}

func (s *Server) showBook(x *exchange, id string) error {
	if x.answerFromCache() {
		return nil
	}
	if err := x.enter(); err != nil {
		return err
	}
	r, err := x.book(id)
	if err != nil {
		return err
	}
	return x.answer(r)
}

func (s *Server) addBook(x *exchange) error {
	in, err := x.fields()
	if err != nil {
		return err
	}
	id, fields, copies := in.Identifier(), bookFields(&in), in.Integer("copies", 1)
	if err := in.Err(slices.Concat(fields.Check(), library.CheckCopies(copies))); err != nil {
		return err
	}
	return change(x, func(ctx context.Context) (library.Book, error) {
		return s.service.AddBook(ctx, x.actor, id, fields, copies)
	}, func(b library.Book) reply { return x.created("/books", b.ID, x.wireBook(b)) })
}

func (s *Server) editBook(x *exchange, id string) error {
	in, err := x.edit(id)
	if err != nil {
		return err
	}
	fields := bookFields(&in)
	if err := in.Err(fields.Check()); err != nil {
		return err
	}
	b, err := s.service.EditBook(x.r.Context(), x.actor, id, fields, precondition(x.r.Header))
	return x.result(x.wireBook(b), err)
}

func (s *Server) deleteBook(x *exchange, id string) error {
	return x.noContent(s.service.DeleteBook(x.r.Context(), x.actor, id, precondition(x.r.Header)))
}

func (s *Server) borrowBook(x *exchange, id string) error { return x.lend(id, s.service.Borrow) }

func (s *Server) returnBook(x *exchange, id string) error { return x.lend(id, s.service.Return) }

// lend borrows or returns; for HTTP the two are the same.
func (x *exchange) lend(id string, do func(context.Context, library.Actor, string) (library.Book, error)) error {
	return change(x, func(ctx context.Context) (library.Book, error) { return do(ctx, x.actor, id) },
		func(b library.Book) reply { return done(x.wireBook(b)) })
}

func bookFields(in *input.Fields) (f library.BookFields) {
	for _, field := range library.BookFieldTable {
		switch {
		case field.Text != nil:
			*field.Text(&f) = in.Text(field.Name)
		case field.List != nil:
			*field.List(&f) = in.Texts(field.Name)
		default:
			*field.Number(&f) = in.Positive(field.Name, field.Most)
		}
	}
	return f
}

// wireBook returns the book for the caller: b.Loan is somebody else's only if the caller
// may know the borrower.
func (x *exchange) wireBook(b library.Book) api.Book {
	out := api.Book{
		Identifier: b.ID,
		BookFields: api.BookFields(b.BookFields),
		Copies:     b.Stock.Copies,
		Available:  b.Stock.Available,
		Waiting:    b.Stock.Waiting,
		DueAt:      instant(b.Stock.Due),
		Shelves:    b.Shelves,
		Borrowed:   b.Stock.Borrowed,
	}
	if b.Cover != "" {
		out.Cover = &api.Cover{Version: b.Cover}
	}
	if b.Loan != nil {
		out.BorrowedBy = wirePerson(b.Loan.Borrower)
	}
	if l := b.OwnLoan(x.actor.User.ID); l != nil {
		out.Loan = &api.OwnLoan{Identifier: l.ID, DueAt: instant(l.Due), Renewals: l.Renewals, Overdue: l.Overdue}
	}
	if h := b.Hold; h != nil {
		out.Hold = &api.OwnHold{Identifier: h.ID, State: string(h.State), Position: h.Position, Until: instant(h.Until)}
	}
	return out
}
