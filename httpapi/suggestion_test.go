package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"example.org/library"
)

func TestSuggestionsAreValuesThatSomebodyMayBeTyping(t *testing.T) {
	t.Parallel()
	onEachDatabase(t, func(t *testing.T, w *world) {
		w.addBooks(t,
			library.BookFields{Title: "Zebras at Night", Authors: []string{"Zoë Zander"}, Series: "Zebra tales", Subjects: []string{"Zebras", "zebrafish"}},
			library.BookFields{Title: "A Zebra", Subjects: []string{"ZEBRAS"}},
		)
		for q, want := range map[string]string{
			"zebra":        `title Zebras at Night book,series Zebra tales,subject ZEBRAS,subject zebrafish,title A Zebra book`,
			"  ZÉBRAS ":    `title Zebras at Night book,subject ZEBRAS`,
			"zan zoe":      `author Zoë Zander`,
			"zo":           `author Zoë Zander`,
			"night zebras": `title Zebras at Night book`,
			"qqq":          ``,
			"--":           ``,
		} {
			a := w.send(t, request{as: bruceWayne, path: "/suggestions?q=" + strings.ReplaceAll(q, " ", "+")}).want(t, 200, "")
			var got []string
			for _, s := range a.value(t).([]any) {
				text := find(s, "kind").(string) + " " + find(s, "value").(string)
				if _, ok := s.(map[string]any)["book"]; ok {
					text += " book"
				}
				got = append(got, text)
			}
			if strings.Join(got, ",") != want {
				t.Errorf("%q:\ngot  %q\nwant %q", q, strings.Join(got, ","), want)
			}
		}
	})
}

func TestASuggestionNeedsTwoCharacters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, query := range []string{"", "?q=", "?q=a", "?q=+a+", "?q=%01ab", "?q=ab&q=cd", "?q=ab&limit=3", "?q=a+b+c+d+e+f+g+h+i+j+k+l+m+n+o+p+q+r+s+t+u+v+w+x+y+z+1+2+3+4+5+6+7", "?q=" + strings.Repeat("a", 1001)} {
		w.send(t, request{as: bruceWayne, path: "/suggestions" + query}).want(t, 400, "bad_query")
	}
	if a := w.send(t, request{as: bruceWayne, path: "/suggestions?q=a"}); !strings.Contains(string(a.body), `"too_short"`) {
		t.Errorf("%s", a.body)
	}
	w.send(t, request{as: bruceWayne, path: "/suggestions?q=" + "é" + "ß"}).want(t, 200, "")
	w.send(t, request{as: bruceWayne, method: http.MethodPost, path: "/suggestions?q=ab"}).want(t, 405, "method_not_allowed")
}
