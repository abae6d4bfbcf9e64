package sample

import (
	"bytes"
	"image/jpeg"
	"slices"
	"testing"

	"example.org/library"
)

func TestSampleISBNsAreValid(t *testing.T) {
	t.Parallel()
	for _, b := range slices.Concat(books(), moreBooks()) {
		if warning, isDoubtful := library.CheckISBN(b.ISBN); isDoubtful {
			t.Errorf("%s: %s %s", b.Title, b.ISBN, warning.Message)
		}
	}
}

func TestTheDemonstrationHasFacetsSeriesAndCovers(t *testing.T) {
	t.Parallel()
	series, languages := map[string]int{}, map[string]int{}
	all := slices.Concat(books(), moreBooks())
	for _, b := range all {
		f, known := bibliography()[b.ID]
		if !known || f.Published == 0 || len(f.Subjects) == 0 {
			t.Errorf("%s has no year or no subject", b.Title)
		}
		f.Title, f.Authors = b.Title, b.Authors
		if problems := f.Check(); len(problems) > 0 {
			t.Errorf("%s: %v", b.Title, problems)
		}
		series[f.Series]++
		languages[f.Language]++
	}
	if len(bibliography()) != len(all) || series["Penguin Classics"] < 3 || len(languages) != 3 || len(covers) == 0 || len(covers) == len(all) {
		t.Errorf("%d of %d books, series %v, languages %v, %d covers", len(bibliography()), len(all), series, languages, len(covers))
	}
}

func TestADrawnCoverHasTheSizesOfACover(t *testing.T) {
	t.Parallel()
	made, err := draw(covers[idDracula])
	if err != nil {
		t.Fatal(err)
	}
	for width, file := range map[int][]byte{640: made.Large, 200: made.Small} {
		config, err := jpeg.DecodeConfig(bytes.NewReader(file))
		if err != nil || config.Width != width || len(file) > 60_000 {
			t.Errorf("%d: %+v, %d bytes, %v", width, config, len(file), err)
		}
	}
}
