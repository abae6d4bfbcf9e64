package bookimport

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

// addKey adds the key for finding the row's book.
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

// workingSet has the books that may match some rows of an import, after the rows so far.
type workingSet struct {
	books  []*entry
	byID   map[string]*entry
	byISBN map[string][]*entry
	byName map[string][]*entry
	titles map[string]int // number of books, by TitleKey

	given        map[string][]string // names of fields given by rows, by identifier of a book
	changedBytes int                 // of the books to write, before and after
	stock        stockOfImport
}

// bytesPerChange is the cost of writing a book, besides its text.
const bytesPerChange = 100

// entry is a book of the working set and its changes.
type entry struct {
	library.Book
	added, changed bool
}

// newWorkingSet returns a working set of books, with the fields given by earlier rows. It does not
// change its arguments.
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

// replace gives a book other fields and updates the indexes.
func (c *workingSet) replace(b *entry, f library.BookFields) {
	number, name := isbn.Proven(b.ISBN), nameKey(b.BookFields)
	this := func(other *entry) bool { return other == b }
	c.byISBN[number] = slices.DeleteFunc(c.byISBN[number], this)
	c.byName[name] = slices.DeleteFunc(c.byName[name], this)
	c.changedBytes += 2*bytesPerChange + b.TextBytes() + f.TextBytes()
	b.BookFields, b.Version, b.changed = f, library.NewVersion(), true
	c.index(b)
}

// nameKey returns title and authors without case and accents. No field has the separator in it.
func nameKey(f library.BookFields) string {
	return fulltext.Fold(strings.Join(append([]string{f.Title}, f.Authors...), "\n"))
}

// find returns the books that may match a row. An identifier decides alone: an unknown one matches nothing. Text in
// place of an ISBN decides nothing: the same text in two rows does not make them one book.
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

// apply decides about a row, and updates the working set.
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
	b := &entry{added: true, Book: library.Book{ID: cmp.Or(r.ID, uuid.NewString()), BookFields: r.BookFields.Complete(), Created: now, Version: library.NewVersion()}}
	if taken := c.stock.begin(b, r); taken != nil {
		return library.ImportResult{Outcome: library.ImportInvalid, Err: taken}
	}
	c.add(b)
	c.changedBytes += bytesPerChange*max(1, b.Stock.Copies) + b.TextBytes()
	return c.accept(b, r, library.ImportAdded)
}

// more gives an existing book a copy for each new barcode. It is an update, so only with the option Update.
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

// tooManyAlike reports whether more books have the row's title than were compared. Then a match may be
// missing or ambiguous.
func (c *workingSet) tooManyAlike(r Row) bool {
	return r.ID == "" && isbn.Proven(r.ISBN) == "" && c.titles[library.TitleKey(r.Title)] > library.MaxAlike
}

// accept records the fields given by a row.
func (c *workingSet) accept(b *entry, r Row, outcome library.ImportOutcome) library.ImportResult {
	given := slices.Concat(c.given[b.ID], r.Differences(library.BookFields{}))
	slices.Sort(given)
	c.given[b.ID] = slices.Compact(given)
	return library.ImportResult{Outcome: outcome, ID: b.ID}
}

// Reasons to doubt the match of a row and a book.
var (
	errContradiction = &library.Error{Kind: library.Conflict, Code: library.ErrBookAmbiguous.Code, Message: "An earlier book of this import is the same book and differs; keep one of them."}
	errTooManyAlike  = &library.Error{Kind: library.Conflict, Code: library.ErrBookAmbiguous.Code, Message: fmt.Sprintf("More than %d books have this title, too many to compare; give an identifier or an ISBN.", library.MaxAlike)}
	errOtherNumber   = &library.Error{Kind: library.Conflict, Code: library.ErrBookAmbiguous.Code, Message: "The book with this title and these authors has another ISBN; give the identifier of the book that is meant."}
)

// refuse returns the outcome for a row that must not replace a differing book, nil if it may.
// Contradicting rows would replace each other with each import of the file, and are likely to be two
// books. So are a row and a book with the same name but different numbers.
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

// changes returns the books to write, each once.
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

// hideAdded removes the identifiers of books added in a dry run: the real run gives them others.
func (c *workingSet) hideAdded(results []library.ImportResult) {
	for i := range results {
		if b := c.byID[results[i].ID]; b != nil && b.added {
			results[i].ID = ""
		}
	}
}

// withDetails returns an error with the same fault for each of some fields.
func withDetails(err *library.Error, names []string, code validation.DetailCode, message string) *library.Error {
	e := *err
	for _, name := range names {
		e.Details = append(e.Details, library.Detail{Field: name, Code: code, Message: message})
	}
	return &e
}

// ambiguous returns the outcome for a row matching several books and equal to none.
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

// unclear returns the outcome for a row without enough data to match a book.
func unclear(e library.Error, how library.ImportOptions) library.ImportResult {
	if how.Update {
		return library.ImportResult{Outcome: library.ImportInvalid, Err: &e}
	}
	e.Code = library.ErrBookDiffers.Code
	return library.ImportResult{Outcome: library.ImportDiffers, Err: &e}
}
