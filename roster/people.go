package roster

import (
	"errors"
	"maps"
	"slices"
	"time"

	"example.org/library"
	"example.org/library/internal/validation"
)

// people is the users whom some rows may be about, as the rows so far have left them.
type people struct {
	actor      library.Actor
	named      named
	otherAdmin bool // see library.FoundUsers
	users      map[string]*library.User
	byEmail    map[string]*library.User // by library.EmailKey
	byCard     map[string]*library.User
	given      map[string][]string // by identifier, the names of the fields that rows have given
	added      map[string]bool
	writes     []library.UserWrite // in the order of the rows: one may have the card that a row before has given up
}

// newPeople does not change its arguments.
func newPeople(found library.FoundUsers, a library.Actor, all named, given map[string][]string) *people {
	p := &people{
		actor: a, named: all, otherAdmin: found.OtherAdmin, users: map[string]*library.User{},
		byEmail: map[string]*library.User{}, byCard: map[string]*library.User{}, given: map[string][]string{}, added: map[string]bool{},
	}
	maps.Copy(p.given, given)
	for _, u := range found.Users {
		p.keep(u)
	}
	return p
}

// keep puts a user in the place of the one with the identifier.
func (p *people) keep(u library.User) {
	if old := p.users[u.ID]; old != nil {
		delete(p.byEmail, library.EmailKey(old.Email))
		delete(p.byCard, old.Card)
	}
	p.users[u.ID], p.byEmail[library.EmailKey(u.Email)] = &u, &u
	if u.Card != "" {
		p.byCard[u.Card] = &u
	}
}

// apply decides what becomes of a row, and does it to the people.
func (p *people) apply(r Row, how Options, now time.Time) library.ImportResult {
	u, withCard := p.byEmail[library.EmailKey(r.Email)], p.byCard[r.Card]
	switch {
	case p.isTaken(r.Card, u, withCard):
		return library.ImportResult{Outcome: library.ImportInvalid, Err: each(library.ErrCardTaken, []string{"card"}, validation.CodeDuplicate, "is the card of another person")}
	case u == nil && withCard == nil:
		return p.add(r, how, now)
	case u == nil:
		u = withCard
	}
	fields, names := r.over(u.UserFields)
	if len(names) == 0 {
		return p.accept(*u, r, library.ImportUnchanged)
	}
	edited := *u
	edited.UserFields, edited.Version = fields, library.NewVersion()
	if refusal := p.refuse(*u, edited, names, how); refusal != nil {
		return *refusal
	}
	p.keep(edited)
	p.writes = append(p.writes, library.UserWrite{User: edited})
	return p.accept(edited, r, library.ImportUpdated)
}

// isTaken reports whether the card of a row is that of somebody else than the user with its
// address: of another user, of a person whose address another row gives, or one that
// several rows claim. Rows before and after count alike: the order of a file says nothing.
// A card that nobody has goes to the first of them.
func (p *people) isTaken(card string, u, withCard *library.User) bool {
	switch {
	case withCard == nil:
		return false
	case u != nil:
		return withCard.ID != u.ID
	}
	return p.named.emails[library.EmailKey(withCard.Email)] || p.named.shared[card]
}

// add adds a person, of whom the names are needed.
func (p *people) add(r Row, how Options, now time.Time) library.ImportResult {
	fields, _ := r.over(library.UserFields{Roles: how.Roles})
	fields, bad := fields.Normalized()
	if len(bad) > 0 {
		return library.ImportResult{Outcome: library.ImportInvalid, Err: withDetails(errInvalid, bad)}
	}
	u := library.User{ID: library.NewID(), UserFields: fields, Created: now, Version: library.NewVersion()}
	p.keep(u)
	p.added[u.ID], p.writes = true, append(p.writes, library.UserWrite{User: u, Added: true})
	return p.accept(u, r, library.ImportAdded)
}

// accept notes what a row has given of a user.
func (p *people) accept(u library.User, r Row, outcome library.ImportOutcome) library.ImportResult {
	all := slices.Concat(p.given[u.ID], r.given())
	slices.Sort(all)
	p.given[u.ID] = slices.Compact(all)
	return library.ImportResult{Outcome: outcome, ID: u.ID}
}

// refuse is the outcome for a row that must not replace what is different, nil if it may:
// rows that contradict each other would replace each other each time the file is imported.
// The rules for an edit hold for an import, too.
func (p *people) refuse(u, edited library.User, names []string, how Options) *library.ImportResult {
	contradicted := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !slices.Contains(p.given[u.ID], name) })
	ruled, isRuled := errors.AsType[*library.Error](u.MayBecome(edited, p.actor, func() (bool, error) { return p.hasAdmin(u.ID), nil }))
	switch {
	case !how.Update:
		return &library.ImportResult{
			Outcome: library.ImportDiffers, ID: u.ID, Replaceable: len(contradicted) == 0 && !isRuled,
			Err: each(library.ErrUserDiffers, names, validation.CodeOtherThanLibrary, "is different in the library"),
		}
	case len(contradicted) > 0:
		return &library.ImportResult{Outcome: library.ImportInvalid, Err: each(library.ErrUserAmbiguous, contradicted, validation.CodeOtherThanRow, "is different there")}
	case isRuled:
		return &library.ImportResult{Outcome: library.ImportInvalid, Err: ruled}
	}
	return nil
}

// hasAdmin reports whether somebody else than the user has the role and is active.
func (p *people) hasAdmin(otherThan string) bool {
	for id, u := range p.users {
		if id != otherThan && !u.Inactive && slices.Contains(u.Roles, library.RoleAdmin) {
			return true
		}
	}
	return p.otherAdmin
}

// each is an error that says the same of each of some fields.
func each(err *library.Error, names []string, code validation.DetailCode, message string) *library.Error {
	var details []library.Detail
	for _, name := range names {
		details = append(details, library.Detail{Field: name, Code: code, Message: message})
	}
	return withDetails(err, details)
}
