package api

// BookFields is what curators write of a book. Package library has the same struct
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
}

// Book is a book as its readers see it. What is said of lending depends on who
// asks: Loan and Hold are the caller's own.
type Book struct {
	Identifier string `json:"identifier"`
	BookFields

	Copies    int      `json:"copies"`            // how many can be lent at all
	Available int      `json:"available"`         // how many somebody without a hold can borrow now
	Waiting   int      `json:"waiting,omitempty"` // people whose hold is waiting
	DueAt     string   `json:"dueAt,omitempty"`   // none is available: when the next one is due
	Shelves   []string `json:"shelves,omitempty"` // where the copies stand that can be lent

	Cover *Cover `json:"cover,omitempty"` // where a picture was uploaded

	Borrowed   bool     `json:"borrowed"`             // every copy that can be lent is with somebody
	BorrowedBy *Person  `json:"borrowedBy,omitempty"` // only for those whom it concerns
	Loan       *OwnLoan `json:"loan,omitempty"`
	Hold       *OwnHold `json:"hold,omitempty"`
}

// Cover says that a book has a cover, and which: the version is another one for each.
type Cover struct {
	Version string `json:"version"`
}

// Suggestion is a value of the catalogue that somebody may be typing.
type Suggestion struct {
	Kind  string `json:"kind"` // title, author, series or subject
	Value string `json:"value"`
	Book  string `json:"book,omitempty"` // of a title: the identifier of the book
}

// Lookup is what a source outside the library knows of a book.
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

// BookRef says which book a loan, a hold or a number is about.
type BookRef struct {
	Identifier string   `json:"identifier,omitempty"` // absent when the book is gone
	Title      string   `json:"title"`
	Authors    []string `json:"authors,omitempty"`
}

// Change is what an event says of a book: never who did it, or who has it.
type Change struct {
	Identifier string `json:"identifier"`
	Borrowed   bool   `json:"borrowed"`  // after the change
	Available  int    `json:"available"` // after the change
}
