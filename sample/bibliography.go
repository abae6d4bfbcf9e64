package sample

import (
	"cmp"
	"context"

	"example.org/library"
)

// bibliography has more fields for the books of the demonstration, so it has facets, series and decades to show.
func bibliography() map[string]library.BookFields {
	const (
		professional = "Addison-Wesley Professional Computing Series"
		classics     = "Penguin Classics"
	)
	return map[string]library.BookFields{
		idCleanCode:      {Publisher: "Prentice Hall", Published: 2008, Language: "en", Subjects: []string{"Programming", "Software engineering"}},
		idDesignPatterns: {Subtitle: "Elements of Reusable Object-Oriented Software", Publisher: "Addison-Wesley", Series: professional, Published: 1994, Language: "en", Subjects: []string{"Programming", "Software engineering"}},
		idGo:             {Publisher: "Addison-Wesley", Series: professional, Published: 2015, Language: "en", Subjects: []string{"Programming", "Programming languages"}},
		idC:              {Publisher: "Prentice Hall", Published: 1988, Language: "en", Subjects: []string{"Programming", "Programming languages"}},
		idManMonth:       {Subtitle: "Essays on Software Engineering", Publisher: "Addison-Wesley", Published: 1995, Language: "en", Subjects: []string{"Software engineering", "Management"}},
		idOAuth:          {Publisher: "Manning", Published: 2017, Language: "en", Subjects: []string{"Programming", "Security"}},
		idDataIntensive:  {Publisher: "O'Reilly", Published: 2017, Language: "en", Subjects: []string{"Databases", "Software engineering"}},
		idHomoFaber:      {Subtitle: "Ein Bericht", Publisher: "Suhrkamp", Series: "suhrkamp taschenbuch", Volume: "354", Published: 1977, Language: "de", Subjects: []string{"Novels"}},
		idEtranger:       {Publisher: "Gallimard", Series: "Folio", Volume: "2", Published: 1971, Language: "fr", Subjects: []string{"Novels"}},
		idPride:          {Publisher: "Penguin", Series: classics, Published: 2002, Language: "en", Subjects: []string{"Novels", "Love"}},
		idFrankenstein:   {Subtitle: "Or, the Modern Prometheus", Publisher: "Penguin", Series: classics, Published: 2003, Language: "en", Subjects: []string{"Novels", "Horror"}},
		idDracula:        {Publisher: "Penguin", Series: classics, Published: 2003, Language: "en", Subjects: []string{"Novels", "Horror"}},
		idJaneEyre:       {Publisher: "Penguin", Series: classics, Published: 2006, Language: "en", Subjects: []string{"Novels", "Love"}},
		idMobyDick:       {Subtitle: "Or, the Whale", Publisher: "Penguin", Series: classics, Published: 2003, Language: "en", Subjects: []string{"Novels", "Sea"}},
		idPetitPrince:    {Publisher: "Gallimard", Published: 2007, Language: "fr", Subjects: []string{"Children's books", "Novels"}},
		idProcess:        {Publisher: "Reclam", Series: "Reclams Universal-Bibliothek", Volume: "9676", Published: 1995, Language: "de", Subjects: []string{"Novels"}},
	}
}

// addDescribed adds a book of the demonstration with its bibliography, and its drawn cover, if any.
func addDescribed(ctx context.Context, tx library.Tx, b library.Book) error {
	more := bibliography()[b.ID]
	more.ISBN, more.Title, more.Description, more.Authors = b.ISBN, b.Title, b.Description, b.Authors
	b.BookFields = more.Complete()
	if err := tx.AddBook(ctx, b); err != nil {
		return err
	}
	colours, drawn := covers[b.ID]
	if !drawn {
		return nil
	}
	pictures, err := draw(colours)
	b.Version = library.NewVersion()
	b.Cover = b.Version
	return cmp.Or(err, tx.SetCover(ctx, b, pictures))
}
