package sqlstore

import (
	"context"
	"database/sql"
	"errors"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// Both pictures are in one record, the small one first: SQLite reads a record up to the
// column that is asked for. Which books have a cover is in a column of books, so that lists
// need not look here.

// coverColumns are where the pictures are.
var coverColumns = map[library.CoverSize]string{library.LargeCover: "large", library.SmallCover: "small"}

// Cover returns a picture of a book's cover.
func (s *Store) Cover(ctx context.Context, bookID string, size library.CoverSize, have string) (library.Cover, error) {
	var version sql.NullString
	found, err := engine.ReadOne(ctx, s.db, "read cover", func(r engine.Row) (c library.Cover, err error) {
		err = r.Scan(&version, &c.JPEG)
		c.Version = version.String
		return c, err
	}, `SELECT c.version, CASE WHEN c.version <> $2 THEN c.`+coverColumns[size]+` END
		FROM books b LEFT JOIN covers c ON c.book = b.seq WHERE b.id = $1`, bookID, have)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return library.Cover{}, library.ErrBookNotFound
	case err != nil:
		return library.Cover{}, err
	case !version.Valid:
		return library.Cover{}, library.ErrNoCover
	}
	return found, nil
}

// SetCover replaces the cover of a book.
func (t *tx) SetCover(ctx context.Context, b library.Book, pictures library.CoverPictures) error {
	return t.editCover(ctx, b, `INSERT INTO covers (book, version, small, large) SELECT seq, $2, $3, $4 FROM books WHERE id = $1
		ON CONFLICT (book) DO UPDATE SET version = excluded.version, small = excluded.small, large = excluded.large`,
		b.ID, b.Cover, pictures.Small, pictures.Large)
}

// RemoveCover takes the cover away from a book.
func (t *tx) RemoveCover(ctx context.Context, b library.Book) error {
	return t.editCover(ctx, b, `DELETE FROM covers WHERE book = (SELECT seq FROM books WHERE id = $1)`, b.ID)
}

func (t *tx) editCover(ctx context.Context, b library.Book, statement string, args ...any) error {
	const doing = "change cover"
	before, err := t.before(ctx, b.ID)
	if err != nil {
		return err
	}
	result, err := t.sql.ExecContext(ctx, `UPDATE books SET version = $2, cover = $3 WHERE id = $1`, b.ID, b.Version, b.Cover)
	if err == nil {
		err = expectOne(result, library.ErrBookNotFound)
	}
	if err == nil {
		_, err = t.sql.ExecContext(ctx, statement, args...)
	}
	was := before[b.ID]
	t.changes.bookEdited(b.ID, was)
	return t.dialect.Error(ctx, doing, err)
}
