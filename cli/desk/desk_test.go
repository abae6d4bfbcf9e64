package desk

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/clitest"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/internal/isbn"
	"example.org/library/internal/testkit"
)

// deskService is what the desk needs of a library, with its requests counted: a
// reader with the card CARD-1, and copies whose barcodes begin with B.
type deskService struct {
	mu       sync.Mutex
	requests []string
	lent     map[string]string // barcode to identifier of the loan
	refuse   map[string]string // barcode to code of a refusal
}

func newDeskService(t *testing.T) (*deskService, map[string]string) {
	t.Helper()
	s := &deskService{lent: map[string]string{}, refuse: map[string]string{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /policy", func(w http.ResponseWriter, _ *http.Request) {
		answerJSON(w, 200, api.Policy{TimeZone: "Europe/Berlin"})
	})
	mux.HandleFunc("GET /me", func(w http.ResponseWriter, _ *http.Request) { answerJSON(w, 200, api.Me{}) })
	mux.HandleFunc("GET /codes/{code}", s.code)
	mux.HandleFunc("POST /loans", s.lend)
	mux.HandleFunc("POST /loans/{id}/return", s.takeBack)
	mux.HandleFunc("GET /readers", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Total-Count", "1")
		answerJSON(w, 200, []api.Reader{bruce})
	})
	mux.HandleFunc("GET /books", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Total-Count", "0")
		answerJSON(w, 200, []api.Book{})
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		s.requests = append(s.requests, r.Method+" "+r.URL.Path)
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return s, map[string]string{"LIBRARY_TOKEN": "t", "LIBRARY_SERVER": server.URL, "LIBRARY_CONFIG_DIR": t.TempDir()}
}

var bruce = api.Reader{Person: api.Person{Identifier: "11111111-0000-4000-8000-000000000001", FirstName: "Bruce", LastName: "Wayne"}, Card: "CARD-1", Loans: 2, Overdue: 1}

var inAWeek = time.Now().AddDate(0, 0, 7).UTC()

func answerJSON(w http.ResponseWriter, status int, value any) {
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(value)
}

func (s *deskService) code(w http.ResponseWriter, r *http.Request) {
	code := r.PathValue("code")
	switch {
	case strings.HasPrefix(code, "B"):
		c := api.Copy{Identifier: code, Barcode: code, Shelf: "S " + code, State: api.CopyLendable}
		if id := s.lent[code]; id != "" {
			c.Loan = &api.Loan{Identifier: id, Book: api.BookRef{Title: "Title of " + code}, User: &bruce.Person, BorrowedAt: "2026-11-01T10:00:00Z"}
		}
		answerJSON(w, 200, api.Code{Kind: api.CodeCopy, Copy: &c, Book: &api.Book{BookFields: api.BookFields{Title: "Title of " + code}}})
	case code == bruce.Card:
		answerJSON(w, 200, api.Code{Kind: api.CodeReader, Reader: &bruce})
	case isbn.Key(code) == "9780132350884":
		answerJSON(w, 200, api.Code{Kind: api.CodeBook, Books: []api.Book{{Identifier: "isbn", BookFields: api.BookFields{Title: "By ISBN"}, Copies: 1, Available: 1}}})
	default:
		clitest.Refuse(w, 404, library.ErrUnknownCode.Code, "Nein")
	}
}

func (s *deskService) lend(w http.ResponseWriter, r *http.Request) {
	var in struct{ User, Book, Copy, Barcode string }
	json.NewDecoder(r.Body).Decode(&in)
	code := in.Barcode + in.Book
	switch {
	case s.refuse[code] != "":
		clitest.Refuse(w, 409, s.refuse[code], "Nein")
	case in.Barcode != "" && !strings.HasPrefix(in.Barcode, "B"):
		clitest.Refuse(w, 404, library.ErrCopyNotFound.Code, "Nein")
	default:
		s.lent[code] = "loan-" + code
		due := time.Now().AddDate(0, 0, 3).UTC().Format(api.InstantLayout)
		answerJSON(w, 201, api.Loan{Identifier: "loan-" + code, Book: api.BookRef{Title: "Title of " + code}, User: &bruce.Person, DueAt: due})
	}
}

