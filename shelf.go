package library

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// BookKeys says which books the rows of an import may be about.
type BookKeys struct {
	IDs    []string
	ISBNs  []string // each the ISBNKey of an ISBN that is one
	Titles []string // each a TitleKey
}

// add adds the one key by which the row's book is found.
func (k *BookKeys) add(r ImportRow) {
	switch isbn := provenISBN(r.ISBN); {
	case r.ID != "":
		k.IDs = append(k.IDs, r.ID)
	case isbn != "":
		k.ISBNs = append(k.ISBNs, isbn)
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

// shelf is the books that some rows of an import may be about, as the rows so far
// have left them.
type shelf struct {
	books  []*shelved
	byID   map[string]*shelved
	byISBN map[string][]*shelved
	byName map[string][]*shelved
	titles map[string]int // how many books have been put here with the TitleKey

	said         map[string][]string // by identifier of a book, the fields of which a row has spoken
	changedBytes int                 // of the books that are to be written, before and after
}

// shelved is a book on the shelf and what the import has done to it.
type shelved struct {
	Book
	added, changed bool
}

// newShelf is a shelf with books on it, of which rows have said something
// before. It does not change what it is given.
func newShelf(books []Book, said map[string][]string) shelf {
	s := shelf{byID: map[string]*shelved{}, byISBN: map[string][]*shelved{}, byName: map[string][]*shelved{}, titles: map[string]int{}}
	s.said = map[string][]string{}
	maps.Copy(s.said, said)
	for _, b := range books {
		s.put(&shelved{Book: b})
	}
	return s
}

func (s *shelf) put(b *shelved) {
	s.books = append(s.books, b)
	s.byID[b.ID] = b
	s.titles[TitleKey(b.Title)]++
	s.index(b)
}

func (s *shelf) index(b *shelved) {
	isbn, name := provenISBN(b.ISBN), b.nameKey()
	s.byISBN[isbn] = append(s.byISBN[isbn], b)
	s.byName[name] = append(s.byName[name], b)
}

// replace gives a book other fields, under which it is found from now on.
func (s *shelf) replace(b *shelved, f BookFields) {
	isbn, name := provenISBN(b.ISBN), b.nameKey()
	this := func(other *shelved) bool { return other == b }
	s.byISBN[isbn] = slices.DeleteFunc(s.byISBN[isbn], this)
	s.byName[name] = slices.DeleteFunc(s.byName[name], this)
	s.changedBytes += b.BookFields.size() + f.size()
	b.BookFields, b.Version, b.changed = f, newVersion(), true
	s.index(b)
}

// nameKey is equal for books whose title and authors are, to a reader who does
// not care about case and accents. No field has the separator in it.
func (f BookFields) nameKey() string {
	return Fold(strings.Join(append([]string{f.Title}, f.Authors...), "\n"))
}

// find returns the books that a row may be about. An identifier decides alone:
// one that nobody has asks for another copy. Text that is no ISBN decides
// nothing: the same text in two rows does not make them one book.
func (s *shelf) find(r ImportRow) []*shelved {
	isbn := provenISBN(r.ISBN)
	switch {
	case r.ID == "" && isbn != "":
		return s.byISBN[isbn]
	case r.ID == "":
		return s.byName[r.nameKey()]
	case s.byID[r.ID] != nil:
		return []*shelved{s.byID[r.ID]}
	default:
		return nil
	}
}

// place does with a row what is to be done with it.
func (s *shelf) place(r ImportRow, how ImportOptions, now time.Time) ImportResult {
	found := s.find(r)
	for _, b := range found {
		if len(r.differences(b.BookFields)) == 0 {
			return s.accept(b, r, ImportUnchanged)
		}
	}
	switch {
	case s.isCrowded(r):
		return unclear(*errCrowd, how)
	case len(found) > 1:
		return ambiguous(found, how)
	case len(found) == 0:
		b := &shelved{added: true, Book: Book{ID: orNewID(r.ID), BookFields: r.BookFields, Created: now, Version: newVersion()}}
		s.put(b)
		s.changedBytes += b.BookFields.size()
		return s.accept(b, r, ImportAdded)
	}
	b := found[0]
	if refusal := s.refuse(b, r, how); refusal != nil {
		return *refusal
	}
	s.replace(b, r.over(b.BookFields))
	return s.accept(b, r, ImportUpdated)
}

// isCrowded reports whether a row is to be found by a title that more books have
// than were looked at. One that is not found may be there, and more than one may
// be meant.
func (s *shelf) isCrowded(r ImportRow) bool {
	return r.ID == "" && provenISBN(r.ISBN) == "" && s.titles[TitleKey(r.Title)] > MaxAlike
}

// accept remembers what a row has said of the book.
func (s *shelf) accept(b *shelved, r ImportRow, outcome ImportOutcome) ImportResult {
	said := slices.Concat(s.said[b.ID], r.differences(BookFields{}))
	slices.Sort(said)
	s.said[b.ID] = slices.Compact(said)
	return ImportResult{Outcome: outcome, ID: b.ID}
}

// Why a row is not about a book as surely as it seems.
var (
	errContrary    = &Error{Kind: Conflict, Code: ErrBookAmbiguous.Code, Message: "An earlier book of this import is the same and says otherwise; keep one of them."}
	errCrowd       = &Error{Kind: Conflict, Code: ErrBookAmbiguous.Code, Message: fmt.Sprintf("More than %d books have this title, too many to compare; give an identifier or an ISBN.", MaxAlike)}
	errOtherNumber = &Error{Kind: Conflict, Code: ErrBookAmbiguous.Code, Message: "The book with this title and these authors has another ISBN; give the identifier of the book that is meant."}
)

// refuse is the outcome for a row that must not replace what is different, nil
// if it may. Rows that contradict each other would take turns for ever, each
// time the file is imported, and are likely to be about two books. So are a row
// and a book that have one name but two numbers.
func (s *shelf) refuse(b *shelved, r ImportRow, how ImportOptions) *ImportResult {
	names := r.differences(b.BookFields)
	contrary := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !slices.Contains(s.said[b.ID], name) })
	var why *Error
	switch {
	case len(contrary) > 0:
		why = withDetails(errContrary, contrary, CodeOtherThanRow, "is different there")
	case r.ID == "" && b.ISBN != "" && slices.Contains(names, "isbn"):
		why = withDetails(errOtherNumber, []string{"isbn"}, CodeOtherThanLibrary, "is different in the library")
	case !how.Update:
		why = withDetails(ErrBookDiffers, names, CodeOtherThanLibrary, "is different in the library")
	default:
		return nil
	}
	out := unclear(*why, how)
	if !how.Update {
		out.ID = b.ID
	}
	return &out
}

