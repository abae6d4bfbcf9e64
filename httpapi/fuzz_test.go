package httpapi_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.org/library/internal/testidp"
)

// anyCaller is a world with callers who send anything at all.
type anyCaller struct {
	*world
	tokens []string // of nobody, a reader, a curator, an admin, and somebody who is everything
}

func newAnyCaller(t testing.TB) anyCaller {
	s := anyCaller{world: newWorld(t), tokens: []string{""}}
	later := time.Now().Add(24 * time.Hour).Unix()
	for email, scope := range map[string]string{
		bruceWayne: "library_user", peterParker: "library_curator", bruceBanner: "library_admin",
		clarkKent: "library_user library_curator library_admin",
	} {
		s.tokens = append(s.tokens, s.idp.Mint(t, testidp.Claims{"email": email, "scope": scope, "exp": later}))
	}
	return s
}

// ask sends a request that may be anything net/http lets through, and expects
// an answer that keeps the contract and is no error of ours.
func (s anyCaller) ask(t testing.TB, method, target, header, body string, who uint8) {
	t.Helper()
	text := method + " " + target + " HTTP/1.1\r\nHost: library.test\r\n"
	if token := s.tokens[int(who)%len(s.tokens)]; token != "" {
		text += "Authorization: Bearer " + token + "\r\n"
	}
	for line := range strings.FieldsFuncSeq(header, func(r rune) bool { return r == '\n' || r == '\r' }) {
		text += line + "\r\n"
	}
	text += fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(text)))
	if err != nil {
		return // net/http refuses it before it reaches the API
	}
	recorder := httptest.NewRecorder()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	r = r.WithContext(ctx)
	s.server.Config.Handler.ServeHTTP(impatient{recorder, cancel}, r)
	uri := r.RequestURI
	if !strings.HasPrefix(uri, "/") && r.URL.Host != "" {
		uri = r.URL.EscapedPath()
	}
	a := reply{status: recorder.Code, header: recorder.Header(), body: recorder.Body.Bytes()}
	if a.status >= 500 {
		t.Errorf("status %d: %s\n%v\n%v", a.status, a.body, s.log.events(t, "internal error"), s.log.events(t, "panic"))
	}
	s.checkContract(t, r, uri, a)
}

// impatient goes away when something is sent before the answer is complete: a
// stream would go on for ever.
type impatient struct {
	*httptest.ResponseRecorder
	leave func()
}

func (i impatient) Flush() { i.leave() }

// Pieces from which hostile requests are made.
var (
	someMethods = []string{"GET", "GET", "GET", "HEAD", "POST", "POST", "PUT", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "get", "X"}
	someTargets = []string{
		basePath + "/books", basePath + bookPath, basePath + borrowPath, basePath + returnPath, basePath + "/users", basePath + userPath,
		basePath + importPath, basePath + importPath + "?update=true", basePath + "/me", basePath + "/me/books", basePath + "/openapi.yaml", basePath + "/events", basePath, "/", "*", "http://library.test" + basePath + "/books",
		basePath + "/books/" + unknownID, basePath + "/users/" + unknownID, "library.test:443", "http://library.test",
		basePath + "/loans", basePath + "/loans?state=", basePath + "/loans/" + unknownID, basePath + "/loans/" + unknownID + "/renew", basePath + "/holds", basePath + "/holds/" + unknownID,
		basePath + bookPath + "/holds", basePath + bookPath + "/copies", basePath + "/copies/" + unknownID, basePath + "/readers", basePath + "/readers?card=", basePath + "/codes/", basePath + "/codes/0132350882",
		basePath + "/policy", basePath + "/statistics", basePath + "/statistics?by=day&from=", basePath + "/me/history", basePath + "/me/export", basePath + "/me/calendar",
	}
	somePieces = []string{
		"/", "//", "/..", "/.", "%2e%2e", "%2f", "%00", "%0d%0a", ";", ";a=b", "\\", "%5c", "%", "%25", "%zz", "\x00", "\x7f", "é", "%C3%A9", "\xff", "#x", "@", ":",
		"?", "&", "=", "?limit=", "1", "0", "-1", "1000", "1001", "99999999999999999999", "?sort=", "title", "-created", "?q=", "clean", "'", "\"", "%22", "--", "*", "(", "%F0%9D%84%9E",
		"?cursor=", "eyJvIjoidGl0bGUiLCJrIjoiYSIsImkiOiJmOWJmNzBkNi1lNTZkLTRjYWItYmU2Yi0yOTRjZDA1ZjU5OWYifQ", "?isbn=", "0-13-235088-2", "x", "?author=", "?borrowed=", "true",
		"&access_token=x", "?access%5ftoken", "+", "a+b+c", strings.Repeat("a", 300), strings.Repeat("%41", 300), "<script>", "$(id)", "' OR 1=1 --", "%25%30%30",
	}
	someHeaders = []string{
		"Origin: http://localhost:4200", "Origin: null", "Origin: http://evil.example", "Origin:", "Access-Control-Request-Method: PUT", "Access-Control-Request-Headers: x\x01y",
		"Content-Type: application/json", "Content-Type: application/json", "Content-Type: text/plain", "Content-Type: ;", "Content-Encoding: gzip",
		"If-Match: *", "If-Match: \"", "If-Match: ,,,", "If-None-Match: *", "If-None-Match: W/\"x\"", "X-Request-Id: ok", "X-Request-Id: \x7f", "X-Request-Id: " + strings.Repeat("y", 100),
		"Authorization: Bearer x", "Authorization: Basic YTpi", "Authorization: ", "X-HTTP-Method-Override: DELETE", "X-Forwarded-Host: evil.example", "Range: bytes=0-1",
		"Expect: 100-continue", "Accept: text/html", "Cookie: a=b", "Connection: upgrade", "Upgrade: websocket", "Accept-Encoding: gzip", "Last-Event-ID: x", "Last-Event-ID: AAAAAAAAAAAAAAAAAAAAAf//////////",
	}
	someBodies = []string{
		"", "", `{"title":"T"}`, `{"title":"T","authors":["A"],"isbn":"0132350882","description":"d"}`, `{"email":"x@y","firstName":"X","lastName":"Y","roles":["LIBRARY_USER"]}`,
		`{`, `[]`, `null`, `"x"`, `{"title":null}`, `{"title":"\u0000"}`, `{"title":"\ud800"}`, "{\"title\":\"\xff\"}", `{"title":"T","title":"U"}`, `{"title":1e999}`,
		`{"identifier":"` + unknownID + `","title":"T"}`, `{"identifier":"` + cleanCode + `","title":"T"}`, `{"title":"` + strings.Repeat("𝄞", 256) + `"}`, `{"title":"ŉΐ` + "\u0345" + `"}`,
		`{"user":"` + wayneID + `","book":"` + cleanCode + `"}`, `{"user":"` + wayneID + `","barcode":"B"}`, `{"user":"` + wayneID + `","copy":"` + unknownID + `","book":null}`, `{"barcode":"B","shelf":"S","note":"N","state":"lost"}`,
		`{"loanDays":28,"historyDays":0,"closedWeekdays":["sunday"],"closedDates":["2026-12-24"],"overdueDays":[1],"timeZone":"Asia/Kathmandu"}`, `{"loanDays":1e300,"overdueDays":[1.5]}`, `{"timeZone":"../etc/passwd"}`,
		`{"closedDates":["0000-00-00","9999-12-31"]}`, `{"locale":"de","reminders":false}`, `{"email":"x@y","firstName":"X","lastName":"Y","card":"C","locale":"fr"}`, `{"title":"T","copies":999}`,
		`{"email":"x@y@z","firstName":"","lastName":" "}`, strings.Repeat("[", 10_000), `{"title":"T"}{}`, "\ufeff{}", `{"roles":[null]}`, `{"authors":[[]]}`,
		`[{"title":"T"},null,{"title":"T","isbn":"0132350882"},{"title":"T","title":"U"},{"identifier":"` + cleanCode + `","title":"U"}]`,
	}
)

