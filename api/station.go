package api

// Visitor is the person with a card, as a station shows one: nothing names the person but the first
// name, and nothing says which books the person has.
type Visitor struct {
	FirstName string   `json:"firstName"`
	Loans     int      `json:"loans"`
	Overdue   int      `json:"overdue"`
	Ready     []string `json:"ready"` // titles of the books that are set aside
}

// StationBook is a book at a station.
type StationBook struct {
	Title   string   `json:"title"`
	Authors []string `json:"authors,omitempty"`
}

// StationLoan is a loan that was made at a station.
type StationLoan struct {
	Book  StationBook `json:"book"`
	DueAt string      `json:"dueAt,omitempty"`
}

// StationReturn is a return at a station.
type StationReturn struct {
	Book     StationBook `json:"book"`
	SetAside bool        `json:"setAside"` // for the next in the queue
}
