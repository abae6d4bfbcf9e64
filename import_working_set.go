package library

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"example.org/library/internal/fulltext"
	"example.org/library/internal/isbn"
	"example.org/library/internal/validation"
)

// BookKeys says which books the rows of an import may be about.
type BookKeys struct {
	IDs    []string
	ISBNs  []string // each the isbn.Key of an ISBN that is one
	Titles []string // each a TitleKey
}

// add adds the one key by which the row's book is found.
func (k *BookKeys) add(r ImportRow) {
	switch number := isbn.Proven(r.ISBN); {
	case r.ID != "":
		k.IDs = append(k.IDs, r.ID)
	case number != "":
		k.ISBNs = append(k.ISBNs, number)
	default:
		k.Titles = append(k.Titles, TitleKey(r.Title))
	}
}

// compact leaves each key once.
func (k *BookKeys) compact() {
	for _, list := range []*[]string{&k.IDs, &k.ISBNs, &k.Titles} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
}

// workingSet is the books that some rows of an import may be about, as the rows so
// far have left them.
type workingSet struct {
	books  []*entry
	byID   map[string]*entry
	byISBN map[string][]*entry
	byName map[string][]*entry
	titles map[string]int // how many books have the TitleKey

	given        map[string][]string // by identifier of a book, the names of the fields that rows have given
	changedBytes int                 // of the books that are to be written, before and after
	stock        stockOfImport
}

// bytesPerChange is what it costs to write a book, besides its text.
const bytesPerChange = 100

// entry is a book of the working set and what the import has done to it.
type entry struct {
	Book
	added, changed bool
}

// newWorkingSet is a working set of books, and of what rows before have given. It
// does not change its arguments.
func newWorkingSet(books []Book, given map[string][]string) workingSet {
	c := workingSet{byID: map[string]*entry{}, byISBN: map[string][]*entry{}, byName: map[string][]*entry{}, titles: map[string]int{}}
	c.given = map[string][]string{}
	maps.Copy(c.given, given)
	for _, b := range books {
		c.add(&entry{Book: b})
	}
	return c
}

func (c *workingSet) add(b *entry) {
	c.books = append(c.books, b)
	c.byID[b.ID] = b
	c.titles[TitleKey(b.Title)]++
	c.index(b)
}

func (c *workingSet) index(b *entry) {
	number, name := isbn.Proven(b.ISBN), b.nameKey()
	c.byISBN[number] = append(c.byISBN[number], b)
	c.byName[name] = append(c.byName[name], b)
}

// replace gives a book other fields, under which it is found from now on.
func (c *workingSet) replace(b *entry, f BookFields) {
	number, name := isbn.Proven(b.ISBN), b.nameKey()
	this := func(other *entry) bool { return other == b }
	c.byISBN[number] = slices.DeleteFunc(c.byISBN[number], this)
	c.byName[name] = slices.DeleteFunc(c.byName[name], this)
	c.changedBytes += 2*bytesPerChange + b.textBytes() + f.textBytes()
	b.BookFields, b.Version, b.changed = f, NewVersion(), true
	c.index(b)
}

// nameKey is equal for books whose title and authors are, to a reader who does
// not care about case and accents. No field has the separator in it.
func (f BookFields) nameKey() string {
	return fulltext.Fold(strings.Join(append([]string{f.Title}, f.Authors...), "\n"))
}

// find returns the books that a row may be about. An identifier decides alone:
// one that nobody has asks for another copy. Text that is no ISBN decides
// nothing: the same text in two rows does not make them one book.
func (c *workingSet) find(r ImportRow) []*entry {
	number := isbn.Proven(r.ISBN)
	switch {
	case r.ID == "" && number != "":
		return c.byISBN[number]
	case r.ID == "":
		return c.byName[r.nameKey()]
	case c.byID[r.ID] != nil:
		return []*entry{c.byID[r.ID]}
	default:
		return nil
	}
}

// apply decides what becomes of a row, and does it to the working set.
func (c *workingSet) apply(r ImportRow, how ImportOptions, now time.Time) ImportResult {
	found := c.find(r)
	for _, b := range found {
		if len(r.differences(b.BookFields)) == 0 {
			return c.more(b, r, how, now, ImportUnchanged)
		}
	}
	switch {
	case c.tooManyAlike(r):
		return unclear(*errTooManyAlike, how)
	case len(found) > 1:
		return ambiguous(found, how)
	case len(found) == 0:
		return c.addNew(r, now)
	}
	b := found[0]
	if refusal := c.refuse(b, r, how); refusal != nil {
		return *refusal
	}
	result := c.more(b, r, how, now, ImportUpdated)
	if result.Outcome == ImportUpdated {
		c.replace(b, r.over(b.BookFields))
	}
	return result
}

// addNew adds a book with its copies.
func (c *workingSet) addNew(r ImportRow, now time.Time) ImportResult {
	b := &entry{added: true, Book: Book{ID: orNewID(r.ID), BookFields: r.BookFields, Created: now, Version: NewVersion()}}
	if taken := c.stock.begin(b, r); taken != nil {
		return ImportResult{Outcome: ImportInvalid, Err: taken}
	}
	c.add(b)
	c.changedBytes += bytesPerChange*max(1, b.Stock.Copies) + b.textBytes()
	return c.accept(b, r, ImportAdded)
}

