package devidp

import (
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

func TestPagesSpeakTheLanguageThatIsAskedFor(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		asked, browser string
		want           locale
	}{
		{"", "", english}, {"de", "", german}, {"de-CH en", "", german}, {"fr de", "", german}, {"en de", "", english},
		{"fr", "", english}, {"fr", "de", german}, {"en", "de", english}, {"de", "en", german},
		{"", "de-AT,de;q=0.9,en;q=0.8", german}, {"", "en-GB,en;q=0.9,de;q=0.8", english}, {"", "fr;q=0.9", english}, {"", "*", english},
		{"<b>", "de", german}, {"de", "\xff", german}, {"\x00", "%%%", english}, {strings.Repeat("de ", 1000), "", english},
		{"gsw", "", german}, // who speaks Swiss German reads German
	} {
		r := httptest.NewRequest("GET", "/?"+url.Values{"ui_locales": {tt.asked}}.Encode(), nil)
		r.Header.Set("Accept-Language", tt.browser)
		if got := localeOf(r); got != tt.want {
			t.Errorf("asked %.20q, browser %q: %s", tt.asked, tt.browser, got)
		}
	}
}

func TestSignInInGerman(t *testing.T) {
	t.Parallel()
	b := newWorld(t).browser()
	check := func(says ...string) {
		t.Helper()
		testkit.Contains(t, b.page.text, append(says, `<html lang="de">`, "Anmeldedienst für die Entwicklung")...)
	}
	b.get(authAddress(authQuery(confidential, callback, "ui_locales", "de")))
	check("<title>Anmelden – Library</title>", "Benutzername", "Passwort")
	b.submit("username", "bwayne", "password", "x")
	check("Der Benutzername oder das Passwort stimmt nicht.")
	for range freeFailures {
		b.submit("username", "bwayne", "password", "x")
	}
	check("Warten Sie 1 Sekunde und versuchen")
	b.submit("username", "ckent", "password", "kent")
	check("Zugriff erlauben?", "bittet um:", "Ihre E-Mail-Adresse (clark.kent@example.com)", "Erlauben", "Ablehnen")
	b.get(at(pathLogout) + "?ui_locales=de")
	check("Abmelden?", "Sie sind angemeldet als <strong>Clark Kent</strong>")
	b.submit()
	check("Sie sind abgemeldet")
	b.get(at(pathAuth) + "?ui_locales=de")
	check("Diese Anmeldung kann nicht fortgesetzt werden", "Die Anwendung, von der Sie kommen, ist nicht bekannt.")
}

// Whatever a page can say has a German text, and nothing else has.
func TestEveryTextIsTranslated(t *testing.T) {
	t.Parallel()
	said := map[string]bool{}
	collect := func(file string, patterns ...string) {
		source, err := os.ReadFile(file)
		testkit.NoError(t, err)
		for _, pattern := range patterns {
			for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(source), -1) {
				said[found[1]] = true
			}
		}
	}
	collect("pages.html", `\{\{t "([^"]+)"`, `template "head" "([^"]+)"`)
	files, err := filepath.Glob("*.go")
	testkit.NoError(t, err)
	for _, file := range files {
		if !strings.HasSuffix(file, "_test.go") {
			collect(file, `\.text\("([^"]+)"`, `bad(?:Request|Logout)\("([^"]+)"`, `(?:Title|Message|Label): +"([^"]+)"`)
		}
	}
	for text := range said {
		if germanTexts[text] == "" {
			t.Errorf("there is no German text for %q", text)
		}
	}
	for text, translated := range germanTexts {
		if !said[text] {
			t.Errorf("no page says %q", text)
		}
		if strings.Count(text, "%") != strings.Count(translated, "%") {
			t.Errorf("%q takes other arguments than %q", translated, text)
		}
	}
}
