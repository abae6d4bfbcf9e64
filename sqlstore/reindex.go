package sqlstore

import (
	"context"
	"time"

	"example.org/library"
	"example.org/library/sqlstore/engine"
	"example.org/library/sqlstore/finding"
)

// searchIndexVersion is raised when fulltext.Index makes other words.
const searchIndexVersion = 1

const (
	reindexBatch   = 200 // rows in a transaction
	reindexTimeout = time.Minute
)

// reindex makes the words anew that are searched for, if they were made by other rules.
// Only words beyond ASCII can differ. If it is broken off, the next program that
// starts begins again; two at the same time do the same.
func (s *Store) reindex(ctx context.Context) error {
	ctx = library.WithStoreTimeout(ctx, reindexTimeout)
	version, err := engine.ReadOne(ctx, s.db.Direct(), "read the version of the search index", engine.ScanNumber, `SELECT max(version) FROM search_index`)
	if err != nil || version >= searchIndexVersion {
		return err
	}
	for _, of := range []func(context.Context, *Store, string) (string, error){reindexBooks, reindexUsers} {
		for last := ""; ; {
			next, err := of(ctx, s, last)
			if err != nil {
				return err
			}
			if next == "" {
				break
			}
			last = next
		}
	}
	_, err = s.db.Direct().ExecContext(ctx, `UPDATE search_index SET version = $1`, searchIndexVersion)
	return s.dialect.Error(ctx, "note the version of the search index", err)
}

// indexed is a row with the words that are searched for.
type indexed struct {
	id, old       string
	words, author string // author is for books alone
}

// reindexBooks makes the words of some books anew, and returns the last; "" after all.
func reindexBooks(ctx context.Context, s *Store, after string) (string, error) {
	rows, err := engine.Collect(ctx, s.db.Direct(), "read books to index", func(record engine.Row) (i indexed, err error) {
		var r bookRow
		if err := record.Scan(r.dest(&i.old)...); err != nil {
			return i, err
		}
		b, err := r.book()
		i.id, i.words, i.author = b.ID, engine.JoinWords(b.SearchWords()), engine.JoinWords(b.AuthorWords())
		return i, err
	}, `SELECT `+bookOnlyColumns+`, b.search_words FROM books b
		WHERE b.id > $1 AND length(b.search_words) < octet_length(b.search_words) ORDER BY b.id LIMIT $2`, after, reindexBatch)
	if err != nil {
		return "", err
	}
	return s.saveWords(ctx, rows, func(t *tx, i indexed) error {
		before, err := t.before(ctx, i.id)
		was := before[i.id]
		if err != nil || was.SearchWords != i.old {
			return err
		}
		t.changes.bookEdited(i.id, was, finding.Entry{SearchWords: i.words, AuthorWords: i.author, Facets: was.Facets})
		_, err = t.sql.ExecContext(ctx, `UPDATE books SET search_words = $2, author_words = $3 WHERE id = $1`, i.id, i.words, i.author)
		return err
	})
}

// reindexUsers does the same for users.
func reindexUsers(ctx context.Context, s *Store, after string) (string, error) {
	rows, err := engine.Collect(ctx, s.db.Direct(), "read users to index", func(record engine.Row) (i indexed, err error) {
		var u library.User
		err = record.Scan(&u.ID, &u.FirstName, &u.LastName, &u.Email, &i.old)
		i.id, i.words = u.ID, engine.JoinWords(u.SearchWords())
		return i, err
	}, `SELECT id, first_name, last_name, email, search_words FROM users
		WHERE id > $1 AND length(search_words) < octet_length(search_words) ORDER BY id LIMIT $2`, after, reindexBatch)
	if err != nil {
		return "", err
	}
	return s.saveWords(ctx, rows, func(t *tx, i indexed) error {
		t.changes.everything = true
		_, err := t.sql.ExecContext(ctx, `UPDATE users SET search_words = $3 WHERE id = $1 AND search_words = $2`, i.id, i.old, i.words)
		return err
	})
}

// saveWords writes the words that have changed, unless somebody has edited the row since.
func (s *Store) saveWords(ctx context.Context, rows []indexed, save func(*tx, indexed) error) (last string, err error) {
	if len(rows) == 0 {
		return "", nil
	}
	err = s.inTx(ctx, func(t *tx) error {
		for _, i := range rows {
			if i.words == i.old {
				continue
			}
			if err := save(t, i); err != nil {
				return s.dialect.Error(ctx, "index", err)
			}
		}
		return nil
	})
	return rows[len(rows)-1].id, err
}
