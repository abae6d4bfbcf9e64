package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"time"

	"example.org/library"
	"example.org/library/hook"
)

// body is an event as receivers get it.
type body struct {
	Type      hook.Type `json:"type"`
	Timestamp string    `json:"timestamp"`
	Data      data      `json:"data"`
}

type data struct {
	Book bookRef `json:"book"`
	Loan *ref    `json:"loan,omitempty"`
	Hold *ref    `json:"hold,omitempty"`
	User *person `json:"user,omitempty"`
}

type bookRef struct {
	Identifier string `json:"identifier"`
	Title      string `json:"title"`
}

type ref struct {
	Identifier string `json:"identifier"`
}

type person struct {
	Identifier string `json:"identifier"`
	FirstName  string `json:"firstName"`
	LastName   string `json:"lastName"`
}

// encode makes the body of an event. The zero person is nobody.
func encode(e hook.Event, p library.Person) []byte {
	b := body{Type: e.Type, Timestamp: e.At.UTC().Format(time.RFC3339), Data: data{Book: bookRef{e.BookID, e.BookTitle}}}
	switch subject := e.Type.Subject(); {
	case e.Record == "":
	case subject == "loan":
		b.Data.Loan = &ref{e.Record}
	case subject == "hold":
		b.Data.Hold = &ref{e.Record}
	}
	if p.ID != "" {
		b.Data.User = &person{p.ID, p.FirstName, p.LastName}
	}
	text, _ := json.Marshal(b) // always marshals
	return text
}

// sign is the signature of a message, as Standard Webhooks describes.
func (s Secret) sign(id string, at time.Time, body []byte) string {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(id + "." + strconv.FormatInt(at.Unix(), 10) + "."))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
