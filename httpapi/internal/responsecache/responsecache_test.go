package responsecache

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

// TestTheCacheHoldsNoMoreBytesThanItMay is not parallel: it measures.
func TestTheCacheHoldsNoMoreBytesThanItMay(t *testing.T) {
	reader := library.Actor{User: library.User{ID: fmt.Sprintf("%036d", 0)}}
	for what, make := range map[string]func(i int) (uri string, a *Response){
		"empty lists": func(i int) (string, *Response) {
			a := NewResponse([]byte("[]"), fmt.Sprintf(`"%032d"`, i))
			a.Total = "0"
			return fmt.Sprintf("/library-server/books?q=nothing%d", i), a
		},
		"pages with long links": func(i int) (string, *Response) {
			a := NewResponse([]byte("[{}]"), fmt.Sprintf(`"%032d"`, i))
			a.Link = fmt.Sprintf("<%d%s>", i, strings.Repeat("x", 2000))
			return fmt.Sprintf("/library-server/books?q=%d", i), a
		},
		"bodies in large buffers": func(i int) (string, *Response) {
			var b bytes.Buffer
			b.Grow(8 << 10)
			b.WriteString("{}")
			return fmt.Sprintf("/library-server/books/%036d", i), NewResponse(b.Bytes(), `"x"`)
		},
		"pages of many books that are lent": func(i int) (string, *Response) {
			a := NewResponse([]byte("[{}]"), `"x"`)
			for n := range 100 {
				id := fmt.Sprintf("%036d", 1000*i+n)
				a.Parts = append(a.Parts, PartOf(library.Book{ID: id, Stock: library.Stock{Lent: 1}, Readers: []string{strings.Clone(id)}}))
			}
			return fmt.Sprintf("/library-server/books?q=%d", i), a
		},
	} {
		before := heap()
		c, journal := New(), &revcache.Journal{}
		n := 0
		for i := range 100_000 {
			uri, a := make(i)
			if c.responses.Cost()+a.cost(key{reader.ViewKey(), 0, uri}) > maxBytes {
				break // it would begin anew
			}
			c.Put(Snapshot{revision: journal.At("1")}, reader, uri, a, false)
			n++
		}
		held := heap() - before
		t.Logf("%s: %d responses in %d KiB", what, n, held>>10)
		if held > maxBytes {
			t.Errorf("%s: the cache holds %d bytes, it may hold %d", what, held, maxBytes)
		}
		if held < maxBytes/4 {
			t.Errorf("%s: the cache holds %d bytes of %d", what, held, maxBytes)
		}
		runtime.KeepAlive(c)
	}
}
