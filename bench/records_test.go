package bench

import (
	"errors"
	"flag"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/bookfile"
	"example.org/library/internal/testkit"
)

var recordsFile = flag.String("records", "", "a file of MARC records (ISO 2709) whose books finding is measured with, in the place of generated ones")

// recordWords are words that two to ten of a hundred records of the Library of Congress have.
var recordWords = []string{"university", "american", "history", "literature", "fiction", "language", "world", "stories",
	"social", "education", "women", "national", "state", "development", "international", "united"}

// readRecords reads the books of a file of real records, once for all tests.
var readRecords = sync.OnceValues(func() (books []library.BookFields, err error) {
	file, err := os.Open(*recordsFile)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	in, err := bookfile.NewMARCReader(file, bookfile.Options{Format: bookfile.MARC})
	if err != nil {
		return nil, err
	}
	for {
		row, err := in.Read()
		if _, isBroken := errors.AsType[*bookfile.RowError](err); isBroken {
			continue
		}
		if errors.Is(err, io.EOF) {
			return books, nil
		}
		if err != nil {
			return nil, err
		}
		b := row.Book
		f := library.BookFields{
			Title: b.Title, Subtitle: b.Subtitle, Authors: b.Authors, Publisher: b.Publisher, Published: b.Published,
			Language: b.Language, Subjects: b.Subjects, Series: b.Series, Description: b.Description,
		}
		if f.Fit(); f.Title != "" {
			books = append(books, f)
		}
	}
})

// catalogue is the books of libraries of some sizes, which are alike: a small one has every so manyth
// record of the file. If there are not enough records, the rest has the first half of one title
// and the second of another: so their words are as common as in the file, and hardly a title is repeated.
func catalogue(t *testing.T, size int) func(i int) library.Book {
	if *recordsFile == "" {
		return generated
	}
	return func(i int) library.Book {
		records, err := readRecords()
		testkit.NoError(t, err)
		n := len(records)
		step := max(n/size, 1)
		at, round := i*step%n, i*step/n
		f := records[at]
		if round > 0 {
			f = records[(at*7+round*7919)%n]
			first, second := strings.Fields(f.Title), strings.Fields(records[at].Title)
			f.Title = strings.Join(append(first[:(len(first)+1)/2:(len(first)+1)/2], second[len(second)/2:]...), " ")
			f.Fit()
		}
		return library.Book{
			ID: bookID(i), BookFields: f.Complete(), Created: time.UnixMicro(int64(i)).UTC(), Version: "0000000000000001",
			Stock: library.Stock{Copies: 1, Available: 1},
		}
	}
}
