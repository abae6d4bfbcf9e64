// Package pagination reads lists of any length: a page of them, or all. A [Pager]
// says how one list is read, [Read] reads it.
//
// A long list is read in batches. Between two of them nothing of the database is in
// use, so a slow client delays nobody. A batch is bounded by the memory of
// its records, so that a thousand slow clients do not fill it with long records.
package pagination

import (
	"fmt"
	"iter"
	"slices"
)

const (
	firstBatch = 32
	largeBatch = 250
	// BatchBytes is about how many bytes the records of a batch take in memory.
	BatchBytes = 64 << 10

	// A page of few short records is read at once. Of any other page
	// the identifiers are read at once, and its records in batches.
	smallPage = 100
	pageBytes = 256 << 10
)

// List is an answer of any length. Its records are read while All is ranged over; an error ends the sequence.
type List[T any] struct {
	Total   int    // how many records match, on all pages
	AtLeast bool   // more than Total match; nobody has counted them
	Next    string // the cursor of the next page, "" on the last one
	All     iter.Seq2[T, error]
}

// Pager reads one list of records T at places C.
type Pager[T any, C fmt.Stringer] struct {
	Limit int // records on the page; 0 for all there are
	After *C  // where the page begins; nil for the beginning of the list
	Count func() (int, error)
	// Read reads up to limit records after a place. It may stop at the record that makes them maxBytes long.
	Read func(limit, maxBytes int, after *C) ([]T, error)
	// ReadKeys and ReadIDs are nil where every page is read at once. The one reads records with the fields of a cursor
	// alone, the other the records of identifiers, and may leave out some at the end.
	ReadKeys func(limit int, after *C) ([]T, error)
	ReadIDs  func(ids []string) ([]T, error)
	// Ahead is how many records of a whole list are found at once, by ReadKeys; 0 where each batch is found by itself.
	Ahead  int
	ID     func(T) string
	Show   func(T) T
	Bytes  func(T) int // about how many the record takes in memory
	Cursor func(T) C
}

// Read finds the records of the page, or begins to read all.
func Read[T any, C fmt.Stringer](p Pager[T, C]) (List[T], error) {
	total, err := p.Count()
	if err != nil {
		return List[T]{}, err
	}
	l := List[T]{Total: total}
	if p.Limit > 0 {
		err = p.page(&l)
		return l, err
	}
	if p.Ahead > 0 {
		keys, err := p.ReadKeys(p.Ahead, p.After)
		l.All = p.walkAhead(keys)
		return l, err
	}
	first, err := p.Read(firstBatch, BatchBytes, p.After)
	l.All = p.walk(first, firstBatch)
	return l, err
}

// page finds the records of a page. It asks for one more, to see whether there is a next page.
func (p Pager[T, C]) page(l *List[T]) error {
	if p.ReadKeys == nil || p.Limit <= smallPage {
		records, err := p.Read(p.Limit+1, pageBytes, p.After)
		if err != nil {
			return err
		}
		if p.ReadKeys == nil || p.bytes(records) < pageBytes {
			records = p.cut(records, l)
			l.All = func(yield func(T, error) bool) { p.hand(records, yield) }
			return nil
		}
	}
	keys, err := p.ReadKeys(p.Limit+1, p.After)
	if err != nil {
		return err
	}
	keys = p.cut(keys, l)
	l.All = p.walkIDs(p.ids(keys))
	return nil
}

func (p Pager[T, C]) ids(keys []T) []string {
	ids := make([]string, len(keys))
	for i, k := range keys {
		ids[i] = p.ID(k)
	}
	return ids
}

// walkAhead hands out the records with these keys, and then finds the next ones, until there are no more.
func (p Pager[T, C]) walkAhead(keys []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for keys := keys; len(keys) > 0; {
			for r, err := range p.walkIDs(p.ids(keys)) {
				if !yield(r, err) || err != nil {
					return
				}
			}
			if len(keys) < p.Ahead {
				return
			}
			last := p.Cursor(keys[len(keys)-1])
			var err error
			if keys, err = p.ReadKeys(p.Ahead, &last); err != nil {
				yield(*new(T), err)
				return
			}
		}
	}
}

// cut cuts off the next page.
func (p Pager[T, C]) cut(records []T, l *List[T]) []T {
	if len(records) <= p.Limit {
		return records
	}
	l.Next = p.Cursor(records[p.Limit-1]).String()
	return records[:p.Limit]
}

// hand hands out records. It reports false when the caller has stopped reading.
func (p Pager[T, C]) hand(records []T, yield func(T, error) bool) bool {
	for _, r := range records {
		if !yield(p.Show(r), nil) {
			return false
		}
	}
	return true
}

// walk hands out the records and reads on after the last one until there are no more.
func (p Pager[T, C]) walk(records []T, asked int) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for records, asked := records, asked; len(records) > 0; {
			if !p.hand(records, yield) {
				return
			}
			if len(records) < asked && p.bytes(records) < BatchBytes {
				return
			}
			last := p.Cursor(records[len(records)-1])
			asked = p.nextBatch(records)
			var err error
			if records, err = p.Read(asked, BatchBytes, &last); err != nil {
				yield(*new(T), err)
				return
			}
		}
	}
}

// walkIDs hands out the records with the identifiers, without the ones removed meanwhile.
func (p Pager[T, C]) walkIDs(ids []string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		asked := firstBatch
		for ids := ids; len(ids) > 0; {
			asked = min(asked, len(ids))
			records, err := p.ReadIDs(ids[:asked])
			if err != nil {
				yield(*new(T), err)
				return
			}
			if !p.hand(records, yield) {
				return
			}
			if p.bytes(records) < BatchBytes {
				ids = ids[asked:]
			} else {
				ids = ids[slices.Index(ids, p.ID(records[len(records)-1]))+1:]
			}
			asked = p.nextBatch(records)
		}
	}
}

// nextBatch is how many records like these make a batch of the right size.
func (p Pager[T, C]) nextBatch(records []T) int {
	if len(records) == 0 {
		return firstBatch
	}
	return min(max(BatchBytes*len(records)/(p.bytes(records)+1), 1), largeBatch)
}

func (p Pager[T, C]) bytes(records []T) (sum int) {
	for _, r := range records {
		sum += p.Bytes(r)
	}
	return sum
}
