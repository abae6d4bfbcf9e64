package api

// BookFields are the fields of a book for curators. Package library has the same struct
// without the names, so that one converts to the other.
type BookFields struct {
	ISBN        string   `json:"isbn,omitempty"`
	Title       string   `json:"title"`
	Description string   `json:"description,omitempty"`
	Authors     []string `json:"authors,omitempty"`
	Subtitle    string   `json:"subtitle,omitempty"`
	Publisher   string   `json:"publisher,omitempty"`
	Series      string   `json:"series,omitempty"`
	Volume      string   `json:"volume,omitempty"`    // of the series
	Published   int      `json:"published,omitempty"` // the year
	Language    string   `json:"language,omitempty"`  // ISO 639, two letters where there are two
	Subjects    []string `json:"subjects,omitempty"`
	Kind        string   `json:"kind,omitempty"` // a book always has one
}

// RowFields is BookFields as a row of a file has them: it may lack the title.
type RowFields struct {
	ISBN        string   `json:"isbn,omitempty"`
	Title       string   `json:"title,omitempty"`
	Description string   `json:"description,omitempty"`
	Authors     []string `json:"authors,omitempty"`
	Subtitle    string   `json:"subtitle,omitempty"`
	Publisher   string   `json:"publisher,omitempty"`
	Series      string   `json:"series,omitempty"`
	Volume      string   `json:"volume,omitempty"`
	Published   int      `json:"published,omitempty"`
	Language    string   `json:"language,omitempty"`
	Subjects    []string `json:"subjects,omitempty"`
	Kind        string   `json:"kind,omitempty"` // a book always has one
}

// Book is a book as its readers see it. Loan and Hold are the caller's own.
type Book struct {
	Identifier string `json:"identifier"`
	BookFields

	Copies    int      `json:"copies"`            // how many can be lent at all
	Available int      `json:"available"`         // how many somebody without a hold can borrow now
	Waiting   int      `json:"waiting,omitempty"` // waiting holds
	DueAt     string   `json:"dueAt,omitempty"`   // none is available: when the next one is due
	Shelves   []string `json:"shelves,omitempty"` // of copies for loan

	Cover *Cover `json:"cover,omitempty"` // where a picture was uploaded

	Borrowed   bool     `json:"borrowed"`             // every copy for loan is with somebody
	BorrowedBy *Person  `json:"borrowedBy,omitempty"` // only for the borrower and staff
	Loan       *OwnLoan `json:"loan,omitempty"`
	Hold       *OwnHold `json:"hold,omitempty"`
}

// Cover is the version of a book's cover: each picture has another one.
type Cover struct {
	Version string `json:"version"`
}

// Suggestion is a value of the catalogue, to complete a question.
type Suggestion struct {
	Kind  string `json:"kind"` // title, author, series or subject
	Value string `json:"value"`
	Book  string `json:"book,omitempty"` // of a title: the identifier of the book
}

// Lookup is the description of a book in another catalogue.
type Lookup struct {
	Source string     `json:"source"`
	Book   BookFields `json:"book"`
}

// OwnLoan is the caller's open loan of a book.
type OwnLoan struct {
	Identifier string `json:"identifier"`
	DueAt      string `json:"dueAt,omitempty"`
	Renewals   int    `json:"renewals"` // how often it was renewed
	Overdue    bool   `json:"overdue"`
}

// OwnHold is the caller's active hold of a book.
type OwnHold struct {
	Identifier string `json:"identifier"`
	State      string `json:"state"`              // HoldWaiting or HoldReady
	Position   int    `json:"position,omitempty"` // while waiting; 1 is next
	Until      string `json:"until,omitempty"`    // when ready
}

// BookRef names the book of a loan, a hold or a number.
type BookRef struct {
	Identifier string   `json:"identifier,omitempty"` // absent when the book is gone
	Title      string   `json:"title"`
	Authors    []string `json:"authors,omitempty"`
}

// Change is the book in an event, without actor and borrower.
type Change struct {
	Identifier string `json:"identifier"`
	Borrowed   bool   `json:"borrowed"`  // after the change
	Available  int    `json:"available"` // after the change
}
