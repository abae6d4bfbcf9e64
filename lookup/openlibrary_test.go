package lookup

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"example.org/library"
	"example.org/library/internal/testkit"
)

func TestWhatServersLikeOpenLibraryAnswer(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]error{
		`{}`: ErrUnknown, `{"ISBN:123":{"title":"Another"}}`: ErrUnknown, `[]`: ErrFailed, `null`: ErrFailed, `<html>`: ErrFailed,
		`{"ISBN:9783518188330":{"title":"T"}}`: nil, `{"ISBN:9783518188330":{"title":" \n"}}`: ErrUnknown, `{"ISBN:9783518188330":{"title":""}}`: ErrUnknown, `{"ISBN:9783518188330":{"title":5}}`: ErrFailed,
	} {
		address := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(body)) })
		if answers, err := find(t, "openlibrary+"+address); !errors.Is(err, want) {
			t.Errorf("%s: %v, %v", body, answers, err)
		}
	}
}

func TestAValueOfTheWrongTypeIsLeftOut(t *testing.T) {
	t.Parallel()
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"ISBN:%s":{"title":"T","subtitle":{"a":1},"authors":["Ada",{"name":"Bob"},{"name":7},5,null],"publishers":"P","publish_date":1999,"subjects":[[1],true]}}`, wanted)
	})
	answers, err := find(t, "openlibrary+"+address)
	testkit.NoError(t, err)
	testkit.Diff(t, library.BookFields{Title: "T", Authors: []string{"Ada", "Bob"}, Publisher: "P", Published: 1999, ISBN: wanted}, answers[0].Book)
}
