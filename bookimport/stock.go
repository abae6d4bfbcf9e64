package bookimport

import (
	"maps"
	"slices"
	"time"

	"example.org/library"
	"example.org/library/internal/validation"
)

// stockOfImport has the copies of the books of a working set after the rows so far.
type stockOfImport struct {
	found  library.FoundCopies
	named  map[string]bool // barcodes of rows
	labels []library.CopyLabel
	added  map[string][]library.Copy // by book
}

func newStockOfImport(found library.FoundCopies, named map[string]bool) stockOfImport {
	s := stockOfImport{found: library.FoundCopies{Owner: map[string]string{}, Count: found.Count}, named: map[string]bool{}, added: map[string][]library.Copy{}}
	maps.Copy(s.found.Owner, found.Owner)
	maps.Copy(s.named, named)
	return s
}

// name notes the barcodes of a row.
func (s *stockOfImport) name(r Row) {
	for _, code := range r.Barcodes {
		s.named[code] = true
	}
}

// taken returns an error if a barcode of a row is on a copy of another book, or is twice in the import.
func (s *stockOfImport) taken(b *entry, r Row) *library.Error {
	var taken []string
	for i, code := range r.Barcodes {
		owner := s.found.Owner[code]
		if s.named[code] || slices.Contains(r.Barcodes[:i], code) || owner != "" && owner != b.ID {
			taken = append(taken, code)
		}
	}
	if len(taken) == 0 {
		return nil
	}
	const named = 10 // barcodes; more help nobody
	e := &library.Error{Kind: library.Conflict, Code: library.ErrBarcodeTaken.Code, Message: "A barcode is on a copy of another book, or twice in the file."}
	for _, code := range slices.Compact(slices.Sorted(slices.Values(taken))) {
		if len(e.Details) < named {
			e.Details = append(e.Details, library.Detail{Field: "barcode", Code: validation.CodeDuplicate, Message: code + " is taken"})
		}
	}
	return e
}

// begin gives a new book its copies, or returns the reason not to.
func (s *stockOfImport) begin(b *entry, r Row) *library.Error {
	if e := s.taken(b, r); e != nil {
		return e
	}
	for _, c := range r.each() {
		if c.Barcode != "" {
			s.found.Owner[c.Barcode] = b.ID
		}
		if c.State != library.Lendable {
			s.added[b.ID] = append(s.added[b.ID], newCopy(b, c, b.Created))
			continue
		}
		b.Stock.Copies++
		if c.Barcode != "" || c.Shelf != "" {
			s.labels = append(s.labels, library.CopyLabel{BookID: b.ID, Place: b.Stock.Copies, Barcode: c.Barcode, Shelf: c.Shelf})
		}
	}
	b.Stock.Available = b.Stock.Copies
	s.name(r)
	return nil
}

func newCopy(b *entry, f library.CopyFields, now time.Time) library.Copy {
	return library.Copy{ID: library.NewID(), BookID: b.ID, CopyFields: f, Created: now, Version: library.NewVersion()}
}

// fresh returns the copies of a row with new barcodes.
func (s *stockOfImport) fresh(b *entry, r Row) ([]library.CopyFields, *library.Error) {
	if len(r.Barcodes) == 0 {
		return nil, nil
	}
	if e := s.taken(b, r); e != nil {
		return nil, e
	}
	fresh := slices.DeleteFunc(slices.Clone(r.each()), func(c library.CopyFields) bool { return c.Barcode == "" || s.found.Owner[c.Barcode] != "" })
	if s.found.Count[b.ID]+b.Stock.Copies+len(s.added[b.ID])+len(fresh) > library.MaxCopies {
		return nil, library.ErrTooManyCopies
	}
	return fresh, nil
}

// add gives a book more copies.
func (s *stockOfImport) add(b *entry, copies []library.CopyFields, now time.Time) {
	for _, c := range copies {
		s.found.Owner[c.Barcode] = b.ID
		s.added[b.ID] = append(s.added[b.ID], newCopy(b, c, now))
	}
}