func (s *deskService) takeBack(w http.ResponseWriter, r *http.Request) {
	code := strings.TrimPrefix(r.PathValue("id"), "loan-")
	delete(s.lent, code)
	l := api.Loan{Identifier: r.PathValue("id"), Book: api.BookRef{Title: "Title of " + code}, ReturnedAt: "2026-11-15T10:00:00Z"}
	if code == "B2" {
		l.Hold = &api.Hold{User: &api.Person{FirstName: "Diana", LastName: "Prince"}, State: api.HoldReady, Until: inAWeek.Format(api.InstantLayout)}
	}
	answerJSON(w, 200, l)
}

// desk runs a command of the desk and returns the lines that it answers.
func atDesk(t *testing.T, env map[string]string, scans string, args ...string) (code int, answers []string, stderr string) {
	t.Helper()
	code, stdout, stderr := clitest.Run(t, program, env, scans, append([]string{"desk"}, args...)...)
	return code, strings.Split(strings.TrimSuffix(stdout, "\n"), "\n"), stderr
}

func TestAtTheDeskABarcodeIsLentInOneRequestAndTakenBackInTwo(t *testing.T) {
	t.Parallel()
	s, env := newDeskService(t)
	code, answers, stderr := atDesk(t, env, "CARD-1\nB1\nB2\n", "lend")
	if code != command.ExitOK || len(answers) != 3 || !strings.Contains(stderr, "Lent 2 books to 1 reader.") {
		t.Fatalf("exit code %d, answers %q, stderr %s", code, answers, stderr)
	}
	if answers[0] != "Lending to Bruce Wayne, who has 2 books, 1 overdue." ||
		!strings.HasPrefix(answers[1], `Lent "Title of B1" to Bruce Wayne until `) || !strings.HasSuffix(answers[1], " (in 3 days).") {
		t.Errorf("answers: %q", answers)
	}
	want := []string{"GET /readers", "GET /codes/CARD-1", "POST /loans", "GET /policy", "POST /loans"}
	testkit.Diff(t, want, s.requests)

	s.requests = nil
	berlin, err := time.LoadLocation("Europe/Berlin")
	testkit.NoError(t, err)
	code, answers, stderr = atDesk(t, env, "B1\r\n\n  B2", "return")
	if code != command.ExitOK || !strings.Contains(stderr, "Took 2 books back, 1 of them to set aside.") {
		t.Errorf("exit code %d, stderr %s", code, stderr)
	}
	if diff := cmp.Diff([]string{
		`"Title of B1" is back from Bruce Wayne. Put it back: S B1.`,
		`"Title of B2" is back from Bruce Wayne. Set aside for Diana Prince until ` + records.SayDay(time.Now().In(berlin), inAWeek) + ".",
	}, answers); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	want = []string{"GET /readers", "GET /codes/B1", "POST /loans/loan-B1/return", "GET /codes/B2", "POST /loans/loan-B2/return", "GET /policy"}
	testkit.Diff(t, want, s.requests)
}

