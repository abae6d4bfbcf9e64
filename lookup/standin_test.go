package lookup

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testkit"
)

// What the known catalogues answer: the German National Library with decomposed letters and records in a
// namespace of their own, the Library of Congress with prefixes, the short form of an ISBN and the punctuation
// of ISBD, and Open Library.
const (
	ofDNB = `<?xml version="1.0" encoding="UTF-8"?><searchRetrieveResponse xmlns="http://www.loc.gov/zing/srw/"><version>1.1</version><numberOfRecords>1</numberOfRecords><records><record>
<recordSchema>MARC21-xml</recordSchema><recordPacking>xml</recordPacking><recordData><record xmlns="http://www.loc.gov/MARC21/slim" type="Bibliographic"><leader>00000nam a2200000 c 4500</leader>
<controlfield tag="008">060101s2005    gw ||||| |||| 00||||ger  </controlfield>
<datafield tag="020" ind1=" " ind2=" "><subfield code="a">9783518188330</subfield><subfield code="9">978-3-518-18833-0</subfield></datafield>
<datafield tag="100" ind1="1" ind2=" "><subfield code="0">(DE-588)118540238</subfield><subfield code="a">Kafka, Franz</subfield><subfield code="4">aut</subfield></datafield>
<datafield tag="245" ind1="1" ind2="4"><subfield code="a">` + "Erza\u0308hlungen fu\u0308r Ho\u0308rer" + `</subfield><subfield code="c">Franz Kafka</subfield></datafield>
<datafield tag="264" ind1=" " ind2="1"><subfield code="a">Frankfurt am Main</subfield><subfield code="b">Suhrkamp</subfield><subfield code="c">2005</subfield></datafield></record></recordData>
<recordPosition>1</recordPosition></record></records><echoedSearchRetrieveRequest><query>num=9783518188330</query></echoedSearchRetrieveRequest></searchRetrieveResponse>`
	ofLoC = `<?xml version="1.0"?><zs:searchRetrieveResponse xmlns:zs="http://www.loc.gov/zing/srw/"><zs:version>1.1</zs:version><zs:numberOfRecords>1</zs:numberOfRecords><zs:records><zs:record>
<zs:recordSchema>info:srw/schema/1/marcxml-v1.1</zs:recordSchema><zs:recordPacking>xml</zs:recordPacking><zs:recordData><record xmlns="http://www.loc.gov/MARC21/slim"><leader>00000cam a2200000 a 4500</leader>
<controlfield tag="008">060101s2005    gw ||||| |||| 00||||ger  </controlfield>
<datafield tag="020" ind1=" " ind2=" "><subfield code="a">351818833X (pbk.) :</subfield></datafield>
<datafield tag="100" ind1="1" ind2=" "><subfield code="a">Kafka, Franz,</subfield><subfield code="d">1883-1924.</subfield></datafield>
<datafield tag="245" ind1="1" ind2="4"><subfield code="a">Erz` + "\u00e4" + `hlungen f` + "\u00fc" + `r H` + "\u00f6" + `rer /</subfield><subfield code="c">Franz Kafka.</subfield></datafield>
<datafield tag="260" ind1=" " ind2=" "><subfield code="a">Frankfurt :</subfield><subfield code="b">Suhrkamp,</subfield><subfield code="c">2005.</subfield></datafield></record></zs:recordData>
<zs:recordPosition>1</zs:recordPosition></zs:record></zs:records></zs:searchRetrieveResponse>`
	ofOpenLibrary = `{"ISBN:9783518188330": {"url": "https://openlibrary.org/books/OL1M", "key": "/books/OL1M", "title": "Erz\u00e4hlungen f\u00fcr H\u00f6rer", "number_of_pages": 120,
"authors": [{"url": "https://openlibrary.org/authors/OL1A", "name": "Franz Kafka"}], "publishers": [{"name": "Suhrkamp"}], "publish_date": "2005", "cover": {"small": "https://covers.openlibrary.org/b/id/1-S.jpg"}}}`
)

// standIn is a known source at another address, which answers only what that source is asked, and how
// often it was asked something else.
func standIn(t *testing.T, name, body string, isAsked func(r *http.Request) bool) Source {
	t.Helper()
	local := address(serve(t, func(w http.ResponseWriter, r *http.Request) {
		if !isAsked(r) {
			t.Errorf("%s is asked for %s", name, r.URL)
		}
		w.Write([]byte(body))
	}))
	sources, err := ParseSources(name)
	testkit.NoError(t, err)
	switch protocol := sources[0].protocol.(type) {
	case sru:
		protocol.address = local
		return Source{name, protocol}
	case openLibrary:
		return Source{name, openLibrary{local}}
	}
	t.Fatalf("%s is no known source", name)
	return Source{}
}

