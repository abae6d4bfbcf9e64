package accession

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"example.org/library"
	"example.org/library/internal/fulltext"
	"example.org/library/internal/isbn"
	"example.org/library/internal/validation"
)

// addKey adds the one key by which the row's book is found.
func addKey(k *library.BookKeys, r Row) {
	switch number := isbn.Proven(r.ISBN); {
	case r.ID != "":
		k.IDs = append(k.IDs, r.ID)
	case number != "":
		k.ISBNs = append(k.ISBNs, number)
	default:
		k.Titles = append(k.Titles, library.TitleKey(r.Title))
	}
}

// compact leaves each key once.
func compact(k *library.BookKeys) {
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
	library.Book
	added, changed bool
}

// newWorkingSet is a working set of books, and of what rows before have given. It
// does not change its arguments.
func newWorkingSet(books []library.Book, given map[string][]string) workingSet {
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
	c.titles[library.TitleKey(b.Title)]++
	c.index(b)
}

func (c *workingSet) index(b *entry) {
	number, name := isbn.Proven(b.ISBN), nameKey(b.BookFields)
	c.byISBN[number] = append(c.byISBN[number], b)
	c.byName[name] = append(c.byName[name], b)
}

// replace gives a book other fields, under which it is found from now on.
func (c *workingSet) replace(b *entry, f library.BookFields) {
	number, name := isbn.Proven(b.ISBN), nameKey(b.BookFields)
	this := func(other *entry) bool { return other == b }
	c.byISBN[number] = slices.DeleteFunc(c.byISBN[number], this)
	c.byName[name] = slices.DeleteFunc(c.byName[name], this)
	c.changedBytes += 2*bytesPerChange + b.TextBytes() + f.TextBytes()
	b.BookFields, b.Version, b.changed = f, library.NewVersion(), true
	c.index(b)
}

// nameKey is equal for books whose title and authors are, to a reader who does
// not care about case and accents. No field has the separator in it.
func nameKey(f library.BookFields) string {
	return fulltext.Fold(strings.Join(append([]string{f.Title}, f.Authors...), "\n"))
}

// find returns the books that a row may be about. An identifier decides alone:
// one that nobody has asks for another copy. Text that is no ISBN decides
// nothing: the same text in two rows does not make them one book.
func (c *workingSet) find(r Row) []*entry {
	number := isbn.Proven(r.ISBN)
	switch {
	case r.ID == "" && number != "":
		return c.byISBN[number]
	case r.ID == "":
		return c.byName[nameKey(r.BookFields)]
	case c.byID[r.ID] != nil:
		return []*entry{c.byID[r.ID]}
	default:
		return nil
	}
}

