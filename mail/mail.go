// Package mail carries mails: to a mail server by SMTP, or into a folder in the form of a maildir. It does not know
// what they are about, and it decides nothing: the caller chooses whether and when to try a mail again.
//
// Start reading at [Parse] for the address of a carrier, and at [Session] for sending.
package mail

import (
	"context"
	"errors"
	"fmt"
	netmail "net/mail"
	"time"
)

// Mail is a mail to one person, in plain text and HTML. All of it may come from strangers: text not allowed in a header
// is encoded or removed.
type Mail struct {
	ID          string    // for Message-ID, without the angle brackets: the same for every attempt
	Date        time.Time // of the attempt: a mail delivered after two days does not look old
	From, To    netmail.Address
	Subject     string
	Text, HTML  string
	ListID      string // such as notices.example.org
	ListName    string
	Unsubscribe string // an address where reminders can be switched off; "" for none
	// Before, if not nil, is called right before a server gets the end of the mail: from then on the server may have
	// the mail. If Before fails, the end is not sent.
	Before func() error
}

func (m Mail) before() error {
	if m.Before == nil {
		return nil
	}
	return m.Before()
}

// Session sends mails one after the other, over one connection where there are any. It is for one goroutine.
type Session interface {
	// Send delivers a mail and returns nil, or it returns an *Error.
	Send(context.Context, Mail) error
	// Close ends the connection. It waits for a server for a second at most.
	Close()
}

// Stage is a step in the delivery of a mail.
type Stage string

// The stages of a mail, in their order.
const (
	Connect Stage = "connect" // the connection, the greeting, EHLO
	TLS     Stage = "tls"
	Auth    Stage = "auth"
	From    Stage = "mail" // MAIL FROM
	To      Stage = "rcpt" // RCPT TO
	Data    Stage = "data"
)

// Error reports the stage at which a mail failed, and the server's number. It never has the words of the server in it,
// because they may be about a person.
type Error struct {
	Stage Stage
	Code  int // 0 when there was no answer
	// Final is set if no further attempt can change anything for this mail. A failure of the server and not of the
	// mail (the connection, TLS, authentication, the sender) is never final.
	Final bool
	// Seen is set if the server may have the mail: it was sent, and the answer is missing.
	Seen bool
	Err  error // the failure on this side, without an answer
}

func (e *Error) Error() string {
	if e.Code != 0 {
		return fmt.Sprintf("the mail server answered %d (stage %s)", e.Code, e.Stage)
	}
	return fmt.Sprintf("the mail could not be delivered (stage %s): %v", e.Stage, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// The reasons not to send to an address, whatever a server says.
var (
	ErrNeedsSMTPUTF8 = errors.New("the address needs SMTPUTF8, which the mail server does not offer")
	ErrNoAddress     = errors.New("the address has characters in it that end an address")
)
