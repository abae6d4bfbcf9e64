package bookimport

import (
	"slices"

	"example.org/library"
	"example.org/library/internal/validation"
)

// Row describes a book in the source of an import. Empty fields are absent: an import fills in and
// replaces, it never clears.
type Row struct {
	ID string // "" to find the book by its fields, and for a new identifier
	library.BookFields
	RowCopies
	Err error // the reason it is no book; then the rest is ignored
}

// RowCopies describes the copies in a row. A new book gets that many, at least one for each barcode,
// all on the shelf. An existing book gets a copy for each new barcode; no copy is removed or moved.
type RowCopies struct {
	Copies   *int // nil: one, or one for each barcode
	Barcodes []string
	Shelf    string
	Each     []library.CopyFields // the copies one by one, instead of the other fields; nil for none
}

// Check returns all faults of a row.
func (r Row) Check() []library.Detail { return r.normalize() }

// normalize trims the book and its copies and returns all their faults.
func (r *Row) normalize() []library.Detail {
	var bad validation.Problems
	r.BookFields, bad = r.BookFields.Normalized()
	if r.Each != nil {
		r.normalizeEach(&bad)
		return bad
	}
	if r.Copies != nil {
		bad.Within("copies", *r.Copies, 0, library.MaxCopies)
	}
	var barcodes []string
	for _, code := range r.Barcodes {
		c, wrong := library.CopyFields{Barcode: code}.Normalized()
		if c.Barcode != "" {
			barcodes = append(barcodes, c.Barcode)
		}
		if len(wrong) > 0 {
			bad.Add(wrong[0])
			break // once is enough
		}
	}
	if len(barcodes) > library.MaxCopies {
		bad.Add(validation.TooMany("barcode", library.MaxCopies))
	}
	r.Barcodes = barcodes
	r.Shelf = bad.Line("shelf", r.Shelf, library.MaxShelf)
	return bad
}

// normalizeEach is normalize for copies described one by one.
func (r *Row) normalizeEach(bad *validation.Problems) {
	r.Each, r.Barcodes = slices.Clone(r.Each), nil
	if len(r.Each) > library.MaxCopies {
		bad.Within("copies", len(r.Each), 0, library.MaxCopies)
		return
	}
	for i := range r.Each {
		var wrong []library.Detail
		if r.Each[i], wrong = r.Each[i].Normalized(); len(wrong) > 0 {
			bad.Add(wrong[0])
			return // once is enough
		}
		if code := r.Each[i].Barcode; code != "" {
			r.Barcodes = append(r.Barcodes, code)
		}
	}
}

// each returns the copies of a new book, one by one.
func (c RowCopies) each() []library.CopyFields {
	if c.Each != nil {
		return c.Each
	}
	n := max(1, len(c.Barcodes))
	if c.Copies != nil {
		n = max(*c.Copies, len(c.Barcodes))
	}
	copies := make([]library.CopyFields, n)
	for i := range copies {
		copies[i] = library.CopyFields{Shelf: c.Shelf, State: library.Lendable}
		if i < len(c.Barcodes) {
			copies[i].Barcode = c.Barcodes[i]
		}
	}
	return copies
}