// changes is what is to be written: each book once, however many rows were
// about it.
func (s *shelf) changes() (added, changed []Book) {
	for _, b := range s.books {
		switch {
		case b.added:
			added = append(added, b.Book)
		case b.changed:
			changed = append(changed, b.Book)
		}
	}
	return added, changed
}

// size is how much text there is, and a little for what each book costs besides.
func (f BookFields) size() int {
	const besides = 100
	n := besides + len(f.Title) + len(f.ISBN) + len(f.Description)
	for _, author := range f.Authors {
		n += len(author)
	}
	return n
}

// differences names the fields that are given and say something else.
func (f BookFields) differences(from BookFields) (names []string) {
	if f.Title != from.Title {
		names = append(names, "title")
	}
	if f.ISBN != "" && !sameISBN(f.ISBN, from.ISBN) {
		names = append(names, "isbn")
	}
	if f.Description != "" && f.Description != from.Description {
		names = append(names, "description")
	}
	if len(f.Authors) > 0 && !slices.Equal(f.Authors, from.Authors) {
		names = append(names, "authors")
	}
	return names
}

// over puts what is given and different in the place of what was.
func (f BookFields) over(old BookFields) BookFields {
	for _, name := range f.differences(old) {
		switch name {
		case "title":
			old.Title = f.Title
		case "isbn":
			old.ISBN = f.ISBN
		case "description":
			old.Description = f.Description
		case "authors":
			old.Authors = f.Authors
		}
	}
	return old
}

// withDetails is an error that says the same of each of some fields.
func withDetails(err *Error, names []string, code DetailCode, message string) *Error {
	e := *err
	for _, name := range names {
		e.Details = append(e.Details, Detail{Field: name, Code: code, Message: message})
	}
	return &e
}

// ambiguous is the outcome for a row that may be about several books and is
// equal to none. There is no telling which one to update.
func ambiguous(found []*shelved, how ImportOptions) ImportResult {
	const named = 10 // books; more help nobody
	e := *ErrBookAmbiguous
	for _, b := range found[:min(len(found), named)] {
		if !how.DryRun || !b.added {
			e.Details = append(e.Details, Detail{Field: "identifier", Code: CodeCandidate, Message: "may be " + b.ID})
		}
	}
	return unclear(e, how)
}

// unclear is the outcome for a row of which nobody can tell what it is about.
func unclear(e Error, how ImportOptions) ImportResult {
	if how.Update {
		return ImportResult{Outcome: ImportInvalid, Err: &e}
	}
	e.Code = ErrBookDiffers.Code
	return ImportResult{Outcome: ImportDiffers, Err: &e}
}
