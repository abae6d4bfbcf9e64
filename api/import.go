package api

// ImportResult is the outcome of one book, or of one person, of an import.
type ImportResult struct {
	Outcome    string    `json:"outcome"`              // added, updated, unchanged, differs or invalid
	Identifier string    `json:"identifier,omitempty"` // of the record it became or is
	Message    string    `json:"message,omitempty"`    // why it differs or is invalid
	Code       string    `json:"code,omitempty"`
	Details    []Detail  `json:"details,omitempty"`
	Warnings   []Warning `json:"warnings,omitempty"` // suspicious values, kept
	Line       int       `json:"line,omitempty"`     // of a CSV file
	Record     int       `json:"record,omitempty"`   // the number of a MARC record, from 1
	Book       *RowBook  `json:"book,omitempty"`     // how the row of a file was understood
	User       *RowUser  `json:"user,omitempty"`     // the same of a file of people
}

// Warning points out a value, kept although it is likely to be wrong.
type Warning struct {
	Field   string `json:"field"`
	Message string `json:"message"`
	Code    string `json:"code"`
}

// RowBook is a book as a row of a file describes it, good or not.
type RowBook struct {
	Identifier string `json:"identifier,omitempty"`
	RowFields
	Copies   *int     `json:"copies,omitempty"`
	Barcodes []string `json:"barcode,omitempty"`
	Shelf    string   `json:"shelf,omitempty"`
}

// TableImport has the outcomes of the rows of a file, or of a part of one.
type TableImport struct {
	Results []ImportResult `json:"results"`
	Ignored []string       `json:"ignored,omitempty"` // unused columns
	Charset string         `json:"charset,omitempty"` // how the file is written; absent while it is all ASCII
	Next    *NextPart      `json:"next,omitempty"`    // absent if the body was read to the end of the file
}

// NextPart says where a file goes on: the next request has the first Heading
// bytes of the body again, and then the file after the first Byte bytes.
type NextPart struct {
	Heading int `json:"heading"`
	Byte    int `json:"byte"`
	Line    int `json:"line,omitempty"`
	Record  int `json:"record,omitempty"` // of a file of MARC records
}

// RowUser is a person as a row of an import describes one, good or not. What the row does
// not say is empty or nil.
type RowUser struct {
	Email     string   `json:"email,omitempty"`
	FirstName string   `json:"firstName,omitempty"`
	LastName  string   `json:"lastName,omitempty"`
	Card      string   `json:"card,omitempty"`
	Group     string   `json:"group,omitempty"`
	Category  string   `json:"category,omitempty"`
	Roles     []string `json:"roles,omitempty"`
	Locale    string   `json:"locale,omitempty"`
	Reminders *bool    `json:"reminders,omitempty"`
	Active    *bool    `json:"active,omitempty"`
	Note      string   `json:"note,omitempty"`
	Block     string   `json:"block,omitempty"`
}