func TestAtTheDeskAFailureIsOneLineAndTheNextScanGoesOn(t *testing.T) {
	t.Parallel()
	s, env := newDeskService(t)
	for code, refusal := range map[string]string{
		"Btaken": "already_borrowed", "Bheld": "reserved", "Bref": "not_lendable", "Bmany": "loan_limit", "Blate": "has_overdue", "Bhas": "has_it",
	} {
		s.refuse[code] = refusal
	}
	scans := []struct{ scan, says string }{
		{"B1", `"B1" is a book. Scan the card of the reader first.`},
		{"CARD-9", `No reader has the card "CARD-9". Scan it again, or type the name of the reader.`},
		{"Bruce Wayne", ""},
		{"Btaken", `"Title of Btaken" is on loan to somebody else. If it is here, return it first.`},
		{"Bheld", `"Title of Bheld" is set aside for somebody who asked before Bruce Wayne. 'library holds list --book "Title of Bheld"' shows for whom.`},
		{"Bref", `"Title of Bref" cannot be lent. 'library copies list "Title of Bref"' shows which copies there are.`},
		{"Bmany", "Bruce Wayne has as many books as one person can borrow; one of them must come back first."},
		{"Blate", `Bruce Wayne has an overdue loan, which must come back first. 'library loans list --overdue --user "Bruce Wayne"' shows it.`},
		{"Bhas", `Bruce Wayne already has "Title of Bhas".`},
		{"nonsense", `The library knows no barcode, card, ISBN or title "nonsense". Scan it again.`},
		{"a/b", `The library knows no barcode, card, ISBN or title "a/b". Scan it again.`},
		{"978-0-13-235088-4", ""},
		{"ISBN 978 0 13 235088 4", ""},
		{"CARD-1", ""},
		{"B3", ""},
	}
	input, complaints := "", ""
	for _, c := range scans {
		input += c.scan + "\n"
		if c.says != "" {
			complaints += "library: " + c.says + "\n"
		}
	}
	code, answers, stderr := atDesk(t, env, input, "lend")
	want := complaints + "Lent 3 books to 1 reader; 10 scans failed.\nlibrary: 10 of 15 scans failed.\n"
	testkit.Diff(t, want, stderr)
	if code != command.ExitFailed || len(answers) != 5 {
		t.Errorf("exit code %d, answers %q", code, answers)
	}

	code, _, stderr = atDesk(t, env, "B7\nCARD-1\n", "return")
	want = "library: \"Title of B7\" is not on loan. Put it back: S B7.\nlibrary: \"CARD-1\" is the card of Bruce Wayne. Scan the barcode of the book.\n" +
		"Took 0 books back; 2 scans failed.\nlibrary: 2 of 2 scans failed.\n"
	if diff := cmp.Diff(want, stderr); code != command.ExitConflict || diff != "" {
		t.Errorf("exit code %d, stderr (-want +got):\n%s", code, diff)
	}
}

func TestAtTheDeskProgramsGetAnObjectForEachScan(t *testing.T) {
	t.Parallel()
	s, env := newDeskService(t)
	s.refuse["B2"] = "has_it"
	code, answers, _ := atDesk(t, env, "CARD-1\nB1\nB2\nnonsense\n", "lend", "--json")
	if code != command.ExitConflict || len(answers) != 4 {
		t.Fatalf("exit code %d, answers %q", code, answers)
	}
	var got []string
	for _, line := range answers {
		var answer answer
		testkit.NoError(t, json.Unmarshal([]byte(line), &answer))
		got = append(got, fmt.Sprintf("%s reader %t loan %t %s", answer.Code, answer.Reader != nil, answer.Loan != nil, answer.Error))
	}
	want := []string{"CARD-1 reader true loan false ", "B1 reader false loan true ", "B2 reader false loan false has_it", "nonsense reader false loan false unknown_code"}
	testkit.Diff(t, want, got)
}

func TestADeskWithoutACuratorIsClosedAtOnce(t *testing.T) {
	t.Parallel()
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="library_curator"`)
		clitest.Refuse(w, 403, "role_missing", "Nein")
	}))
	defer server.Close()
	env := map[string]string{"LIBRARY_TOKEN": "t", "LIBRARY_SERVER": server.URL, "LIBRARY_CONFIG_DIR": t.TempDir()}
	code, _, stderr := atDesk(t, env, "B1\nB2\nB3\n", "return")
	if code != command.ExitFailed || !strings.Contains(stderr, "not a curator") || asked > 2 {
		t.Errorf("exit code %d after %d requests: %s", code, asked, stderr)
	}
}

func TestALineThatNobodyCanHaveScannedEndsTheDesk(t *testing.T) {
	t.Parallel()
	_, env := newDeskService(t)
	if code, _, stderr := atDesk(t, env, strings.Repeat("x", 10_000), "return"); code != command.ExitFailed || !strings.Contains(stderr, "that was not scanned") {
		t.Errorf("exit code %d, stderr %s", code, stderr)
	}
}
