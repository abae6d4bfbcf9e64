package userimport

import (
	"errors"
	"maps"
	"slices"
	"time"

	"example.org/library"
	"example.org/library/internal/validation"
)

// people has the users that may match some rows, after the rows so far.
type people struct {
	actor      library.Actor
	named      named
	otherAdmin bool // see library.FoundUsers
	users      map[string]*library.User
	byEmail    map[string]*library.User // by library.EmailKey
	byCard     map[string]*library.User
	given      map[string][]string // names of fields given by rows, by identifier
	added      map[string]bool
	writes     []library.UserWrite // in the order of the rows: one may take a card given up by an earlier one
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

// keep replaces the user with the same identifier.
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

// apply decides about a row, and updates the people.
func (p *people) apply(r Row, how Options, now time.Time) library.ImportResult {
	u, withCard := p.byEmail[library.EmailKey(r.Email)], p.byCard[r.Card]
	switch {
	case p.isTaken(r.Card, u, withCard):
		return p.taken(r.Card, withCard)
	case u == nil && withCard == nil && r.isGone():
		return library.ImportResult{Outcome: library.ImportUnchanged, Warnings: []library.Warning{leftOut}}
	case u == nil && withCard == nil:
		return p.add(r, how, now)
	case u == nil:
		u = withCard
	}
	fields, names := r.withRoles(*u, how).over(u.UserFields)
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

// isTaken reports whether the card of a row belongs to somebody other than the user with its address:
// to another user, to a person in another row, or to several rows. The order of the rows makes no
// difference, except for a new card: the first row gets it.
func (p *people) isTaken(card string, u, withCard *library.User) bool {
	switch {
	case withCard == nil:
		return false
	case u != nil:
		return withCard.ID != u.ID
	}
	return p.named.emails[library.EmailKey(withCard.Email)] || p.named.shared[card]
}

// taken returns the outcome for a row with a taken card. It names the owner or the other row.
func (p *people) taken(card string, owner *library.User) library.ImportResult {
	err := each(library.ErrCardTaken, []string{"card"}, validation.CodeDuplicate, "is the card of another person")
	if p.named.shared[card] {
		err.Message = "Another row has this card, too."
		return library.ImportResult{Outcome: library.ImportInvalid, Err: err}
	}
	err.Message = owner.FirstName + " " + owner.LastName + " has this card."
	return library.ImportResult{Outcome: library.ImportInvalid, Err: err, Named: owner.ID}
}

// leftOut is the warning about an inactive person unknown to the library.
var leftOut = library.Warning{Field: "active", Message: "is no, and the library does not have the person: left out", Code: "left_out"}

// add adds a person; both names are required.
func (p *people) add(r Row, how Options, now time.Time) library.ImportResult {
	fields, _ := r.over(library.UserFields{Roles: how.Roles, Locale: how.Locale})
	fields, bad := fields.Normalized()
	if len(bad) > 0 {
		return library.ImportResult{Outcome: library.ImportInvalid, Err: withDetails(errInvalid, bad)}
	}
	u := library.User{ID: library.NewID(), UserFields: fields, Created: now, Version: library.NewVersion()}
	p.keep(u)
	p.added[u.ID], p.writes = true, append(p.writes, library.UserWrite{User: u, Added: true})
	return p.accept(u, r, library.ImportAdded)
}

// accept records the fields given by a row.
func (p *people) accept(u library.User, r Row, outcome library.ImportOutcome) library.ImportResult {
	all := slices.Concat(p.given[u.ID], r.given())
	slices.Sort(all)
	p.given[u.ID] = slices.Compact(all)
	return library.ImportResult{Outcome: outcome, ID: u.ID}
}

// refuse returns the outcome for a row that must not replace a differing user, nil if it may: contradicting rows would
// replace each other with each import of the file. The rules for an edit hold for an import, too.
func (p *people) refuse(u, edited library.User, names []string, how Options) *library.ImportResult {
	contradicted := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !slices.Contains(p.given[u.ID], name) })
	ruled, isRuled := errors.AsType[*library.Error](u.MayBecome(edited, p.actor, func() (bool, error) { return p.hasAdmin(u.ID), nil }))
	switch {
	case isRuled && ruled.Code == library.ErrManaged.Code:
		return &library.ImportResult{Outcome: library.ImportInvalid, Err: ruled}
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

// hasAdmin reports whether somebody other than the user is an admin.
func (p *people) hasAdmin(otherThan string) bool {
	for id, u := range p.users {
		if id != otherThan && u.IsAdmin() {
			return true
		}
	}
	return p.otherAdmin
}

// each returns an error with the same fault for each of some fields.
func each(err *library.Error, names []string, code validation.DetailCode, message string) *library.Error {
	var details []library.Detail
	for _, name := range names {
		details = append(details, library.Detail{Field: name, Code: code, Message: message})
	}
	return withDetails(err, details)
}

// named has the addresses and cards of all rows, including refused ones: they claim their card, too.
type named struct {
	emails map[string]bool // by library.EmailKey
	shared map[string]bool // cards with several addresses
}

func namedBy(rows []Row) named {
	out := named{map[string]bool{}, map[string]bool{}}
	of := map[string]string{} // cards, and the first address of each
	for _, r := range rows {
		email := library.EmailKey(r.Email)
		if r.Err != nil || email == "" {
			continue
		}
		out.emails[email] = true
		if r.Card == "" {
			continue
		}
		if first, seen := of[r.Card]; seen && first != email {
			out.shared[r.Card] = true
		}
		of[r.Card] = email
	}
	return out
}
