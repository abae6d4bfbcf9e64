package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
)

// ifNoneMatch asks again for what the caller has already.
func (w *world) ifNoneMatch(t *testing.T, as, path, tag string) int {
	t.Helper()
	return w.send(t, request{as: as, path: path, header: field("If-None-Match", tag)}).status
}

func (w *world) tagOf(t *testing.T, as, path string) string {
	t.Helper()
	tag := w.send(t, request{as: as, path: path}).want(t, 200, "").tag()
	if tag == "" {
		t.Fatalf("%s has no ETag", path)
	}
	return tag
}

func TestWhatTheCallerHasAlreadyIsNotSentAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lent(cleanCode, bruceWayne)(t, w)
	for _, c := range []struct{ as, path string }{
		{bruceWayne, bookPath}, {bruceBanner, bookPath}, {peterParker, bookPath}, {bruceWayne, "/books"},
		{bruceWayne, "/books?q=clean"}, {clarkKent, "/books?limit=2"}, {clarkKent, userPath},
	} {
		tag := w.tagOf(t, c.as, c.path)
		for _, match := range []string{tag, "W/" + tag, `"other-tag", ` + tag, "*", `"x",` + tag + `,"y"`} {
			if got := w.ifNoneMatch(t, c.as, c.path, match); got != 304 {
				t.Errorf("%s %s: If-None-Match: %s gives %d, want 304", c.as, c.path, match, got)
			}
		}
		for _, match := range []string{`"other-tag"`, strings.Trim(tag, `"`), tag[:len(tag)-2] + `"`, ""} {
			if got := w.ifNoneMatch(t, c.as, c.path, match); got != 200 {
				t.Errorf("%s %s: If-None-Match: %s gives %d, want 200", c.as, c.path, match, got)
			}
		}
		head := w.send(t, request{as: c.as, method: http.MethodHead, path: c.path, header: field("If-None-Match", tag)})
		if head.status != 304 || head.tag() != tag {
			t.Errorf("HEAD %s: %d, tag %s", c.path, head.status, head.tag())
		}
	}
}

func TestTagsDifferWhereSightDiffers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lent(cleanCode, bruceWayne)(t, w)
	for _, path := range []string{bookPath, "/books"} {
		borrower, reader, curator := w.tagOf(t, bruceWayne, path), w.tagOf(t, bruceBanner, path), w.tagOf(t, peterParker, path)
		if borrower == reader || reader == curator || borrower == curator {
			t.Errorf("%s: borrower %s, reader %s, curator %s", path, borrower, reader, curator)
		}
		if got := w.ifNoneMatch(t, bruceBanner, path, borrower); got != 200 {
			t.Errorf("%s: the borrower's tag gives another reader %d", path, got)
		}
	}
	// The same person with another token may see more.
	tag := w.tagOf(t, bruceBanner, bookPath)
	a := w.send(t, request{token: w.idp.Token(t, bruceBanner, "library_curator"), path: bookPath, header: field("If-None-Match", tag)}).want(t, 200, "")
	if a.book(t).BorrowedBy == nil {
		t.Error("the curator does not see the borrower")
	}
}

// TestTagsChangeWithWhatTheyStandFor changes the library in some way and asks
// everybody whether what they have is still good.
func TestTagsChangeWithWhatTheyStandFor(t *testing.T) {
	t.Parallel()
	rename := func(t *testing.T, w *world) {
		w.send(t, request{as: clarkKent, method: http.MethodPut, path: userPath,
			body: `{"email":"bruce.wayne@example.com","firstName":"The","lastName":"Bat"}`}).want(t, 200, "")
	}
	recreate := inTurn(returned(cleanCode, bruceWayne), deleted(bookPath, peterParker),
		added("/books", peterParker, `{"identifier":"`+cleanCode+`","title":"Clean Code"}`))
	for _, c := range []struct {
		change  string
		apply   func(*testing.T, *world)
		book    map[string]int // for each caller: the answer to If-None-Match with the tag from before
		changed []string       // other paths that must not be 304
	}{
		{"nothing", func(*testing.T, *world) {}, map[string]int{bruceWayne: 304, bruceBanner: 304, peterParker: 304, clarkKent: 304}, nil},
		{"an edit", edited(cleanCode, `{"title":"T"}`), map[string]int{bruceWayne: 200, bruceBanner: 200, peterParker: 200, clarkKent: 200}, []string{"/books"}},
		{"an edit that changes nothing", edited(cleanCode, `{"title":"Clean Code"}`), map[string]int{bruceWayne: 200, peterParker: 200}, nil},
		{"an edit of another book", edited(designPatterns, `{"title":"T"}`), map[string]int{bruceWayne: 304, bruceBanner: 304, peterParker: 304}, []string{"/books"}},
		{"the return", returned(cleanCode, bruceWayne), map[string]int{bruceWayne: 200, bruceBanner: 200, peterParker: 200, clarkKent: 200}, []string{"/books"}},
		{"a new loan", inTurn(returned(cleanCode, bruceWayne), lent(cleanCode, bruceBanner)), map[string]int{bruceWayne: 200, bruceBanner: 200, peterParker: 200}, []string{"/books"}},
		{"a new name of the borrower", rename, map[string]int{bruceWayne: 200, bruceBanner: 304, peterParker: 200, clarkKent: 200}, []string{"/books", userPath}},
		{"deletion and another book of the same identifier", recreate, map[string]int{bruceWayne: 200, bruceBanner: 200, peterParker: 200}, []string{"/books"}},
		{"a new book", added("/books", peterParker, `{"title":"T"}`), map[string]int{bruceWayne: 304, peterParker: 304}, []string{"/books", "/books?limit=1"}},
	} {
		t.Run(c.change, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			edited(cleanCode, `{"title":"Clean Code"}`)(t, w)
			lent(cleanCode, bruceWayne)(t, w)
			before, others := map[string]string{}, map[string]string{}
			for who := range c.book {
				before[who] = w.tagOf(t, who, bookPath)
			}
			for _, path := range c.changed {
				others[path] = w.tagOf(t, clarkKent, path)
			}
			c.apply(t, w)
			for who, want := range c.book {
				if got := w.ifNoneMatch(t, who, bookPath, before[who]); got != want {
					t.Errorf("for %s the old tag gives %d, want %d", who, got, want)
				}
			}
			for path, tag := range others {
				if got := w.ifNoneMatch(t, clarkKent, path, tag); got != 200 {
					t.Errorf("the old tag of %s gives %d, want 200", path, got)
				}
			}
		})
	}
}

