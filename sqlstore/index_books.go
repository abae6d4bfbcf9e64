package sqlstore

import (
	"context"
	"slices"
	"strings"
	"time"

	"example.org/library"
	"example.org/library/sqlstore/engine"
	"example.org/library/sqlstore/finding"
)

// A program of another version may write a book, and know nothing of some columns with its
// words. It leaves words_of as it was, so that the row can be seen to be out of date.

const (
	indexAtOnce = 200             // books in a transaction
	indexFor    = 5 * time.Second // in a run
)

// indexColumns are those with the words, and the identifier.
var indexColumns = func() (columns []bookColumn) {
	of := []string{"id", "series_key", "subject_keys", "search_words", "author_words", "title_rank", "rank_words", "words_of"}
	for _, c := range bookColumnList {
		if slices.Contains(of, c.Name) {
			columns = append(columns, c)
		}
	}
	return columns
}()

var (
	indexTable   = rowColumns(indexColumns)
	indexMembers = membersOf(indexColumns)
	indexBooks   = `UPDATE books SET ` + indexAssignments() + ` FROM `
)

// IndexBooks makes the words of books anew that are out of date.
func (s *Store) IndexBooks(ctx context.Context) error {
	for began := time.Now(); time.Since(began) < indexFor; {
		books, err := engine.Collect(ctx, s.db.Direct(), "look for books to index", scanBookOnly,
			`SELECT `+bookOnlyColumns+` FROM books b WHERE b.words_of <> b.version ORDER BY b.seq LIMIT $1`, indexAtOnce)
		if err != nil || len(books) == 0 {
			return err
		}
		if err := s.inTx(ctx, func(t *tx) error { return t.indexBooks(ctx, books) }); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) indexBooks(ctx context.Context, books []library.Book) error {
	ids := idsOf(books)
	before, err := t.before(ctx, ids...)
	if err != nil {
		return err
	}
	unchanged, err := t.unchanged(ctx, books, ids)
	if err != nil || len(unchanged) == 0 {
		return err
	}
	t.changes.everything = true // the order of lists
	_, err = t.sql.ExecContext(ctx, indexBooks+t.dialect.Rows(indexTable)+` WHERE books.id = r.id`, formatRows(unchanged, indexColumns, indexMembers))
	for _, b := range unchanged {
		if was, is := before[b.ID], finding.EntryOf(b); was.Entry != is {
			t.changes.bookEdited(b.ID, was, is)
		}
	}
	if err != nil {
		return t.dialect.Error(ctx, "index books", err)
	}
	return t.words.Learn(ctx, unchanged...)
}

// unchanged are the books that were not edited since they were read.
func (t *tx) unchanged(ctx context.Context, books []library.Book, ids []string) (same []library.Book, err error) {
	versions := make(map[string]string, len(ids))
	err = t.sql.Read(ctx, engine.Reading{Doing: "read versions", Text: `SELECT id, version FROM books WHERE id ` + t.dialect.Among("$1"),
		Args: []any{t.dialect.List(ids)}, Scan: engine.Each(func(r engine.Row) error {
			var id, version string
			err := r.Scan(&id, &version)
			versions[id] = version
			return err
		})})
	for _, b := range books {
		if versions[b.ID] == b.Version {
			same = append(same, b)
		}
	}
	return same, err
}

func indexAssignments() string {
	all := make([]string, len(indexColumns)-1)
	for i, c := range indexColumns[1:] {
		all[i] = c.Name + ` = ` + ofRow(i, c.Name)
	}
	return strings.Join(all, `, `)
}
