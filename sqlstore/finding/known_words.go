package finding

import (
	"sync"
	"time"
)

// Most words of a book are in the vocabulary already. An import asked for each of them again and again.
const (
	maxKnownWords = 50_000
	// A server that takes the place of another may lack what that one had committed last, so
	// nothing is taken for known for long.
	knownWordsFor = time.Minute
)

// knownWords are words that a transaction of this program has put into the vocabulary, or found
// there, and committed. No program takes words out of it.
type knownWords struct {
	mu    sync.Mutex
	words map[string]bool
	since time.Time
}

// leaveOut removes the words that are known.
func (k *knownWords) leaveOut(words map[string]bool, now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if now.Sub(k.since) > knownWordsFor {
		return
	}
	for word := range words {
		if k.words[word] {
			delete(words, word)
		}
	}
}

// keep notes words of a transaction that was committed and began to learn them at some time.
func (k *knownWords) keep(words []string, now time.Time) {
	if len(words) == 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.words == nil || now.Sub(k.since) > knownWordsFor || len(k.words)+len(words) > maxKnownWords {
		k.words, k.since = make(map[string]bool), now
	}
	for _, word := range words[:min(len(words), maxKnownWords)] {
		k.words[word] = true
	}
}
