package library

import "strings"

// Limits of the fields for the desk, in code points. A note has the limit of a copy's.
const MaxBlock = 200

// ReaderFields are the fields of a person edited by curators.
type ReaderFields struct {
	Card  string
	Note  string // may have line breaks
	Block string // the reason for lending nothing to the person; "" for none
}

// Check returns all faults of the fields.
func (f ReaderFields) Check() []Detail {
	bad := problems{}
	f.normalize(&bad)
	return details(bad.err())
}

// Normalize trims the fields and reports all their faults.
func (f *ReaderFields) Normalize() error {
	bad := problems{}
	f.normalize(&bad)
	return bad.err()
}

func (f *ReaderFields) normalize(bad *problems) {
	f.Card = bad.code("card", f.Card)
	f.Note, f.Block = bad.words(f.Note, f.Block)
}

// words checks a note and a block.
func (p *problems) words(note, block string) (trimmedNote, trimmedBlock string) {
	return p.Text("note", note, MaxNote), p.Line("block", block, MaxBlock)
}

// EditedAtDesk returns the user with new fields for the desk. Curators do not change their own note or
// block. A station or a program is no reader.
func (u User) EditedAtDesk(f ReaderFields, a Actor, pre Precondition) (User, error) {
	switch {
	case u.Station || strings.HasPrefix(EmailKey(u.Email), ServiceAddress):
		return User{}, ErrUserNotFound
	case !pre.Accepts(u.Version):
		return User{}, ErrOutdated
	case u.ID == a.User.ID && (f.Note != u.Note || f.Block != u.Block):
		return User{}, ErrSelf.with("You cannot change your own note or block; another curator can.")
	}
	u.Card, u.Note, u.Block, u.Version = f.Card, f.Note, f.Block, NewVersion()
	return u, nil
}

// mayBeServed returns nil, or the refusal of a blocked reader.
func (r Reader) mayBeServed() error {
	if r.Block != "" {
		return ErrBlocked
	}
	return nil
}

// ExplainBlock gives staff the reason for the block of another person; the person is asked to come to
// the desk.
func (r Reader) ExplainBlock(err error, a Actor) error {
	if err == ErrBlocked && a.IsStaff() && a.User.ID != r.ID {
		return ErrBlocked.with("The reader is blocked: %s", r.Block)
	}
	return err
}
