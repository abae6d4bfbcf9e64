package finding

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// division says how the titles are divided.
type division struct {
	from      int // books; a smaller library is fast without
	rangeSize int // books of a range
	maxRanges int
	samples   int // of sampleSize books each, in which common words are found
	minHits   int // of the sample, from which on a word is common
	maxWords  int

	facetBooks int // from which on the facets of a word are counted
	facetWords int // whose facets are counted, the most common ones
	subjects   int // that are counted, the most common ones
}

// A word is common if about one in a thousand books has it: rarer ones are found and sorted
// in little time.
var usualDivision = division{from: sampleFrom, rangeSize: 256, maxRanges: 4096, samples: 64, minHits: 16, maxWords: 4096,
	facetBooks: 1000, facetWords: 768, subjects: 4096}

const (
	divideTimeout = 5 * time.Minute
	// After as many edits the titles are divided anew, long before the edits are lost by
	// which counts are corrected. No more than this share of the time is spent on it.
	maxEditsOfRanges = 200
	restFromDividing = 3
	deleteTitles     = 10_000 // in a transaction
	rangesAtOnce     = 128    // in a statement
)

// DivideTitles finds out where in the order of the titles the common words are, if it is not
// known or too much was edited since.
func (c *Catalogue) DivideTitles(ctx context.Context) error {
	if due, err := c.isDivisionDue(ctx); !due || err != nil || time.Now().Before(c.ranges.rest) {
		return err
	}
	began := time.Now()
	defer func() { c.ranges.rest = time.Now().Add(restFromDividing * time.Since(began)) }()
	return c.divide(library.WithStoreTimeout(ctx, divideTimeout), usualDivision)
}

// isDivisionDue asks how much was edited, and whether counts can still be corrected if
// they ever could.
func (c *Catalogue) isDivisionDue(ctx context.Context) (bool, error) {
	edits, err := engine.ReadOne(ctx, c.db, "look at the ranges of titles", engine.ScanText, `SELECT edits FROM title_ranges`)
	isMissing := errors.Is(err, sql.ErrNoRows)
	if err != nil && !isMissing {
		return false, err
	}
	a := engine.Arguments{maxEditsOfRanges}
	due := `(SELECT count(*) FROM edited_titles) > $1`
	switch {
	case isMissing: // in a small library so is nothing
		due += ` OR (SELECT count(*) FROM stock) >= ` + a.Add(usualDivision.from)
	case edits != "":
		isAfter, areComplete := c.dialect.EditsAfter(a.Add(edits))
		due += ` OR coalesce(octet_length((SELECT classes FROM range_words WHERE word <> '' LIMIT 1)), 1) = 0 AND NOT EXISTS (SELECT 1 FROM books WHERE words_of <> version)
			OR NOT (` + areComplete + `) OR EXISTS (SELECT 1 FROM book_edits e WHERE e.delta = 0 AND ` + isAfter + `)
			OR (SELECT count(*) FROM book_edits e WHERE ` + isAfter + `) > $1`
	}
	return engine.ReadOne(ctx, c.db, "look at edits", engine.ScanBool, `SELECT `+due, a...)
}

// divide makes the ranges and counts the books of the common words in each.
//
// Which edited titles are known comes first: what they say is in all that is read later.
// What is edited meanwhile stays among them.
func (c *Catalogue) divide(ctx context.Context, how division) error {
	edited, err := engine.ReadOne(ctx, c.db, "look at the edited titles", engine.ScanText, c.dialect.TitleMark)
	if err != nil {
		return err
	}
	d, err := c.sampleTitles(ctx, how)
	if err != nil {
		return err
	}
	if err := d.scan(ctx, c); err != nil {
		return err
	}
	if err := c.saveRepeatedTitles(ctx, d.made); err != nil {
		return err
	}
	if err := c.saveDivision(ctx, d); err != nil {
		return err
	}
	if err := c.dropRepeatedTitles(ctx, d.made); err != nil {
		return err
	}
	if err := c.deleteEditedTitles(ctx, edited); err != nil {
		return err
	}
	c.vacuum(ctx, "edited_titles", "repeated_titles", "range_words", "title_ranges")
	return nil
}

// dividing is a division while it is made.
type dividing struct {
	made   string // names it
	ranges []titleRange
	words  map[string]*wordTally
	edits  string // see Dialect.EditMark
	stale  bool   // the words of a book were not up to date
	facets facetScan
}

// wordTally counts the books that have a word, or a longer one.
type wordTally struct {
	books  int
	last   int // number of the book that was counted last
	ranked int // number of the book whose class was found last
	ranges []byte
	// classes has the classBits of each range.
	classes []byte

	wantsFacets bool
	facets      []uint32 // how many books have each value of the facetScan
}

// sampled is a book of a sample.
type sampled struct{ title, words string }

