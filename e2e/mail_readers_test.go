package e2e

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	netmail "net/mail"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// borrower is a reader who has books that are due tomorrow.
type borrower struct {
	caller
	books map[string]string // identifiers, by title
}

// borrowersOf lets a library that sends no mails lend books that are due tomorrow: one or two to each of n readers, by
// their address. It is stopped then.
func borrowersOf(t *testing.T, idp *testidp.Provider, database string, n int) map[string]*borrower {
	t.Helper()
	s := startWith(t, idp, "--database", database, "--sample-data")
	s.as(t, admin).put("/policy", map[string]any{"loanDays": 1, "dueSoonDays": 3, "noticeTime": "00:00"}).want(200)
	all := make(map[string]*borrower)
	var mu sync.Mutex
	var adding sync.WaitGroup
	for worker := range 4 {
		adding.Go(func() {
			for i := worker; i < n; i += 4 {
				b := lendToSomebody(t, s, i)
				mu.Lock()
				all[b.email] = b
				mu.Unlock()
			}
		})
	}
	adding.Wait()
	if t.Failed() {
		t.FailNow()
	}
	testkit.Equal(t, s.stop(t, syscall.SIGTERM), 0)
	return all
}

func lendToSomebody(t *testing.T, s *server, i int) *borrower {
	b := &borrower{caller{fmt.Sprintf("reader-%d@example.com", i), "library_user email profile"}, map[string]string{}}
	do := func(c caller, path string, body any, status int) response {
		r, err := s.as(t, c).try("POST", path, body)
		if err != nil || r.Status != status {
			t.Errorf("POST %s: %d %s, %v", path, r.Status, r.Body, err)
		}
		return r
	}
	do(admin, "/users", map[string]any{"email": b.email, "firstName": "Reader", "lastName": fmt.Sprint(i)}, 201)
	for k := range 1 + i%2 {
		title := fmt.Sprintf("Title-%d-%d", i, k)
		b.books[title] = into[book](do(curator, "/books", map[string]any{"title": title}, 201)).Identifier
		do(b.caller, "/books/"+b.books[title]+"/borrow", nil, 200)
	}
	return b
}

var titleInMail = regexp.MustCompile(`Title-\d+-\d+`)

// titlesIn are the books of borrowers that a mail speaks of, and its Message-ID. Its text and its HTML say the same.
func titlesIn(t testing.TB, data []byte) (titles []string, id string) {
	t.Helper()
	m, err := netmail.ReadMessage(bytes.NewReader(data))
	testkit.NoError(t, err)
	_, parameters, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	testkit.NoError(t, err)
	parts := multipart.NewReader(m.Body, parameters["boundary"])
	for n := 0; ; n++ {
		part, err := parts.NextPart() // which decodes quoted-printable
		if err == io.EOF && n == 2 {
			return titles, m.Header.Get("Message-ID")
		}
		testkit.NoError(t, err)
		var from io.Reader = part
		if part.Header.Get("Content-Transfer-Encoding") == "base64" {
			from = base64.NewDecoder(base64.StdEncoding, part)
		}
		text, err := io.ReadAll(from)
		testkit.NoError(t, err)
		found := titleInMail.FindAllString(string(text), -1)
		slices.Sort(found)
		found = slices.Compact(found)
		if n > 0 && strings.Join(found, " ") != strings.Join(titles, " ") {
			t.Errorf("the text speaks of %q and the HTML of %q", titles, found)
		}
		titles = found
	}
}
