package api

// Notice is a notice to a person by mail, as admins see it.
type Notice struct {
	Identifier  string       `json:"identifier"`
	Kind        string       `json:"kind"`           // hold_ready, hold_expired, due_soon, overdue or wanted
	State       string       `json:"state"`          // waiting, paused, sent, dropped or failed
	User        *Person      `json:"user,omitempty"` // absent when the person is forgotten
	Book        NoticeBook   `json:"book"`
	CreatedAt   string       `json:"createdAt,omitempty"`
	SentAt      string       `json:"sentAt,omitempty"`
	Attempts    int          `json:"attempts"`
	NextAttempt string       `json:"nextAttempt,omitempty"` // while it waits after a failure
	Problem     *MailFailure `json:"problem,omitempty"`     // of the last attempt
}

// NoticeBook is the book of a notice.
type NoticeBook struct {
	Identifier string `json:"identifier"`
	Title      string `json:"title"`
}

// MailFailure is the stage of a failed attempt, and the mail server's answer.
type MailFailure struct {
	Code  int    `json:"code,omitempty"` // absent when there was no answer
	Stage string `json:"stage"`          // connect, tls, auth, mail, rcpt or data
}

// MailProblem is the mail server's answer to the address of a user, and its first time.
type MailProblem struct {
	Code  int    `json:"code"`
	Since string `json:"since"`
}

// Outbox is whether mails are sent.
type Outbox struct {
	Paused bool   `json:"paused"`
	To     string `json:"to,omitempty"` // the address for all mails, instead of the people's own
}

// MailPreview is the text of a mail.
type MailPreview struct {
	Subject string `json:"subject"`
	Text    string `json:"text"`
	HTML    string `json:"html"`
}