// apply decides what becomes of a row, and does it to the working set.
func (c *workingSet) apply(r Row, how library.ImportOptions, now time.Time) library.ImportResult {
	found := c.find(r)
	for _, b := range found {
		if len(r.Differences(b.BookFields)) == 0 {
			return c.more(b, r, how, now, library.ImportUnchanged)
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
	result := c.more(b, r, how, now, library.ImportUpdated)
	if result.Outcome == library.ImportUpdated {
		c.replace(b, r.Over(b.BookFields))
	}
	return result
}

// addNew adds a book with its copies.
func (c *workingSet) addNew(r Row, now time.Time) library.ImportResult {
	b := &entry{added: true, Book: library.Book{ID: cmp.Or(r.ID, uuid.NewString()), BookFields: r.BookFields, Created: now, Version: library.NewVersion()}}
	if taken := c.stock.begin(b, r); taken != nil {
		return library.ImportResult{Outcome: library.ImportInvalid, Err: taken}
	}
	c.add(b)
	c.changedBytes += bytesPerChange*max(1, b.Stock.Copies) + b.TextBytes()
	return c.accept(b, r, library.ImportAdded)
}

// more gives a book that is there a copy for each barcode that nobody has. That is
// an update, which has to be asked for.
func (c *workingSet) more(b *entry, r Row, how library.ImportOptions, now time.Time, outcome library.ImportOutcome) library.ImportResult {
	fresh, refusal := c.stock.fresh(b, r)
	switch {
	case refusal != nil:
		return library.ImportResult{Outcome: library.ImportInvalid, Err: refusal}
	case len(fresh) == 0:
	case !how.Update:
		why := withDetails(library.ErrBookDiffers, []string{"barcode"}, validation.CodeOtherThanLibrary, "is not on a copy in the library")
		return library.ImportResult{Outcome: library.ImportDiffers, Err: why, ID: b.ID, Replaceable: true}
	default:
		c.stock.add(b, fresh, now)
		c.changedBytes += 2 * bytesPerChange * len(fresh)
		outcome = library.ImportUpdated
	}
	c.stock.name(r)
	return c.accept(b, r, outcome)
}

// tooManyAlike reports whether a row is to be found by a title that more books have
// than were looked at. One that is not found may be there, and more than one may
// be meant.
func (c *workingSet) tooManyAlike(r Row) bool {
	return r.ID == "" && isbn.Proven(r.ISBN) == "" && c.titles[library.TitleKey(r.Title)] > library.MaxAlike
}

// accept notes what a row has given of the book.
func (c *workingSet) accept(b *entry, r Row, outcome library.ImportOutcome) library.ImportResult {
	given := slices.Concat(c.given[b.ID], r.Differences(library.BookFields{}))
	slices.Sort(given)
	c.given[b.ID] = slices.Compact(given)
	return library.ImportResult{Outcome: outcome, ID: b.ID}
}

// Why it is doubtful that a row is about a book.
var (
	errContradiction = &library.Error{Kind: library.Conflict, Code: library.ErrBookAmbiguous.Code, Message: "An earlier book of this import is the same and says otherwise; keep one of them."}
	errTooManyAlike  = &library.Error{Kind: library.Conflict, Code: library.ErrBookAmbiguous.Code, Message: fmt.Sprintf("More than %d books have this title, too many to compare; give an identifier or an ISBN.", library.MaxAlike)}
	errOtherNumber   = &library.Error{Kind: library.Conflict, Code: library.ErrBookAmbiguous.Code, Message: "The book with this title and these authors has another ISBN; give the identifier of the book that is meant."}
)

// refuse is the outcome for a row that must not replace what is different, nil
// if it may. Rows that contradict each other would replace each other
// each time the file is imported, and are likely to be about two books. So are a row
// and a book that have one name but two numbers.
func (c *workingSet) refuse(b *entry, r Row, how library.ImportOptions) *library.ImportResult {
	names := r.Differences(b.BookFields)
	contradicted := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !slices.Contains(c.given[b.ID], name) })
	var why *library.Error
	switch {
	case len(contradicted) > 0:
		why = withDetails(errContradiction, contradicted, validation.CodeOtherThanRow, "is different there")
	case r.ID == "" && b.ISBN != "" && slices.Contains(names, "isbn"):
		why = withDetails(errOtherNumber, []string{"isbn"}, validation.CodeOtherThanLibrary, "is different in the library")
	case !how.Update:
		why = withDetails(library.ErrBookDiffers, names, validation.CodeOtherThanLibrary, "is different in the library")
	default:
		return nil
	}
	out := unclear(*why, how)
	if !how.Update {
		out.ID, out.Replaceable = b.ID, errors.Is(why, library.ErrBookDiffers)
	}
	return &out
}

// changes is what is to be written: each book once, however many rows were
// about it.
func (c *workingSet) changes() (added, changed []library.Book) {
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
func (c *workingSet) hideAdded(results []library.ImportResult) {
	for i := range results {
		if b := c.byID[results[i].ID]; b != nil && b.added {
			results[i].ID = ""
		}
	}
}

// withDetails is an error that says the same of each of some fields.
func withDetails(err *library.Error, names []string, code validation.DetailCode, message string) *library.Error {
	e := *err
	for _, name := range names {
		e.Details = append(e.Details, library.Detail{Field: name, Code: code, Message: message})
	}
	return &e
}

// ambiguous is the outcome for a row that may be about several books and is
// equal to none, so that it is not known which one to update.
func ambiguous(found []*entry, how library.ImportOptions) library.ImportResult {
	const named = 10 // books; more help nobody
	e := *library.ErrBookAmbiguous
	for _, b := range found[:min(len(found), named)] {
		if !how.DryRun || !b.added {
			e.Details = append(e.Details, library.Detail{Field: "identifier", Code: validation.CodeCandidate, Message: "may be " + b.ID})
		}
	}
	return unclear(e, how)
}

// unclear is the outcome for a row that does not say which book it is about.
func unclear(e library.Error, how library.ImportOptions) library.ImportResult {
	if how.Update {
		return library.ImportResult{Outcome: library.ImportInvalid, Err: &e}
	}
	e.Code = library.ErrBookDiffers.Code
	return library.ImportResult{Outcome: library.ImportDiffers, Err: &e}
}
