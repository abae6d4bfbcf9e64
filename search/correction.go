package search

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"example.org/library"
	"example.org/library/internal/fulltext"
)

// A question without matches may be misspelt. Then each unknown word is replaced by the nearest word
// of any book, regardless of the query's filters.

const (
	minCorrected = 4  // letters of a typed word
	farFrom      = 8  // a word with this many letters or more may be two steps away
	maxCorrected = 64 // letters of a word: all words one step away are looked up
)

// Correct corrects the question of a Fuzzy query without matches. A cursor keeps the correction of its list.
func (s *Service) Correct(ctx context.Context, a library.Actor, q library.BookQuery) (library.BookQuery, error) {
	if err := a.Authorize(library.Browse); err != nil || !q.Fuzzy {
		return q, err
	}
	if q.After != nil {
		q.Corrected = q.After.Corrected
	} else {
		corrected, err := s.correction(ctx, q.Question)
		if err != nil {
			return q, err
		}
		q.Corrected = corrected
	}
	if q.Corrected != "" {
		q.Terms, q.Phrases = library.ParseTerms(q.Corrected), library.RankedQuestion(q.Corrected)
	}
	return q, nil
}

// correction returns the corrected question, "" if it needs none or none is known.
func (s *Service) correction(ctx context.Context, question string) (string, error) {
	terms := library.ParseTerms(question)
	if len(terms) == 0 {
		return "", nil
	}
	if n, err := s.store.CountBooks(ctx, library.BookQuery{Terms: terms}); n > 0 || err != nil {
		return "", err
	}
	var corrected strings.Builder
	from := 0
	spellings := make(map[string]string) // a question may have a word hundreds of times
	for _, typed := range fulltext.TypedWords(question) {
		if typed.Letters < minCorrected {
			continue
		}
		near, isKnown := spellings[typed.Word]
		if !isKnown {
			var err error
			if near, err = s.spelling(ctx, typed); err != nil {
				return "", err
			}
			spellings[typed.Word] = near
		}
		if near == "" {
			return "", nil
		}
		if near == typed.Word {
			continue
		}
		corrected.WriteString(question[from:typed.Start] + near)
		from = typed.End
	}
	if from == 0 || corrected.Len()+len(question)-from > library.MaxCorrection {
		return "", nil
	}
	return strings.Join(strings.Fields(corrected.String()+question[from:]), " "), nil
}

// spelling returns the word itself if it begins a word of a book, else the nearest word, or "".
func (s *Service) spelling(ctx context.Context, typed fulltext.Typed) (string, error) {
	begins, err := s.store.BeginsWord(ctx, typed.Word)
	if begins || err != nil {
		return typed.Word, err
	}
	if utf8.RuneCountInString(typed.Word) > maxCorrected {
		return "", nil
	}
	return s.nearestWord(ctx, typed)
}

// nearestWord returns the nearest word of the catalogue, "" for none. It asks for words one step away
// first: mostly that is enough, and two steps lead to a large part of all words.
func (s *Service) nearestWord(ctx context.Context, typed fulltext.Typed) (string, error) {
	most := 1
	if typed.Letters >= farFrom {
		most = 2
	}
	for distance := 1; distance <= most; distance++ {
		words, err := s.store.WordsNear(ctx, typed.Word, distance)
		if err != nil {
			return "", err
		}
		near := slices.DeleteFunc(words, func(word string) bool { return fulltext.Distance(typed.Word, word) != distance })
		slices.Sort(near)
		if best, err := s.store.MostCommonWord(ctx, slices.Compact(near)); best != "" || err != nil {
			return best, err
		}
	}
	return "", nil
}
