package lendingmodel

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.org/library"
	"example.org/library/service"
	"example.org/library/storetest/fixture"
)

// world is one library twice: in the service under test and in the model. Both have
// the same clock.
type world struct {
	fixture.Store
	name        string
	service     *service.Service
	model       *model
	desk, admin member
	station     library.Actor
	barcodes    int
	start       library.Position // in the history of changes
}

// beginnings are instants before days of unusual length.
var beginnings = []time.Time{
	time.Date(2026, 11, 15, 16, 30, 0, 0, time.UTC),
	time.Date(2026, 3, 20, 22, 59, 58, 0, time.UTC),            // before summer time in Europe
	time.Date(2026, 10, 24, 21, 59, 59, 500_000_000, time.UTC), // before its end
	time.Date(2027, 3, 13, 4, 59, 59, 0, time.UTC),             // before summer time in New York
	time.Date(2026, 9, 5, 3, 0, 0, 0, time.UTC),                // before it in Santiago, at midnight
	time.Date(2028, 2, 27, 12, 0, 0, 0, time.UTC),              // before a leap day
	time.Date(2026, 12, 30, 23, 59, 59, 999_999_000, time.UTC),
}

// newWorld is a small library in an empty store: two books, five readers, of whom
// the first is a curator, a desk and an admin.
func newWorld(f fixture.Store, seed uint64) (*world, error) {
	m := &model{now: pick(beginnings, int(seed%7)), policy: library.DefaultPolicy()}
	m.policy = firstPolicy(int(seed%1000), m.now)
	m.seen = map[string]time.Time{}
	w := &world{Store: f, name: "w" + library.NewID()[24:], model: m}
	w.service = service.New(f.Store, service.WithClock(func() time.Time { return m.now }))
	for _, roles := range [][]library.Role{
		{library.RoleUser, library.RoleCurator}, {library.RoleUser}, {library.RoleUser}, {library.RoleUser}, {library.RoleUser},
	} {
		if _, err := w.newPerson(roles...); err != nil {
			return nil, err
		}
	}
	var errs [7]error
	w.desk, errs[0] = w.newPerson(library.RoleCurator)
	w.admin, errs[1] = w.newPerson(library.RoleAdmin)
	if err := errors.Join(errs[:2]...); err != nil {
		return nil, err
	}
	_, errs[2] = w.service.SetPolicy(w.Ctx, w.admin.Actor, m.policy, nil)
	w.start, errs[3] = w.service.LastChange(w.Ctx)
	errs[4], errs[5], errs[6] = w.newBook(1), w.newBook(2), w.newStation()
	return w, errors.Join(errs[:]...)
}

// firstPolicy is the policy at the beginning of a world. Half of them are stricter
// than the default.
func firstPolicy(seed int, now time.Time) library.Policy {
	p := library.DefaultPolicy()
	p.TimeZone = pick(zones, seed)
	p.Rules = pick(ruleSets(now), seed/3)
	p.BlockOverdue = seed%2 == 1
	if seed/2%2 == 1 {
		p.MaxLoans, p.MaxHolds = seed/4%3, seed/12%3
	}
	return p
}

func (w *world) newPerson(roles ...library.Role) (member, error) {
	u := fixture.NewUser(fmt.Sprintf("%s-%d@example.com", w.name, len(w.model.people)))
	u.Card = fmt.Sprintf("%s-card-%d", w.name, len(w.model.people))
	u.Category = pick(categories, len(w.model.people))
	p := member{Actor: library.Actor{User: u}}
	for _, role := range roles {
		p.Authorities = append(p.Authorities, role.Authority())
	}
	p.user, p.curator, p.admin = slices.Contains(roles, library.RoleUser), slices.Contains(roles, library.RoleCurator), slices.Contains(roles, library.RoleAdmin)
	w.model.people = append(w.model.people, p)
	return p, w.Tx(w.Ctx, func(tx library.Tx) error { return tx.AddUser(w.Ctx, u) })
}

// newBook adds a book with some copies, of which some get barcodes.
func (w *world) newBook(copies int) error {
	b := title{id: library.NewID(), title: fmt.Sprintf("Book %d of %s", len(w.model.books), w.name), kind: pick(kinds, len(w.model.books))}
	if _, err := w.service.AddBook(w.Ctx, w.desk.Actor, b.id, library.BookFields{Title: b.title, Kind: b.kind}, copies); err != nil {
		return err
	}
	w.model.books = append(w.model.books, b)
	made, err := w.service.Copies(w.Ctx, w.desk.Actor, b.id)
	if err == nil && len(made) != copies {
		err = fmt.Errorf("a book was added with %d copies, and has %d", copies, len(made))
	}
	for _, c := range made {
		w.model.copies = append(w.model.copies, item{id: c.ID, book: b.id, state: library.Lendable})
	}
	w.model.publishBook(library.BookAdded, b.id)
	for _, c := range made[:min(len(made), 1)] {
		w.barcodes++
		c.Barcode = fmt.Sprintf("%s-%d", w.name, w.barcodes)
		if _, err := w.service.EditCopy(w.Ctx, w.desk.Actor, c.ID, c.CopyFields, nil); err != nil {
			return err
		}
		w.model.editCopy(w.desk, item{id: c.ID, barcode: c.Barcode, state: library.Lendable})
	}
	return err
}

