package finding

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"example.org/library"
	"example.org/library/internal/fulltext"
)

// A question that no book answers may be misspelt. Then each word that no book has is replaced
// by the nearest one that some book has, whatever else the query asks for.

const (
	minCorrected = 4  // letters of a word, as it was typed
	farFrom      = 8  // a word with this many letters or more may be two steps away
	maxCorrected = 64 // letters of a word: all that are a step away are looked up
)

// Correct puts a corrected question in the place of that of a query, if it is Fuzzy and
// has to be. A cursor keeps the correction of its list.
func (s *Service) Correct(ctx context.Context, a library.Actor, q library.BookQuery) (library.BookQuery, error) {
	if err := a.Authorize(library.Browse); err != nil || !q.Fuzzy {
		return q, err
	}
	if q.After != nil {
		q.Corrected = q.After.Corrected
	} else {
		corrected, err := s.correction(ctx, a, q.Question)
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

// correction is what a question was to be, "" if it is right as it is, or nobody knows.
func (s *Service) correction(ctx context.Context, a library.Actor, question string) (string, error) {
	terms := library.ParseTerms(question)
	if len(terms) == 0 {
		return "", nil
	}
	if n, err := s.store.CountBooks(ctx, library.BookQuery{Terms: terms, Stranger: a.Stranger}); n > 0 || err != nil {
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

// spelling is how a word is to be written: as it is, if a book has a word that begins so, or
// as the nearest one; "" if there is none.
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

// nearestWord is the word of the catalogue that somebody most likely meant, "" if there is none. What is one step
// away is asked for first: mostly it is enough, and two steps lead to a large part of all words.
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
