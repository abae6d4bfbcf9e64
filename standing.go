package library

import "errors"

// A caller's standing is the user's record, the roles and the credentials. It is checked in the
// transaction of a change, which loads the record by the caller's e-mail address: the request may have
// waited for its body, or for a lock.

// Credentials are a caller's token or password.
type Credentials interface {
	// StillValid returns nil, or the reason to refuse the credentials now.
	StillValid() error
	// Loaded receives the caller's record each time the transaction of a change has loaded it.
	Loaded(User)
}

// ErrCallerGone means a caller without a record, or switched off.
var ErrCallerGone = errors.New("library: the caller is no longer a user")

// Reauthorize returns the actor with its present record, if the record and the credentials still allow
// p.
func (a Actor) Reauthorize(u User, p Permission) (Actor, error) {
	if !a.Is(u) {
		return Actor{}, ErrCallerGone
	}
	if err := a.CheckCredentials(); err != nil {
		return Actor{}, err
	}
	a = a.WithUser(u)
	return a, a.Authorize(p)
}

// WithUser returns the actor with its record. A station has no authorities, whatever its credentials
// say.
func (a Actor) WithUser(u User) Actor {
	a.User = u
	switch {
	case u.Station:
		a.Authorities = nil
	case a.FromRecord:
		a.Authorities = u.Authorities()
	}
	return a
}

// Is reports whether a record is the actor's and active. Before loading, an actor has an e-mail
// address and no identifier.
func (a Actor) Is(u User) bool {
	return !u.Inactive && a.mayOwn(u.Subject) && (a.User.ID == "" || a.User.ID == u.ID) && EmailKey(a.User.Email) == EmailKey(u.Email)
}

// mayOwn reports whether a record tied to the subject, or to none if it is "", can be the actor's. A
// record that was not tied at the beginning of the request may stay so.
func (a Actor) mayOwn(subject string) bool {
	wasUntied := a.User.ID != "" && a.User.Subject == ""
	return a.Subject == "" || a.Subject == subject || subject == "" && wasUntied
}

// CheckCredentials returns nil, or the reason to refuse the credentials now.
func (a Actor) CheckCredentials() error {
	if a.Credentials == nil {
		return nil
	}
	return a.Credentials.StillValid()
}
