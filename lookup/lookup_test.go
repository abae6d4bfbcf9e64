package lookup

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"

	"example.org/library"
	"example.org/library/internal/testkit"
)

const (
	wanted   = "9783518188330"
	wanted10 = "351818833X"
)

// record is a MARCXML record, with a decomposed letter as some catalogues send it.
func record(isbn, title string) string {
	return `<record xmlns="http://www.loc.gov/MARC21/slim"><leader>00000nam a2200000 c 4500</leader>
<controlfield tag="008">060101s2005    gw ||||| |||| 00||||ger  </controlfield>
<datafield tag="020" ind1=" " ind2=" "><subfield code="a">` + isbn + ` (kart.)</subfield><subfield code="c">EUR 6.00</subfield></datafield>
<datafield tag="100" ind1="1" ind2=" "><subfield code="a">Kafka, Franz</subfield></datafield>
<datafield tag="245" ind1="0" ind2="0"><subfield code="a">` + title + `</subfield></datafield></record>`
}

// response is the answer of an SRU server, with something beside the records.
func response(beside string, records ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="UTF-8"?><searchRetrieveResponse xmlns="http://www.loc.gov/zing/srw/"><version>1.1</version><numberOfRecords>%d</numberOfRecords><records>`, len(records))
	for i, r := range records {
		fmt.Fprintf(&b, `<record><recordSchema>MARC21-xml</recordSchema><recordPacking>xml</recordPacking><recordData>%s</recordData><recordPosition>%d</recordPosition></record>`, r, i+1)
	}
	return b.String() + `</records>` + beside + `</searchRetrieveResponse>`
}

// latin1 is a response in ISO 8859-1.
func latin1(response string) string {
	text, _ := charmap.ISO8859_1.NewEncoder().String(norm.NFC.String(response))
	return strings.Replace(text, "UTF-8", "iso-8859-1", 1)
}

const diagnostic = `<diagnostics><diagnostic xmlns="http://www.loc.gov/zing/srw/diagnostic/"><uri>info:srw/diagnostic/1/16</uri><details>isbn</details></diagnostic></diagnostics>`

// find asks one source that gives one answer.
func find(t *testing.T, setting string) ([]Answer, error) {
	t.Helper()
	sources, err := ParseSources(setting)
	testkit.NoError(t, err)
	return New(sources, Options{}).Find(t.Context(), wanted)
}

func TestWhatAnSRUServerAnswers(t *testing.T) {
	t.Parallel()
	other := record("978-0-306-40615-7", "Another")
	deep := strings.Repeat("<a>", 200) + strings.Repeat("</a>", 200)
	for name, tt := range map[string]struct {
		body string
		want error
	}{
		"one record":                  {response("", record(wanted, "Die Verwandlung")), nil},
		"ISBN behind a word":          {response("", record("ISBN "+wanted, "Die Verwandlung")), nil},
		"the second ISBN of a field":  {response("", record("9780306406157 ; "+wanted, "Die Verwandlung")), nil},
		"another charset":             {latin1(response("", record(wanted, "Die Verwandlung"), strings.Replace(other, "Another", "Übung", 1))), nil},
		"an unknown charset":          {strings.Replace(response("", record(wanted, "x")), "UTF-8", "EBCDIC", 1), ErrFailed},
		"hyphens":                     {response("", record("978-3-518-18833-0", "Die Verwandlung")), nil},
		"ISBN-10 only":                {response("", record(wanted10, "Die Verwandlung")), nil},
		"several records":             {response("", other, record(wanted, "Die Verwandlung"), record(wanted, "Later")), nil},
		"none":                        {response(""), ErrUnknown},
		"another book":                {response("", other), ErrUnknown},
		"a diagnostic":                {response(diagnostic), ErrFailed},
		"a diagnostic beside records": {response(diagnostic, record(wanted, "Die Verwandlung")), ErrFailed},
		"a diagnostic as a record":    {response("", diagnostic), ErrFailed},
		"no XML":                      {"no", ErrFailed},
		"a page":                      {"<html><body>Sorry</body></html>", ErrFailed},
		"nothing":                     {"", ErrFailed},
		"cut off":                     {response("", record(wanted, "Die Verwandlung"))[:700], ErrFailed},
		"a document type":             {`<!DOCTYPE x [<!ENTITY a "b">]>` + response("", record(wanted, "&a;")), ErrFailed},
		"an entity":                   {response("", record(wanted, "&xxe;")), ErrFailed},
		"deep":                        {response(deep, record(wanted, "Die Verwandlung")), ErrFailed},
		"records that are not there":  {strings.Replace(response(""), ">0<", ">3<", 1), ErrFailed},
		"huge":                        {response(strings.Repeat(" ", 1<<20), record(wanted, "Die Verwandlung")), ErrFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(tt.body)) })
			answers, err := find(t, "sru+"+address+"/sru")
			if !errors.Is(err, tt.want) {
				t.Fatalf("%v, %v", answers, err)
			}
			if tt.want == nil && (len(answers) != 1 || answers[0].Book.Title != "Die Verwandlung" || answers[0].Book.Authors[0] != "Franz Kafka" ||
				answers[0].Source != strings.TrimPrefix(address, "http://")) {
				t.Errorf("%+v", answers)
			}
		})
	}
}

func TestBothFormsOfAnISBNAreAskedFor(t *testing.T) {
	t.Parallel()
	var query atomic.Value
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		query.Store(r.URL.Query())
		w.Write([]byte(response("")))
	})
	_, err := find(t, "sru+"+address+"/x?index=dc.identifier")
	testkit.Equal(t, err, ErrUnknown)
	want := "map[maximumRecords:[10] operation:[searchRetrieve] query:[dc.identifier=9783518188330 or dc.identifier=351818833X] recordPacking:[xml] recordSchema:[marcxml] version:[1.1]]"
	testkit.Equal(t, fmt.Sprint(query.Load()), "map["+strings.TrimPrefix(want, "map["))
}

func TestTextsAreComposedAndFit(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ü", 300)
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "api/books") {
			fmt.Fprintf(w, `{"ISBN:%s":{"title":"Ver\u0000wandlu\u0308ng\n","authors":[{"name":" Franz  Kafka "},{"name":""}],"publishers":[{"name":"%s"}],"publish_date":"March 1915","subjects":[{"name":"Prague"},{"name":"PRAGUE"}]}}`, wanted, long)
			return
		}
		w.Write([]byte(response("", record(wanted, norm.NFD.String(long)))))
	})
	answers, err := find(t, "sru+"+address+"/sru, openlibrary+"+address)
	testkit.NoError(t, err)
	if got := answers[0].Book.Title; utf8.RuneCountInString(got) != 255 || !norm.NFC.IsNormalString(got) {
		t.Errorf("%d characters: %s", utf8.RuneCountInString(got), got)
	}
	b := answers[1].Book
	if b.Title != "Ver wandlüng" || b.Published != 1915 || utf8.RuneCountInString(b.Publisher) != 255 || len(b.Authors) != 1 || b.Authors[0] != "Franz Kafka" || b.ISBN != wanted {
		t.Errorf("%+v", b)
	}
	for _, a := range answers {
		if bad := a.Book.Check(); len(bad) > 0 {
			t.Errorf("%s: %v", a.Source, bad)
		}
	}
}

// brittle is a protocol with a fault in it.
type brittle struct{}

func (brittle) find(context.Context, *web, string) (library.BookFields, bool, error) {
	panic("a fault")
}

func TestAFaultInReadingAnAnswerIsAFailureOfTheSource(t *testing.T) {
	t.Parallel()
	l := New([]Source{{"brittle", brittle{}}}, Options{})
	if _, err := l.Find(t.Context(), wanted); !errors.Is(err, ErrFailed) {
		t.Error(err)
	}
}

func TestOneSourceThatFailsDoesNotHideAnother(t *testing.T) {
	t.Parallel()
	good := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(response("", record(wanted, "Found")))) })
	bad := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	empty := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(response(""))) })
	answers, err := find(t, "sru+"+bad+"/, sru+"+good+"/, sru+"+empty+"/")
	if err != nil || len(answers) != 1 || answers[0].Book.Title != "Found" {
		t.Errorf("%v, %v", answers, err)
	}
	if _, err := find(t, "sru+"+bad+"/, sru+"+empty+"/"); !errors.Is(err, ErrFailed) {
		t.Error(err)
	}
}

func TestAnswersAreKeptForADayAndFailuresAreNot(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	var body atomic.Value
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) { requests.Add(1); w.Write([]byte(body.Load().(string))) })
	var clock atomic.Int64
	sources, err := ParseSources("sru+" + address + "/")
	testkit.NoError(t, err)
	l := New(sources, Options{Now: func() time.Time { return time.Unix(clock.Load(), 0) }})
	for _, step := range []struct {
		body     string
		wait     time.Duration
		want     error
		requests int32
	}{
		{"broken", 0, ErrFailed, 1}, {response(""), 0, ErrUnknown, 2}, {"broken", time.Hour, ErrUnknown, 2},
		{response("", record(wanted, "Found")), 23 * time.Hour, nil, 3}, {"broken", time.Hour, nil, 3}, {"broken", 24 * time.Hour, ErrFailed, 4},
	} {
		clock.Add(int64(step.wait / time.Second))
		body.Store(step.body)
		if _, err := l.Find(t.Context(), wanted); !errors.Is(err, step.want) || requests.Load() != step.requests {
			t.Errorf("%.20s: %v after %d requests", step.body, err, requests.Load())
		}
	}
}

func TestWhatIsKeptIsBounded(t *testing.T) {
	t.Parallel()
	k := newKept(time.Now)
	var e entry
	e.book.Description = strings.Repeat("x", 100_000)
	for i := range 500 {
		k.put(fmt.Sprint(i), e)
	}
	if k.bytes > keptBytes || len(k.at) != len(k.queue) || len(k.at) < 100 {
		t.Errorf("%d bytes, %d entries", k.bytes, len(k.at))
	}
	if _, ok := k.get("0"); ok {
		t.Error("the oldest is still there")
	}
	if _, ok := k.get("499"); !ok {
		t.Error("the newest is not there")
	}
}

func TestCallersWhoAskTheSameWaitForOneAnswer(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	arrived := make(chan struct{})
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		<-arrived
		w.Write([]byte(response("", record(wanted, "Found"))))
	})
	sources, err := ParseSources("sru+" + address + "/")
	testkit.NoError(t, err)
	l := New(sources, Options{})
	impatient, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() {
		if _, err := l.Find(impatient, wanted); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	for range 20 {
		all.Go(func() {
			if answers, err := l.Find(t.Context(), wanted); err != nil || len(answers) != 1 {
				t.Error(err)
			}
		})
	}
	time.Sleep(50 * time.Millisecond)
	cancel() // who goes away takes the answer from nobody
	time.Sleep(20 * time.Millisecond)
	close(arrived)
	all.Wait()
	if requests.Load() != 1 {
		t.Errorf("%d requests", requests.Load())
	}
}

func TestASlowSourceHasFiveSeconds(t *testing.T) {
	t.Parallel()
	end := make(chan struct{})
	address := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-end:
		}
	})
	defer close(end)
	start := time.Now()
	if _, err := find(t, "sru+"+address+"/"); !errors.Is(err, ErrFailed) || time.Since(start) < timeout {
		t.Errorf("%v after %v", err, time.Since(start))
	}
}

func FuzzSRUResponse(f *testing.F) {
	f.Add([]byte(response("", record(wanted, "T"))))
	f.Add([]byte(response(diagnostic)))
	f.Fuzz(func(t *testing.T, body []byte) {
		if checkResponse(body) != nil {
			return
		}
		if book, found, err := bookOf(body, wanted); found && err == nil && len(book.Check()) > 0 {
			t.Errorf("%+v: %v", book, book.Check())
		}
	})
}