func TestEditsDoNotOverwriteEachOther(t *testing.T) {
	t.Parallel()
	other := edited(cleanCode, `{"title":"Other"}`)
	recreate := inTurn(deleted(bookPath, peterParker), added("/books", peterParker, `{"identifier":"`+cleanCode+`","title":"Clean Code"}`))
	same := func(tag string) string { return tag }
	for _, c := range []struct {
		rule   string
		path   string
		reader string // whose tag it is; "" is the editor's
		change func(*testing.T, *world)
		match  func(tag string) string
		want   int // of the PUT
		delete int // of the DELETE; 0 is 204 for 200 and the same otherwise
	}{
		{rule: "nothing has changed", path: bookPath, match: same, want: 200},
		{rule: "somebody else has edited it", path: bookPath, change: other, match: same, want: 412},
		{rule: "the book was lent", path: bookPath, change: lent(cleanCode, bruceWayne), match: same, want: 200, delete: 409},
		{rule: "the book was lent and returned", path: bookPath, change: inTurn(lent(cleanCode, bruceWayne), returned(cleanCode, bruceWayne)), match: same, want: 200},
		{rule: "the tag is what another viewer sees", path: bookPath, reader: bruceWayne, match: same, want: 200},
		{rule: "the book was deleted and added again", path: bookPath, change: recreate, match: same, want: 412},
		{rule: "the book is gone", path: bookPath, change: deleted(bookPath, peterParker), match: same, want: 404},
		{rule: "any version will do", path: bookPath, change: other, match: func(string) string { return "*" }, want: 200},
		{rule: "one of several tags", path: bookPath, match: func(tag string) string { return `"a-b", ` + tag }, want: 200},
		{rule: "a weak tag matches nothing", path: bookPath, match: func(tag string) string { return "W/" + tag }, want: 412},
		{rule: "a tag of ours without quotes", path: bookPath, match: func(tag string) string { return strings.Trim(tag, `"`) }, want: 412},
		{rule: "a tag of nobody", path: bookPath, match: func(string) string { return `"xyzzy"` }, want: 412},
		{rule: "an empty tag", path: bookPath, match: func(string) string { return `""` }, want: 412},
		{rule: "the tag of the list", path: "/books", match: same, want: 412},
		{rule: "the tag of another book", path: "/books/" + designPatterns, match: same, want: 412},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			reader := c.reader
			if reader == "" {
				reader = peterParker
			}
			for _, method := range []string{http.MethodPut, http.MethodDelete} {
				w := newWorld(t)
				tag := w.tagOf(t, reader, c.path)
				if c.change != nil {
					c.change(t, w)
				}
				want, body := c.want, `{"title":"Mine"}`
				if method == http.MethodDelete {
					body = ""
					if want == 200 {
						want = 204
					}
					if c.delete != 0 {
						want = c.delete
					}
				}
				a := w.send(t, request{as: peterParker, method: method, path: bookPath, body: body, header: field("If-Match", c.match(tag))})
				if a.status != want {
					t.Errorf("%s: %d %s, want %d", method, a.status, a.code(), want)
				}
				if a.status == 412 {
					if got := w.send(t, request{as: peterParker, path: bookPath}).want(t, 200, "").book(t).Title; got == "Mine" {
						t.Error("the book was changed all the same")
					}
				}
			}
		})
	}
}

func TestUsersAreNotOverwrittenEither(t *testing.T) {
	t.Parallel()
	const body = `{"email":"bruce.wayne@example.com","firstName":"B","lastName":"W"}`
	w := newWorld(t)
	tag := w.tagOf(t, clarkKent, userPath)
	put := request{as: clarkKent, method: http.MethodPut, path: userPath, body: body, header: field("If-Match", tag)}
	w.send(t, put).want(t, 200, "")
	w.send(t, put).want(t, 412, "outdated")
	w.send(t, request{as: clarkKent, method: http.MethodDelete, path: userPath, header: field("If-Match", tag)}).want(t, 412, "outdated")
	now := w.tagOf(t, clarkKent, userPath)
	w.send(t, request{as: clarkKent, method: http.MethodDelete, path: userPath, header: field("If-Match", now)}).want(t, 204, "")
}

// The cache of answers must never show one caller what another may see.
func TestCachedAnswersAreNotSharedBetweenViewers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lent(cleanCode, bruceWayne)(t, w)
	for range 3 {
		for who, sees := range map[string]bool{peterParker: true, bruceBanner: false, bruceWayne: true, clarkKent: true} {
			for _, path := range []string{bookPath, "/books", "/books?borrowed=true"} {
				a := w.send(t, request{as: who, path: path}).want(t, 200, "")
				if strings.Contains(string(a.body), "borrowedBy") != sees {
					t.Fatalf("%s %s: %s", who, path, a.body)
				}
			}
		}
	}
}