// pick takes up to n of the pieces and joins them.
func pick(r *rand.Rand, pieces []string, n int, separator string) string {
	var out []string
	for range r.IntN(n + 1) {
		out = append(out, pieces[r.IntN(len(pieces))])
	}
	return strings.Join(out, separator)
}

func TestHostileRequestsNeverGetA5xx(t *testing.T) {
	t.Parallel()
	s := newAnyCaller(t)
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		method := someMethods[r.IntN(len(someMethods))]
		target := someTargets[r.IntN(len(someTargets))] + pick(r, somePieces, 4, "")
		header, body := pick(r, someHeaders, 3, "\n"), someBodies[r.IntN(len(someBodies))]
		s.ask(t, method, target, header, body, uint8(r.IntN(5)))
		if t.Failed() {
			t.Fatalf("seed %d: %q %q %q %.200q", seed, method, target, header, body)
		}
	}
}

func FuzzRequest(f *testing.F) {
	for i, target := range someTargets {
		f.Add(someMethods[i%len(someMethods)], target, someHeaders[i%len(someHeaders)], someBodies[i%len(someBodies)], uint8(i))
	}
	for i, piece := range somePieces {
		f.Add("GET", basePath+"/books"+piece, "", "", uint8(i))
	}
	for i, body := range someBodies {
		f.Add("POST", basePath+"/books", "Content-Type: application/json", body, uint8(2+i%3))
		f.Add("POST", basePath+importPath+"?update=true", "Content-Type: application/json", "["+body+"]", uint8(2+i%3))
		f.Add("PUT", basePath+userPath, "Content-Type: application/json", body, uint8(4))
		f.Add("PUT", basePath+"/policy", "Content-Type: application/json", body, uint8(4))
		f.Add("POST", basePath+"/loans", "Content-Type: application/json", body, uint8(2+i%3))
	}
	s := newAnyCaller(f)
	f.Fuzz(func(t *testing.T, method, target, header, body string, who uint8) {
		s.ask(t, method, target, header, body, who)
	})
}

// FuzzLendingBody sends a body as the rules of the library, and as something to
// lend. A policy that is accepted must be one by which the library can work.
func FuzzLendingBody(f *testing.F) {
	for _, body := range someBodies {
		f.Add(body)
	}
	s := newAnyCaller(f)
	everything := s.idp.Mint(f, testidp.Claims{
		"email": clarkKent, "scope": "library_user library_curator library_admin", "exp": time.Now().Add(24 * time.Hour).Unix(),
	})
	s.tokens = []string{everything}
	f.Fuzz(func(t *testing.T, body string) {
		const json = "Content-Type: application/json"
		for _, r := range []struct{ method, path, body string }{
			{"PUT", "/policy", body}, {"POST", "/loans", body}, {"POST", bookPath + "/copies", body}, {"PUT", "/me", body},
			{"POST", "/books/" + designPatterns + "/borrow", ""}, {"POST", "/books/" + designPatterns + "/return", ""}, {"GET", "/statistics", ""},
		} {
			s.ask(t, r.method, basePath+r.path, json, r.body, 0)
		}
	})
}
