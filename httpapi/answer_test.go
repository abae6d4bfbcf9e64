package httpapi

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
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
	for what, make := range map[string]func(i int) (answerKey, *answer){
		"empty lists": func(i int) (answerKey, *answer) {
			a := newAnswer([]byte("[]"), fmt.Sprintf(`"%032d"`, i))
			a.total = []string{"0"}
			return answerKey{view: "staff", uri: fmt.Sprintf("/library-server/books?q=nothing%d", i)}, a
		},
		"pages with long links": func(i int) (answerKey, *answer) {
			a := newAnswer([]byte("[{}]"), fmt.Sprintf(`"%032d"`, i))
			a.link = []string{fmt.Sprintf("<%d%s>", i, strings.Repeat("x", 2000))}
			return answerKey{view: fmt.Sprintf("%036d", i), uri: fmt.Sprintf("/library-server/books?q=%d", i)}, a
		},
		"bodies in large buffers": func(i int) (answerKey, *answer) {
			var b bytes.Buffer
			b.Grow(8 << 10)
			b.WriteString("{}")
			return answerKey{view: "staff", uri: fmt.Sprintf("/library-server/books/%036d", i)}, newAnswer(b.Bytes(), `"x"`)
		},
	} {
		before := heap()
		c := newAnswerCache()
		n := 0
		for i := range 100_000 {
			key, a := make(i)
			if c.answers.Cost()+a.cost(key) > maxCache {
				break // it would begin anew
			}
			c.put(moment{revision: "1"}, key, a)
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
