package finding

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"example.org/library/sqlstore/engine"
)

// maxEditedTitles is how many titles may have been edited since: each page looks at all.
const maxEditedTitles = 2000

// rangesOf is where words are, nil if that is not known of all.
func (c *Catalogue) rangesOf(ctx context.Context, words []string) (*titleRanges, error) {
	var a engine.Arguments
	t := titleRanges{}
	edited, isUnknown := 0, false
	err := c.db.Read(ctx, engine.Reading{Doing: "read where words are", Text: `SELECT t.made, w.word, w.ranges, w.classes,
		(SELECT count(*) FROM (SELECT 1 FROM edited_titles LIMIT ` + a.Add(maxEditedTitles+1) + `) AS e)
		FROM title_ranges t CROSS JOIN range_words w WHERE w.word ` + c.dialect.Among(a.Add(c.dialect.List(words))), Args: a,
		Scan: func(rows engine.Records) error {
			t.words, t.classes = nil, make(map[string][]byte) // the statement may be run again
			return engine.Each(func(r engine.Row) error {
				var word string
				var counts, classes []byte
				err := r.Scan(&t.made, &word, &counts, &classes, &edited)
				t.words = append(t.words, counts)
				if t.classes[word] = classes; len(classes) < len(counts) {
					isUnknown = true
				}
				return err
			})(rows)
		}})
	if err != nil || len(t.words) < len(words) || edited > maxEditedTitles {
		return nil, err
	}
	known := c.ranges.known(t.made)
	if known == nil {
		if known, err = c.readRanges(ctx); known == nil || err != nil || known.made != t.made {
			return nil, err
		}
	}
	if t.ranges = known.ranges; isUnknown {
		t.classes = nil
	}
	return &t, nil
}

// readRanges reads the division of the titles, nil if there is none.
func (c *Catalogue) readRanges(ctx context.Context) (*titleRanges, error) {
	t, err := engine.ReadOne(ctx, c.db, "read the ranges of titles", func(r engine.Row) (t titleRanges, err error) {
		var text string
		if err := r.Scan(&t.made, &text); err != nil {
			return t, err
		}
		return t, json.Unmarshal([]byte(text), &t.ranges)
	}, `SELECT made, ranges FROM title_ranges`)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c.ranges.keep(&t)
	return &t, nil
}

// knownRanges is the division of the titles that was read last.
type knownRanges struct {
	mu   sync.Mutex
	last *titleRanges
	rest time.Time // until then they are not made anew; for the one who makes them
}

func (k *knownRanges) known(made string) *titleRanges {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.last == nil || k.last.made != made {
		return nil
	}
	return k.last
}

func (k *knownRanges) keep(t *titleRanges) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last = t
}

// countedWord is how many books have the only word of a query, as they were counted when the
// titles were divided; a count that cannot be corrected if that is not known.
func (c *Catalogue) countedWord(ctx context.Context, q bookQuery) (count, error) {
	words, ok := plainWords(q)
	if !ok || len(words) != 1 {
		return count{}, nil
	}
	known, err := engine.ReadOne(ctx, c.db, "read a count", func(r engine.Row) (known count, err error) {
		err = r.Scan(&known.matching, &known.edits)
		return known, err
	}, `SELECT w.books, t.edits FROM range_words w CROSS JOIN title_ranges t WHERE w.word = $1`, words[0])
	if errors.Is(err, sql.ErrNoRows) {
		return count{}, nil
	}
	return known, err
}
