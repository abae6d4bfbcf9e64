package library

import (
	"iter"
	"slices"
)

// A long list is read in batches. Between two of them nothing of the database
// is in use, so a slow reader delays nobody. A batch is bounded by the bytes that
// its records take in memory, so that a thousand slow readers of a list of long
// books do not fill it.
const (
	firstBatch  = 32
	largeBatch  = 250
	batchWeight = 64 << 10 // bytes

	// A page of few records that weigh little is read at once. Of any other page
	// the identifiers are read at once, and its records in batches.
	smallPage  = 100
	pageWeight = 256 << 10
)

// MaxPage is the largest page that a caller may ask for.
const MaxPage = 1000

// List is an answer of any length. Its records are read while All is ranged
// over; an error ends the sequence.
type List[T any] struct {
	Total int    // how many records match, on all pages
	Next  string // the cursor of the next page, "" on the last one
	All   iter.Seq2[T, error]
}

// pager knows how to walk one list.
type pager[T any] struct {
	limit int
	count func() (int, error)
	// read reads up to limit records after a place. It may stop at the record
	// with which they weigh as much as is said.
	read func(limit, weight int, after *Cursor) ([]T, error)
	// brief and among are nil where every page is read at once. The one reads
	// records with no more in them than a cursor needs, the other those with the
	// identifiers, of which it may leave out some at the end.
	brief  func(limit int) ([]T, error)
	among  func(ids []string) ([]T, error)
	id     func(T) string
	show   func(T) T
	weigh  func(T) int
	cursor func(T) Cursor
}

func list[T any](p pager[T]) (List[T], error) {
	total, err := p.count()
	if err != nil {
		return List[T]{}, err
	}
	l := List[T]{Total: total}
	if p.limit > 0 {
		err = p.page(&l)
		return l, err
	}
	first, err := p.read(firstBatch, batchWeight, nil)
	l.All = p.walk(first, firstBatch)
	return l, err
}

// page finds out which records are on a page. It asks for one more, to see
// whether there is a next page.
func (p pager[T]) page(l *List[T]) error {
	if p.brief == nil || p.limit <= smallPage {
		records, err := p.read(p.limit+1, pageWeight, nil)
		if err != nil {
			return err
		}
		if p.brief == nil || p.weighAll(records) < pageWeight {
			records = p.cut(records, l)
			l.All = func(yield func(T, error) bool) { p.hand(records, yield) }
			return nil
		}
	}
	keys, err := p.brief(p.limit + 1)
	if err != nil {
		return err
	}
	keys = p.cut(keys, l)
	ids := make([]string, len(keys))
	for i, k := range keys {
		ids[i] = p.id(k)
	}
	l.All = p.walkAmong(ids)
	return nil
}

// cut cuts off what is on the next page.
func (p pager[T]) cut(records []T, l *List[T]) []T {
	if len(records) <= p.limit {
		return records
	}
	l.Next = p.cursor(records[p.limit-1]).String()
	return records[:p.limit]
}

// hand hands out records. It reports false when nobody wants more.
func (p pager[T]) hand(records []T, yield func(T, error) bool) bool {
	for _, r := range records {
		if !yield(p.show(r), nil) {
			return false
		}
	}
	return true
}

// walk hands out the records and reads on after the last one until there are
// no more.
func (p pager[T]) walk(records []T, asked int) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for records, asked := records, asked; len(records) > 0; {
			if !p.hand(records, yield) {
				return
			}
			if len(records) < asked && p.weighAll(records) < batchWeight {
				return
			}
			last := p.cursor(records[len(records)-1])
			asked = p.nextBatch(records)
			var err error
			if records, err = p.read(asked, batchWeight, &last); err != nil {
				var none T
				yield(none, err)
				return
			}
		}
	}
}

// walkAmong hands out the records with the identifiers, but for those that were
// removed meanwhile.
func (p pager[T]) walkAmong(ids []string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		asked := firstBatch
		for ids := ids; len(ids) > 0; {
			asked = min(asked, len(ids))
			records, err := p.among(ids[:asked])
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			if !p.hand(records, yield) {
				return
			}
			if p.weighAll(records) < batchWeight {
				ids = ids[asked:]
			} else {
				ids = ids[slices.Index(ids, p.id(records[len(records)-1]))+1:]
			}
			asked = p.nextBatch(records)
		}
	}
}

// nextBatch is how many records like these make a batch of the right weight.
func (p pager[T]) nextBatch(records []T) int {
	if len(records) == 0 {
		return firstBatch
	}
	return min(max(batchWeight*len(records)/(p.weighAll(records)+1), 1), largeBatch)
}

func (p pager[T]) weighAll(records []T) (sum int) {
	for _, r := range records {
		sum += p.weigh(r)
	}
	return sum
}
