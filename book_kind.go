package library

import (
	"cmp"
	"slices"

	"example.org/library/internal/validation"
)

// The kinds of books.
const (
	KindBook     = "book" // where nothing else is said
	KindAudio    = "audio"
	KindFilm     = "film"
	KindGame     = "game"
	KindMagazine = "magazine"
	KindMap      = "map"
	KindMusic    = "music"
	KindDevice   = "device"
	KindOther    = "other"
)

// BookKinds lists the kinds of books.
var BookKinds = []string{KindBook, KindAudio, KindFilm, KindGame, KindMagazine, KindMap, KindMusic, KindDevice, KindOther}

// kind checks the kind of a book; "" is none.
func (p *problems) kind(value string) {
	if value != "" && !slices.Contains(BookKinds, value) {
		p.Add(validation.UnknownValue("kind", BookKinds))
	}
}

// Complete returns the fields of a whole book: one without a kind is a KindBook.
func (f BookFields) Complete() BookFields {
	f.Kind = cmp.Or(f.Kind, KindBook)
	return f
}
