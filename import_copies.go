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
	Each     []CopyFields // every copy by itself, instead of all that; nil if the source does not say
}

// Check reports everything that is wrong with a row.
func (r ImportRow) Check() []Detail { return details(r.normalizeRow()) }

// normalizeRow is normalize for the book and its copies.
func (r *ImportRow) normalizeRow() error {
	bad := problems{details(r.BookFields.normalize())}
	if r.Each != nil {
		r.normalizeEach(&bad)
		return bad.err()
	}
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

// normalizeEach is normalizeRow for copies that are described one by one.
func (r *ImportRow) normalizeEach(bad *problems) {
	r.Each, r.Barcodes = slices.Clone(r.Each), nil
	if len(r.Each) > MaxCopies {
		bad.Within("copies", len(r.Each), 0, MaxCopies)
		return
	}
	for i := range r.Each {
		if wrong := details(r.Each[i].normalize()); len(wrong) > 0 {
			bad.Add(wrong[0])
			return // once is enough
		}
		if code := r.Each[i].Barcode; code != "" {
			r.Barcodes = append(r.Barcodes, code)
		}
	}
}

// each is the copies that a new book gets, one by one.
func (c ImportCopies) each() []CopyFields {
	if c.Each != nil {
		return c.Each
	}
	n := max(1, len(c.Barcodes))
	if c.Copies != nil {
		n = max(*c.Copies, len(c.Barcodes))
	}
	copies := make([]CopyFields, n)
	for i := range copies {
		copies[i] = CopyFields{Shelf: c.Shelf, State: Lendable}
		if i < len(c.Barcodes) {
			copies[i].Barcode = c.Barcodes[i]
		}
	}
	return copies
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
	for _, c := range r.each() {
		if c.Barcode != "" {
			s.found.Owner[c.Barcode] = b.ID
		}
		if c.State != Lendable {
			s.added[b.ID] = append(s.added[b.ID], newCopy(b, c, b.Created))
			continue
		}
		b.Stock.Copies++
		if c.Barcode != "" || c.Shelf != "" {
			s.labels = append(s.labels, CopyLabel{BookID: b.ID, Place: b.Stock.Copies, Barcode: c.Barcode, Shelf: c.Shelf})
		}
	}
	b.Stock.Available = b.Stock.Copies
	s.name(r)
	return nil
}

func newCopy(b *entry, f CopyFields, now time.Time) Copy {
	return Copy{ID: NewID(), BookID: b.ID, CopyFields: f, Created: now, Version: NewVersion()}
}

// fresh are the copies of a row that nobody has, by their barcodes.
func (s *stockOfImport) fresh(b *entry, r ImportRow) ([]CopyFields, *Error) {
	if len(r.Barcodes) == 0 {
		return nil, nil
	}
	if e := s.taken(b, r); e != nil {
		return nil, e
	}
	fresh := slices.DeleteFunc(slices.Clone(r.each()), func(c CopyFields) bool { return c.Barcode == "" || s.found.Owner[c.Barcode] != "" })
	if s.found.Count[b.ID]+b.Stock.Copies+len(s.added[b.ID])+len(fresh) > MaxCopies {
		return nil, ErrTooManyCopies
	}
	return fresh, nil
}

// add gives a book more copies.
func (s *stockOfImport) add(b *entry, copies []CopyFields, now time.Time) {
	for _, c := range copies {
		s.found.Owner[c.Barcode] = b.ID
		s.added[b.ID] = append(s.added[b.ID], newCopy(b, c, now))
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