func TestStandInsForTheKnownSourcesAreUnderstood(t *testing.T) {
	t.Parallel()
	asksSRU := func(schema, index string) func(r *http.Request) bool {
		return func(r *http.Request) bool {
			q := r.URL.Query()
			return q.Get("recordSchema") == schema && q.Get("version") == "1.1" && q.Get("operation") == "searchRetrieve" &&
				q.Get("query") == fmt.Sprintf("%s=%s or %s=%s", index, wanted, index, wanted10)
		}
	}
	l := New([]Source{
		standIn(t, "dnb", ofDNB, asksSRU("MARC21-xml", "num")),
		standIn(t, "loc", ofLoC, asksSRU("marcxml", "bath.isbn")),
		standIn(t, "openlibrary", ofOpenLibrary, func(r *http.Request) bool {
			return r.URL.Path == "/api/books" && r.URL.Query().Encode() == "bibkeys=ISBN%3A"+wanted+"&format=json&jscmd=data"
		}),
	}, Options{})
	answers, err := l.Find(t.Context(), wanted)
	testkit.NoError(t, err)
	want := library.BookFields{Title: "Erz\u00e4hlungen f\u00fcr H\u00f6rer", Authors: []string{"Franz Kafka"}, Publisher: "Suhrkamp", Published: 2005}
	for i, name := range []string{"dnb", "loc", "openlibrary"} {
		if len(answers) != 3 || answers[i].Source != name {
			t.Fatalf("%+v", answers)
		}
		got := answers[i].Book
		if name != "openlibrary" && got.Language != "de" || got.ISBN == "" {
			t.Errorf("%s: %+v", name, got)
		}
		got.Language, got.ISBN = "", ""
		testkit.Diff(t, want, got)
	}
}

func TestASourceThatLeadsElsewhereHasFailed(t *testing.T) {
	t.Parallel()
	good := response("", record(wanted, "Found"))
	other := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(good)) })
	source := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/here":
			http.Redirect(w, r, "/there", http.StatusFound)
		case "/elsewhere":
			http.Redirect(w, r, other+"/x", http.StatusFound)
		case "/around":
			http.Redirect(w, r, "/around", http.StatusMovedPermanently)
		default:
			w.Write([]byte(good))
		}
	})
	for path, want := range map[string]error{"/here": nil, "/elsewhere": ErrFailed, "/around": ErrFailed} {
		if answers, err := find(t, "sru+"+source+path); !errors.Is(err, want) || want == nil && len(answers) != 1 {
			t.Errorf("%s: %v, %v", path, answers, err)
		}
	}
}

// A source may answer at once and then send a byte now and then.
func TestASourceThatDripsHasFiveSecondsForAll(t *testing.T) {
	t.Parallel()
	drips := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			w.Write([]byte(" "))
			w.(http.Flusher).Flush()
			time.Sleep(50 * time.Millisecond)
		}
	})
	if _, err := find(t, "sru+"+drips+"/"); !errors.Is(err, ErrFailed) {
		t.Error(err)
	}
}

func TestHostileXMLIsAFailureAndTakesNoTime(t *testing.T) {
	t.Parallel()
	good := response("", record(wanted, "Found"))
	var laughs strings.Builder
	laughs.WriteString(`<!DOCTYPE r [<!ENTITY a0 "ha">`)
	for i := range 40 {
		fmt.Fprintf(&laughs, `<!ENTITY a%d "&a%d;&a%d;">`, i+1, i, i)
	}
	laughs.WriteString("]>" + strings.Replace(good, "Found", "&a40;", 1))
	for name, body := range map[string]string{
		"entities of entities":  laughs.String(),
		"a file":                `<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>` + strings.Replace(good, "Found", "&x;", 1),
		"a document type alone": `<!DOCTYPE searchRetrieveResponse SYSTEM "http://127.0.0.1:1/x.dtd">` + good,
		"many open elements":    strings.Repeat("<a>", 300_000),
		"an endless attribute":  `<searchRetrieveResponse a="` + strings.Repeat("x", 900_000),
		"an endless comment":    "<!--" + strings.Repeat("-x", 400_000),
	} {
		address := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(body)) })
		if answers, err := find(t, "sru+"+address+"/"); !errors.Is(err, ErrFailed) {
			t.Errorf("%s: %v, %v", name, answers, err)
		}
	}
}
