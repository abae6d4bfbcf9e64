package library

import (
	"context"
	"errors"
)

// A record can be tied to a subject, which is an account at the identity provider. Package
// admission says when and why; here is what the records have to do with it.

// SubjectStore is what a store does with subjects.
type SubjectStore interface {
	// UserBySubject is UserByEmail for the user who is tied to a subject.
	UserBySubject(ctx context.Context, subject string) (User, Revision, error)
}

// SubjectTx is what a store does with subjects inside a transaction.
type SubjectTx interface {
	// LoginUsers returns who is tied to a subject and who has an e-mail address; a user
	// without an identifier stands for nobody.
	LoginUsers(ctx context.Context, subject, email string) (bySubject, byEmail User, err error)
	// BindUser ties a user to a subject (ErrSubjectTaken); "" unties them, and ends their
	// streams.
	BindUser(ctx context.Context, id, subject string) error
}

// ErrSubjectTaken means that another record is tied to the subject.
var ErrSubjectTaken = errors.New("library: another record is tied to the subject")