// pick chooses from a list that is not empty.
func pick[T any](list []T, n int) T { return list[n%len(list)] }

// actor is somebody who is still there.
func (w *world) actor(n int) member {
	here := slices.DeleteFunc(slices.Clone(w.model.people), func(p member) bool { return p.gone })
	return pick(here, n)
}

// staffOf is the desk, and sometimes another person.
func (w *world) staffOf(s step) member {
	if s.whom%8 == 0 {
		return w.actor(s.who)
	}
	return w.desk
}

func (w *world) bookOf(s step) title { return pick(w.model.books, s.book) }

// readerOf is mostly a person who may borrow.
func (w *world) readerOf(s step) member {
	readers := slices.DeleteFunc(slices.Clone(w.model.people), func(p member) bool { return p.gone || !p.user })
	if len(readers) == 0 || s.whom%16 == 0 {
		return w.actor(s.who)
	}
	return pick(readers, s.who)
}

// concerned is mostly a person who may change a loan or hold of this owner.
func (w *world) concerned(s step, who string) member {
	switch owner := w.model.member(who); {
	case s.whom%4 == 0:
		return w.actor(s.who)
	case s.whom%4 == 1 || owner == nil || owner.gone:
		return w.desk
	default:
		return *owner
	}
}

// loanOf and holdOf are mostly open ones; nil if there was never one.
func (w *world) loanOf(s step) *loan { return mostly(w.model.loans, loan.open, s) }
func (w *world) holdOf(s step) *hold { return mostly(w.model.holds, hold.active, s) }

func mostly[T any](list []T, is func(T) bool, s step) *T {
	some := slices.DeleteFunc(slices.Clone(list), func(record T) bool { return !is(record) })
	if len(some) == 0 || s.choice%8 == 0 {
		some = list
	}
	if len(some) == 0 {
		return nil
	}
	record := pick(some, s.ref)
	return &record
}

// copyOf is a copy, sometimes one that does not exist.
func (w *world) copyOf(s step) item {
	if len(w.model.copies) == 0 || s.ref%32 == 0 {
		return item{id: library.NewID(), state: library.Lendable}
	}
	return pick(w.model.copies, s.ref)
}

// do does one step, and returns how the answer, or what people see afterwards, differs
// from the model.
func (w *world) do(s step) error {
	out := first(actions, func(d action) bool { return d.name == s.act }).do(w, s)
	if got := fixture.RefusalCode(out.err); got != out.refusal {
		return fmt.Errorf("%s: the answer is %q (%v), want %q", s.act, got, out.err, out.refusal)
	}
	if out.want != nil && out.err == nil {
		if err := same(s.act, out.got, out.want()); err != nil {
			return err
		}
	}
	if err := w.compareBook(pick([]member{w.actor(s.who), w.desk}, s.view), w.bookOf(s)); err != nil {
		return err
	}
	return pick(comparisons, s.view/2)(w, w.actor(s.viewedBy), s.choice)
}

// same compares a view of the service with that of the model.
func same[T any](what string, got, want T) error {
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		return fmt.Errorf("%s: not as expected (-want +got):\n%s", what, diff)
	}
	return nil
}

// compareAll compares everything that some readers and staff can see.
func (w *world) compareAll(seed int) error {
	for n, view := range comparisons {
		for _, p := range []member{w.actor(seed + n), w.admin} {
			if err := view(w, p, seed); err != nil {
				return err
			}
		}
	}
	return w.compareHistory()
}

// close empties the library for the next world, whatever the model says is in it.
func (w *world) close() error {
	open, err := w.service.Loans(w.Ctx, w.desk.Actor, library.LoanQuery{})
	if err != nil {
		return err
	}
	for l := range open.All {
		if _, err := w.service.ReturnLoan(w.Ctx, w.desk.Actor, l.ID); err != nil {
			return fmt.Errorf("return: %w", err)
		}
	}
	active, err := w.service.Holds(w.Ctx, w.desk.Actor, library.HoldQuery{})
	if err != nil {
		return err
	}
	for h := range active.All {
		if err := w.service.CancelHold(w.Ctx, w.desk.Actor, h.ID); err != nil && fixture.RefusalCode(err) != "not_active" {
			return fmt.Errorf("cancel: %w", err)
		}
	}
	for _, b := range w.model.books {
		if err := w.service.DeleteBook(w.Ctx, w.desk.Actor, b.id, nil); err != nil && fixture.RefusalCode(err) != "book_not_found" {
			return fmt.Errorf("delete: %w", err)
		}
	}
	for _, p := range w.model.people {
		err := w.Tx(w.Ctx, func(tx library.Tx) error { return tx.DeleteUser(w.Ctx, p.User.ID) })
		if err != nil && fixture.RefusalCode(err) != "user_not_found" {
			return fmt.Errorf("remove: %w", err)
		}
	}
	return nil
}
