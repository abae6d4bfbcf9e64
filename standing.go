package library

import "errors"

// A caller's standing is the user's record, the roles and the credentials. It is
// checked in the transaction of a change, which loads the record by the caller's e-mail
// address: between the arrival of a request and its change there may be a body that is
// slow to come, or a lock to wait for.

// Credentials are what a caller has shown.
type Credentials interface {
	// StillGood returns nil, or why the credentials would be refused now.
	StillGood() error
	// Loaded is called with the caller's record, whenever the transaction of a change
	// has loaded it. If the transaction is run again, so is this.
	Loaded(User)
}

// ErrCallerGone means that the caller's record is gone, or switched off.
var ErrCallerGone = errors.New("library: the caller is no longer a user")

// Again is the actor with the record as it is now, if that and the credentials
// still allow p.
func (a Actor) Again(u User, p Permission) (Actor, error) {
	if !a.Is(u) {
		return Actor{}, ErrCallerGone
	}
	if err := a.CheckCredentials(); err != nil {
		return Actor{}, err
	}
	a.User = u
	if a.FromRecord {
		a.Authorities = u.Authorities()
	}
	return a, a.Authorize(p)
}

// Is reports whether a record is the actor's, and lets them in. An actor whose record
// was not loaded has an e-mail address and no identifier.
func (a Actor) Is(u User) bool {
	return !u.Inactive && (a.Subject == "" || a.Subject == u.Subject) && (a.User.ID == "" || a.User.ID == u.ID) && EmailKey(a.User.Email) == EmailKey(u.Email)
}

// CheckCredentials returns nil, or why the credentials would be refused now.
func (a Actor) CheckCredentials() error {
	if a.Credentials == nil {
		return nil
	}
	return a.Credentials.StillGood()
}