// more gives a book that is there a copy for each barcode that nobody has. That is
// an update, which has to be asked for.
func (c *workingSet) more(b *entry, r ImportRow, how ImportOptions, now time.Time, outcome ImportOutcome) ImportResult {
	fresh, refusal := c.stock.fresh(b, r)
	switch {
	case refusal != nil:
		return ImportResult{Outcome: ImportInvalid, Err: refusal}
	case len(fresh) == 0:
	case !how.Update:
		why := withDetails(ErrBookDiffers, []string{"barcode"}, validation.CodeOtherThanLibrary, "is not on a copy in the library")
		return ImportResult{Outcome: ImportDiffers, Err: why, ID: b.ID, Replaceable: true}
	default:
		c.stock.add(b, fresh, now)
		c.changedBytes += 2 * bytesPerChange * len(fresh)
		outcome = ImportUpdated
	}
	c.stock.name(r)
	return c.accept(b, r, outcome)
}

// tooManyAlike reports whether a row is to be found by a title that more books have
// than were looked at. One that is not found may be there, and more than one may
// be meant.
func (c *workingSet) tooManyAlike(r ImportRow) bool {
	return r.ID == "" && isbn.Proven(r.ISBN) == "" && c.titles[TitleKey(r.Title)] > MaxAlike
}

// accept notes what a row has given of the book.
func (c *workingSet) accept(b *entry, r ImportRow, outcome ImportOutcome) ImportResult {
	given := slices.Concat(c.given[b.ID], r.differences(BookFields{}))
	slices.Sort(given)
	c.given[b.ID] = slices.Compact(given)
	return ImportResult{Outcome: outcome, ID: b.ID}
}

// Why it is doubtful that a row is about a book.
var (
	errContradiction = &Error{Kind: Conflict, Code: ErrBookAmbiguous.Code, Message: "An earlier book of this import is the same and says otherwise; keep one of them."}
	errTooManyAlike  = &Error{Kind: Conflict, Code: ErrBookAmbiguous.Code, Message: fmt.Sprintf("More than %d books have this title, too many to compare; give an identifier or an ISBN.", MaxAlike)}
	errOtherNumber   = &Error{Kind: Conflict, Code: ErrBookAmbiguous.Code, Message: "The book with this title and these authors has another ISBN; give the identifier of the book that is meant."}
)

// refuse is the outcome for a row that must not replace what is different, nil
// if it may. Rows that contradict each other would replace each other
// each time the file is imported, and are likely to be about two books. So are a row
// and a book that have one name but two numbers.
func (c *workingSet) refuse(b *entry, r ImportRow, how ImportOptions) *ImportResult {
	names := r.differences(b.BookFields)
	contradicted := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !slices.Contains(c.given[b.ID], name) })
	var why *Error
	switch {
	case len(contradicted) > 0:
		why = withDetails(errContradiction, contradicted, validation.CodeOtherThanRow, "is different there")
	case r.ID == "" && b.ISBN != "" && slices.Contains(names, "isbn"):
		why = withDetails(errOtherNumber, []string{"isbn"}, validation.CodeOtherThanLibrary, "is different in the library")
	case !how.Update:
		why = withDetails(ErrBookDiffers, names, validation.CodeOtherThanLibrary, "is different in the library")
	default:
		return nil
	}
	out := unclear(*why, how)
	if !how.Update {
		out.ID, out.Replaceable = b.ID, errors.Is(why, ErrBookDiffers)
	}
	return &out
}

// changes is what is to be written: each book once, however many rows were
// about it.
func (c *workingSet) changes() (added, changed []Book) {
	for _, b := range c.books {
		switch {
		case b.added:
			added = append(added, b.Book)
		case b.changed:
			changed = append(changed, b.Book)
		}
	}
	return added, changed
}

// hideAdded removes the identifiers of books that a dry run would add: the next
// run gives them others.
func (c *workingSet) hideAdded(results []ImportResult) {
	for i := range results {
		if b := c.byID[results[i].ID]; b != nil && b.added {
			results[i].ID = ""
		}
	}
}

// withDetails is an error that says the same of each of some fields.
func withDetails(err *Error, names []string, code validation.DetailCode, message string) *Error {
	e := *err
	for _, name := range names {
		e.Details = append(e.Details, Detail{Field: name, Code: code, Message: message})
	}
	return &e
}

// ambiguous is the outcome for a row that may be about several books and is
// equal to none, so that it is not known which one to update.
func ambiguous(found []*entry, how ImportOptions) ImportResult {
	const named = 10 // books; more help nobody
	e := *ErrBookAmbiguous
	for _, b := range found[:min(len(found), named)] {
		if !how.DryRun || !b.added {
			e.Details = append(e.Details, Detail{Field: "identifier", Code: validation.CodeCandidate, Message: "may be " + b.ID})
		}
	}
	return unclear(e, how)
}

// unclear is the outcome for a row that does not say which book it is about.
func unclear(e Error, how ImportOptions) ImportResult {
	if how.Update {
		return ImportResult{Outcome: ImportInvalid, Err: &e}
	}
	e.Code = ErrBookDiffers.Code
	return ImportResult{Outcome: ImportDiffers, Err: &e}
}
