package library

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const someID = "f9bf70d6-e56d-4cab-be6b-294cd05f599f"

func TestCursorsSurviveTheirJourney(t *testing.T) {
	t.Parallel()
	created := time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC)
	for _, title := range []string{
		"Clean Code", "L'Étranger", `"<&>"`, strings.Repeat("𝄞", MaxTitle), strings.Repeat("\u2028", MaxTitle), "1\u00a0",
	} {
		for _, order := range Orders {
			c := Book{ID: someID, BookFields: BookFields{Title: title, Published: 1999}, Created: created}.Cursor(order)
			got, ok := ParseCursor(c.String(), order)
			if !ok {
				t.Errorf("%s, %.20q: the cursor is not accepted", order, title)
				continue
			}
			want := Cursor{Order: order, ID: someID}
			switch order {
			case ByTitle, ByTitleReverse:
				want.Title = title
			case ByPublished, ByPublishedNewest:
				want.Title, want.Published = title, 1999
			default:
				want.Created = created
			}
			if diff := cmp.Diff(want, *got); diff != "" {
				t.Errorf("%s (-want +got)\n%s", order, diff)
			}
		}
	}
	user := User{ID: someID, UserFields: UserFields{FirstName: "Bruce", LastName: "Wayne"}}
	got, ok := ParseCursor(user.Cursor().String(), ByLastName)
	if !ok || got.LastName != "Wayne" || got.FirstName != "Bruce" || got.ID != someID {
		t.Errorf("cursor of a user: %+v, %v", got, ok)
	}
}

func TestCursorsOfAnotherListAreRefused(t *testing.T) {
	t.Parallel()
	book := Book{ID: someID, BookFields: BookFields{Title: "T"}, Created: time.Unix(1, 0)}
	for _, made := range Orders {
		for _, used := range Orders {
			if _, ok := ParseCursor(book.Cursor(made).String(), used); ok != (made == used) {
				t.Errorf("a cursor of %s is accepted by %s: %v", made, used, ok)
			}
		}
		if _, ok := ParseCursor(book.Cursor(made).String(), ByLastName); ok {
			t.Errorf("a cursor of books by %s is accepted by the list of users", made)
		}
	}
	if _, ok := ParseCursor(User{ID: someID}.Cursor().String(), ByTitle); ok {
		t.Error("a cursor of users is accepted by the list of books")
	}
}

func TestTamperedCursorsAreRefused(t *testing.T) {
	t.Parallel()
	encode := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	for name, cursor := range map[string]string{
		"nothing":                        "",
		"not base64":                     "!!!",
		"padded":                         encode(`{"o":"title","k":"ab","i":"`+someID+`"}`) + "=",
		"not JSON":                       encode("title"),
		"no object":                      encode(`["title"]`),
		"null":                           encode(`null`),
		"no order":                       encode(`{"k":"a","i":"` + someID + `"}`),
		"no identifier":                  encode(`{"o":"title","k":"a"}`),
		"a strange identifier":           encode(`{"o":"title","k":"a","i":"' OR 1=1"}`),
		"NUL in the key":                 encode(`{"o":"title","k":"a\u0000","i":"` + someID + `"}`),
		"a key of a wrong type":          encode(`{"o":"title","k":1,"i":"` + someID + `"}`),
		"a key that is too long":         encode(`{"o":"title","k":"` + strings.Repeat("x", MaxTitle+1) + `","i":"` + someID + `"}`),
		"a time that is no number":       encode(`{"o":"title","t":1e99,"i":"` + someID + `"}`),
		"a time before there were books": encode(`{"o":"title","t":-9223372036854775808,"i":"` + someID + `"}`),
		"a time beyond the calendar":     encode(`{"o":"title","t":9223372036854775807,"i":"` + someID + `"}`),
		"trailing data":                  encode(`{"o":"title","k":"a","i":"` + someID + `"}{}`),
		"far too long":                   strings.Repeat("A", 100_000),
	} {
		if c, ok := ParseCursor(cursor, ByTitle); ok {
			t.Errorf("%s: accepted as %+v", name, c)
		}
	}
}

func FuzzCursor(f *testing.F) {
	for _, order := range Orders {
		f.Add(Book{ID: someID, BookFields: BookFields{Title: "T"}, Created: time.Unix(1, 0)}.Cursor(order).String())
	}
	f.Add("")
	f.Add("e30")
	f.Fuzz(func(t *testing.T, s string) {
		for _, order := range Orders {
			c, ok := ParseCursor(s, order)
			if !ok {
				continue
			}
			if _, valid := ParseID(c.ID); !valid || c.Order != order || strings.ContainsRune(c.Title, 0) {
				t.Errorf("accepted %+v", c)
			}
			if again, ok := ParseCursor(c.String(), order); !ok || !again.Created.Equal(c.Created) && order != ByTitle && order != ByTitleReverse {
				t.Errorf("%+v does not survive another journey", c)
			}
		}
	})
}

// TestACursorOfTheLongestCorrectionIsRead has a correction of characters that are escaped in
// pages, and the longest title.
func TestACursorOfTheLongestCorrectionIsRead(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"&", "<", `"`, "é"} {
		corrected := strings.Repeat(text, 2000/len(text))
		c := Cursor{Order: ByRelevance, Title: strings.Repeat("\U0001F4D6", 255), Class: InTitle, ID: NewID(), Corrected: corrected}
		if got, ok := ParseCursor(c.String(), ByRelevance); !ok || got.Corrected != corrected {
			t.Errorf("a correction of 2,000 bytes of %q is not read from a cursor of %d", text, len(c.String()))
		}
	}
}
