package library

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"example.org/library/internal/validation"
)

// ImportCopies is what an import says of a book's copies. A new book gets that
// many, at least one for each barcode, all on the shelf. A book that is there gets
// a copy for each barcode that nobody has; no copy is removed or moved.
type ImportCopies struct {
	Copies   *int // nil: one, or one for each barcode
	Barcodes []string
	Shelf    string
}

// Check reports everything that is wrong with a row.
func (r ImportRow) Check() []Detail { return details(r.normalizeRow()) }

// normalizeRow is normalize for the book and its copies.
func (r *ImportRow) normalizeRow() error {
	bad := problems{details(r.BookFields.normalize())}
	if r.Copies != nil {
		bad.Within("copies", *r.Copies, 0, MaxCopies)
	}
	var barcodes []string
	before := len(bad.Problems)
	for _, code := range r.Barcodes {
		if code = bad.code("barcode", code); code != "" {
			barcodes = append(barcodes, code)
		}
		if len(bad.Problems) > before {
			break // once is enough
		}
	}
	if len(barcodes) > MaxCopies {
		bad.Add(validation.TooMany("barcode", MaxCopies))
	}
	r.Barcodes = barcodes
	r.Shelf = bad.Line("shelf", r.Shelf, MaxShelf)
	return bad.err()
}

// copies is how many copies a new book gets.
func (c ImportCopies) copies() int {
	if c.Copies != nil {
		return max(*c.Copies, len(c.Barcodes))
	}
	return max(1, len(c.Barcodes))
}

// FoundCopies is what an import needs to know of the copies that are there.
type FoundCopies struct {
	Owner map[string]string // of which book a copy with a barcode is
	Count map[string]int    // how many copies a book has, in whatever state
}

// CopyLabel is the barcode and the shelf of one of the copies with which a book
// was added: the first has the place 1.
type CopyLabel struct {
	BookID  string
	Place   int
	Barcode string
	Shelf   string
}

// copyFinder is a store, or one inside a transaction.
type copyFinder interface {
	FindCopies(ctx context.Context, barcodes, bookIDs []string) (FoundCopies, error)
}

// findCopies looks for the barcodes of the rows up to one, from the first that has
// not been written, and counts the copies of the books that were found.
func (run *importRun) findCopies(ctx context.Context, from copyFinder, found []Book, end int) (FoundCopies, error) {
	var barcodes, ids []string
	for i := len(run.results); i < end; i++ {
		if run.errs[i] == nil {
			barcodes = append(barcodes, run.rows[i].Barcodes...)
		}
	}
	if len(barcodes) == 0 {
		return FoundCopies{}, nil
	}
	for _, b := range found {
		ids = append(ids, b.ID)
	}
	slices.Sort(barcodes)
	return from.FindCopies(ctx, slices.Compact(barcodes), ids)
}

// stockOfImport is the copies of the books of a working set, as the rows so far have
// left them.
type stockOfImport struct {
	found  FoundCopies
	named  map[string]bool // barcodes that rows have named
	labels []CopyLabel
	added  map[string][]Copy // by book
}

func newStockOfImport(found FoundCopies, named map[string]bool) stockOfImport {
	s := stockOfImport{found: FoundCopies{Owner: map[string]string{}, Count: found.Count}, named: map[string]bool{}, added: map[string][]Copy{}}
	maps.Copy(s.found.Owner, found.Owner)
	maps.Copy(s.named, named)
	return s
}

// name notes the barcodes of a row.
func (s *stockOfImport) name(r ImportRow) {
	for _, code := range r.Barcodes {
		s.named[code] = true
	}
}

// taken is why a row cannot have its barcodes: one is on a copy of another book, or
// is twice in the import. It is nil if it can.
func (s *stockOfImport) taken(b *entry, r ImportRow) *Error {
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
	e := &Error{Kind: Conflict, Code: ErrBarcodeTaken.Code, Message: "A barcode is on a copy of another book, or twice in the file."}
	for _, code := range slices.Compact(slices.Sorted(slices.Values(taken))) {
		if len(e.Details) < named {
			e.Details = append(e.Details, Detail{Field: "barcode", Code: validation.CodeDuplicate, Message: code + " is taken"})
		}
	}
	return e
}

// begin gives a new book its copies, or says why not.
func (s *stockOfImport) begin(b *entry, r ImportRow) *Error {
	if e := s.taken(b, r); e != nil {
		return e
	}
	n := r.copies()
	b.Stock = Stock{Copies: n, Available: n}
	for place := 1; place <= n && (len(r.Barcodes) > 0 || r.Shelf != ""); place++ {
		label := CopyLabel{BookID: b.ID, Place: place, Shelf: r.Shelf}
		if place <= len(r.Barcodes) {
			label.Barcode = r.Barcodes[place-1]
			s.found.Owner[label.Barcode] = b.ID
		}
		s.labels = append(s.labels, label)
	}
	s.name(r)
	return nil
}

// fresh are the barcodes of a row that nobody has.
func (s *stockOfImport) fresh(b *entry, r ImportRow) ([]string, *Error) {
	if e := s.taken(b, r); e != nil {
		return nil, e
	}
	fresh := slices.DeleteFunc(slices.Clone(r.Barcodes), func(code string) bool { return s.found.Owner[code] != "" })
	if s.found.Count[b.ID]+b.Stock.Copies+len(s.added[b.ID])+len(fresh) > MaxCopies {
		return nil, ErrTooManyCopies
	}
	return fresh, nil
}

// add gives a book more copies.
func (s *stockOfImport) add(b *entry, barcodes []string, shelf string, now time.Time) {
	for _, code := range barcodes {
		s.found.Owner[code] = b.ID
		s.added[b.ID] = append(s.added[b.ID], Copy{
			ID: NewID(), BookID: b.ID, CopyFields: CopyFields{Barcode: code, Shelf: shelf, State: Lendable}, Created: now, Version: NewVersion(),
		})
	}
}

// write writes what was decided.
func (b importBatch) write(ctx context.Context, s *Service, tx Tx, now time.Time) error {
	if err := tx.AddBooks(ctx, b.added); err != nil {
		return err
	}
	if err := tx.LabelCopies(ctx, b.labels); err != nil {
		return err
	}
	if err := tx.UpdateBooks(ctx, b.updated); err != nil {
		return err
	}
	for _, id := range slices.SortedFunc(maps.Keys(b.copies), strings.Compare) {
		for _, added := range b.copies[id] {
			_, c, err := tx.Load(ctx, Load{Book: id, Now: now})
			if err == nil && c == nil {
				err = ErrBookNotFound
			}
			if err != nil {
				return err
			}
			_, err = s.decide(ctx, tx, *c, now, func(c Circulation, now time.Time) (Decision, error) { return c.AddCopy(added, now) })
			if err != nil {
				return err
			}
		}
	}
	return nil
}
