package devidp

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"golang.org/x/text/language"
)

// locale is a language of the pages.
type locale string

const (
	english locale = "en"
	german  locale = "de"
)

// locales are all of them. The first is used for all other preferences.
var locales = []locale{english, german}

var localeMatcher = language.NewMatcher([]language.Tag{language.English, language.German})

// maxPreferences is how many bytes of the preferred languages are read.
const maxPreferences = 200

// localeOf returns the language for a request: the one asked for by the client (ui_locales, OpenID
// Connect Core, section 3.1.2.1), or else by the settings of the browser.
func localeOf(r *http.Request) locale {
	asked := strings.Join(strings.Fields(r.URL.Query().Get("ui_locales")), ",")
	for _, preferences := range []string{asked, r.Header.Get("Accept-Language")} {
		if len(preferences) > maxPreferences {
			continue
		}
		tags, _, err := language.ParseAcceptLanguage(preferences)
		if err != nil {
			continue
		}
		if _, at, confidence := localeMatcher.Match(tags...); confidence > language.No {
			return locales[at]
		}
	}
	return english
}

// text returns a text of the pages in this language. It is looked up by the English one, which is
// also the format for any arguments.
func (t locale) text(text string, args ...any) string {
	if translated, ok := germanTexts[text]; ok && t == german {
		text = translated
	}
	if len(args) == 0 {
		return text
	}
	return fmt.Sprintf(text, args...)
}

// seconds is a time to wait, in words.
func (t locale) seconds(d time.Duration) string {
	if n := wholeSeconds(d); n != 1 {
		return t.text("%d seconds", n)
	}
	return t.text("1 second")
}

// germanTexts are the texts of the pages in German.
var germanTexts = map[string]string{
	"Development identity provider – for trying things out, not for real accounts.": "Anmeldedienst für die Entwicklung – zum Ausprobieren, nicht für echte Konten.",

	"Sign in":        "Anmelden",
	"to continue to": "Weiter zu",
	"User name":      "Benutzername",
	"Password":       "Passwort",
	"Group":          "Gruppe",
	"Sample logins":  "Anmeldungen zum Ausprobieren",
	"The user name or the password is not right.":                 "Der Benutzername oder das Passwort stimmt nicht.",
	"There were too many failed attempts. Wait %s and try again.": "Es gab zu viele Fehlversuche. Warten Sie %s und versuchen Sie es dann noch einmal.",
	"%d seconds": "%d Sekunden",
	"1 second":   "1 Sekunde",

	"Allow access?":                                  "Zugriff erlauben?",
	"asks for:":                                      "bittet um:",
	"your name (%s) and user name (%s)":              "Ihren Namen (%s) und Benutzernamen (%s)",
	"your e-mail address (%s)":                       "Ihre E-Mail-Adresse (%s)",
	"listing, borrowing and returning books for you": "das Recht, für Sie Bücher anzusehen, auszuleihen und zurückzugeben",
	"adding, editing and deleting books for you":     "das Recht, für Sie Bücher aufzunehmen, zu ändern und zu löschen",
	"managing the users of the library for you":      "das Recht, für Sie die Personen der Bibliothek zu verwalten",
	"when you signed in here":                        "den Zeitpunkt Ihrer Anmeldung hier",
	"A program on this computer is asking. Allow it only if you have just started signing in there.": "Ein Programm auf diesem Computer fragt danach. Erlauben Sie es nur, wenn Sie gerade begonnen haben, sich dort anzumelden.",
	"Allow": "Erlauben",
	"Deny":  "Ablehnen",

	"Sign out?":                "Abmelden?",
	"You are signed in as":     "Sie sind angemeldet als",
	"Sign out":                 "Abmelden",
	"You are signed out":       "Sie sind abgemeldet",
	"You can close this page.": "Sie können diese Seite schließen.",
	"This signs you out of all applications in this browser. To stay signed in, close this page.": "Damit werden Sie in diesem Browser von allen Anwendungen abgemeldet. Um angemeldet zu bleiben, schließen Sie diese Seite.",

	"Go back to the application and try again. If it keeps happening, tell the people who run the application.": "Gehen Sie zurück zur Anwendung und versuchen Sie es noch einmal. Wenn das Problem bleibt, melden Sie es den Betreibern der Anwendung.",
	"This page has expired": "Diese Seite ist abgelaufen",
	"It was open too long, was sent twice, or your browser does not accept cookies. Nothing has been changed.": "Sie war zu lange offen, wurde zweimal abgeschickt, oder Ihr Browser nimmt keine Cookies an. Es wurde nichts geändert.",
	"Start again":                                                                   "Neu beginnen",
	"This sign-in cannot continue":                                                  "Diese Anmeldung kann nicht fortgesetzt werden",
	"This sign-out cannot continue":                                                 "Diese Abmeldung kann nicht fortgesetzt werden",
	"The request could not be read.":                                                "Die Anfrage ist nicht lesbar.",
	"The request is too long or could not be read.":                                 "Die Anfrage ist zu lang oder nicht lesbar.",
	"The application that sent you here is not known.":                              "Die Anwendung, von der Sie kommen, ist nicht bekannt.",
	"The request names the application or its return address more than once.":       "Die Anfrage nennt die Anwendung oder ihre Rücksprungadresse mehr als einmal.",
	"The application wants you to return to an address that it has not registered.": "Die Anwendung will Sie zu einer Adresse zurückschicken, die sie nicht angemeldet hat.",
	"The application that sent you here is not the one that you signed in to.":      "Die Anwendung, von der Sie kommen, ist nicht die, bei der Sie sich angemeldet haben.",
}