// sampleTitles finds the common words, and titles that divide the library into equal
// parts, in a sample. In a small library nothing is common.
func (c *Catalogue) sampleTitles(ctx context.Context, how division) (*dividing, error) {
	d := &dividing{made: library.NewID(), ranges: []titleRange{{}}, words: make(map[string]*wordTally)}
	total, err := engine.ReadOne(ctx, c.db, "count books", engine.ScanNumber, `SELECT count(*) FROM stock`)
	if total < how.from || err != nil {
		return d, err
	}
	var books []sampled
	for range how.samples {
		some, err := readSample(ctx, c, 1, "title_key, search_words", func(r engine.Row) (b sampled, err error) {
			err = r.Scan(&b.title, &b.words)
			return b, err
		})
		if err != nil {
			return nil, err
		}
		books = append(books, some...)
	}
	slices.SortFunc(books, func(a, b sampled) int { return strings.Compare(a.title, b.title) })
	n := min(max(total/how.rangeSize, 1), how.maxRanges, len(books))
	for i := 1; i < n; i++ {
		if start := books[i*len(books)/n].title; start > d.ranges[len(d.ranges)-1].Start {
			d.ranges = append(d.ranges, titleRange{Start: start})
		}
	}
	if d.takeCommon(books, total, how) {
		d.facets.common, err = c.commonSubjects(ctx, how.subjects)
	}
	return d, err
}

// beginnings calls fn with everything that a word begins with, the shortest first and the
// word last, until fn returns false.
func beginnings(words string, fn func(word string) bool) {
	for word := range strings.SplitSeq(words, " ") {
		goOn := word != ""
		for end := range word {
			if goOn = goOn && (end == 0 || fn(word[:end])); !goOn {
				break
			}
		}
		if goOn {
			fn(word)
		}
	}
}

// takeCommon takes the common words of a sample. With a word comes all that it begins
// with, which is at least as common. It reports whether any wants its facets counted.
func (d *dividing) takeCommon(books []sampled, total int, how division) (wantFacets bool) {
	type hits struct{ n, last int } // last is the book that was counted last, from 1 on
	all := make(map[string]hits)
	for i, b := range books {
		beginnings(b.words, func(word string) bool {
			if h := all[word]; h.last != i+1 {
				all[word] = hits{h.n + 1, i + 1}
			}
			return true
		})
	}
	byHits := make(map[int][]string)
	for word, h := range all {
		if h.n >= how.minHits {
			byHits[h.n] = append(byHits[h.n], strings.Clone(word))
		}
	}
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(byHits))) {
		if len(d.words)+len(byHits[n]) > how.maxWords {
			return wantFacets
		}
		wantsFacets := len(d.words)+len(byHits[n]) <= how.facetWords && n*total >= how.facetBooks*len(books)
		wantFacets = wantFacets || wantsFacets
		for _, word := range byHits[n] {
			d.words[word] = &wordTally{wantsFacets: wantsFacets}
		}
	}
	return wantFacets
}

// scan counts all books, in one statement, so that it is about one state of the library.
func (d *dividing) scan(ctx context.Context, c *Catalogue) error {
	return c.db.Read(ctx, engine.Reading{Doing: "count words", Text: `WITH mark AS MATERIALIZED (SELECT ` + c.dialect.EditMark + ` AS edits)
		SELECT true, true, edits, '', '', '', '', 0, '[]', '' FROM mark
		UNION ALL SELECT false, words_of = version, title_key, search_words, title_rank, rank_words, language, published, subjects, subject_keys FROM books`, Scan: func(rows engine.Records) error {
		d.begin() // the statement may be run again
		for book := 0; rows.Next(); book++ {
			var isMark, isCurrent bool
			var title string
			var words bookWords
			var language, keys string
			var published int
			var subjects []byte
			if err := rows.Scan(&isMark, &isCurrent, &title, &words.all, &words.title, &words.ranked, &language, &published, &subjects, &keys); err != nil {
				return err
			}
			if isMark {
				d.edits = title
				continue
			}
			if err := d.facets.readBook(language, published, subjects, keys); err != nil {
				return err
			}
			d.stale = d.stale || !isCurrent
			d.count(book, words, d.rangeOf(title))
		}
		return rows.Err()
	}})
}

// begin forgets what was counted.
func (d *dividing) begin() {
	d.stale = false
	for i := range d.ranges {
		d.ranges[i].Books = 0
	}
	for _, tally := range d.words {
		*tally = wordTally{last: -1, ranked: -1, ranges: make([]byte, len(d.ranges)), classes: make([]byte, len(d.ranges)), wantsFacets: tally.wantsFacets}
	}
	d.facets.begin()
}

// rangeOf is the number of the range that a title_key is in.
func (d *dividing) rangeOf(title string) int {
	i, starts := slices.BinarySearchFunc(d.ranges, title, func(r titleRange, title string) int { return strings.Compare(r.Start, title) })
	if starts {
		return i
	}
	return i - 1
}
