package httpapi

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/internal/revcache"
)

// heap is how many bytes are in use.
func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// TestTheAnswerCacheHoldsNoMoreBytesThanItMay is not parallel: it measures.
func TestTheAnswerCacheHoldsNoMoreBytesThanItMay(t *testing.T) {
	reader := library.Actor{User: library.User{ID: fmt.Sprintf("%036d", 0)}}
	for what, make := range map[string]func(i int) (uri string, a *answer){
		"empty lists": func(i int) (string, *answer) {
			a := newAnswer([]byte("[]"), fmt.Sprintf(`"%032d"`, i))
			a.total = []string{"0"}
			return fmt.Sprintf("/library-server/books?q=nothing%d", i), a
		},
		"pages with long links": func(i int) (string, *answer) {
			a := newAnswer([]byte("[{}]"), fmt.Sprintf(`"%032d"`, i))
			a.link = []string{fmt.Sprintf("<%d%s>", i, strings.Repeat("x", 2000))}
			return fmt.Sprintf("/library-server/books?q=%d", i), a
		},
		"bodies in large buffers": func(i int) (string, *answer) {
			var b bytes.Buffer
			b.Grow(8 << 10)
			b.WriteString("{}")
			return fmt.Sprintf("/library-server/books/%036d", i), newAnswer(b.Bytes(), `"x"`)
		},
		"pages of many books that are lent": func(i int) (string, *answer) {
			a := newAnswer([]byte("[{}]"), `"x"`)
			for n := range 100 {
				id := fmt.Sprintf("%036d", 1000*i+n)
				a.parts = append(a.parts, partOf(library.Book{ID: id, Stock: library.Stock{Lent: 1}, Readers: []string{strings.Clone(id)}}))
			}
			return fmt.Sprintf("/library-server/books?q=%d", i), a
		},
	} {
		before := heap()
		c, journal := newAnswerCache(), &revcache.Journal{}
		n := 0
		for i := range 100_000 {
			uri, a := make(i)
			if c.answers.Cost()+a.cost(answerKey{reader.ViewKey(), 0, uri}) > maxCache {
				break // it would begin anew
			}
			c.put(moment{revision: journal.At("1")}, reader, uri, a, false)
			n++
		}
		held := heap() - before
		t.Logf("%s: %d answers in %d KiB", what, n, held>>10)
		if held > maxCache {
			t.Errorf("%s: the cache holds %d bytes, it may hold %d", what, held, maxCache)
		}
		if held < maxCache/4 {
			t.Errorf("%s: the cache holds %d bytes of %d", what, held, maxCache)
		}
		runtime.KeepAlive(c)
	}
}
