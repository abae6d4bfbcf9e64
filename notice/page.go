package notice

import (
	_ "embed"
	"html/template"
	"strings"
	texttemplate "text/template"
)

// page is what both forms of a mail are made of.
type page struct {
	Locale   string
	Subject  string
	Library  string
	Instead  string // a warning above all else; "" for none
	Greeting string
	Sections []section
	Said     string // a sentence instead of sections
	Note     string
	Why      string
	Loans    link
	Account  link
}

type section struct {
	Kind    Kind
	Heading string
	Entries []entry
}

type entry struct{ Title, Line, Link string }

// link is an address with its name; "" for none.
type link struct{ Name, Address string }

var (
	//go:embed page.txt
	plainPage string
	//go:embed page.html
	htmlPage string

	plainTemplate = texttemplate.Must(texttemplate.New("").Funcs(texttemplate.FuncMap{"isolated": isolated, "inset": inset}).Parse(plainPage))
	htmlTemplate  = template.Must(template.New("").Parse(htmlPage))
)

// inset moves all lines of a text to the right.
func inset(s string) string { return "  " + strings.ReplaceAll(s, "\n", "\n  ") }

// content writes both forms. Templates and data are ours, so nothing can fail that no test has seen.
func (p page) content() Content {
	var plain, html strings.Builder
	if err := plainTemplate.Execute(&plain, p); err != nil {
		panic("notice: " + err.Error())
	}
	if err := htmlTemplate.Execute(&html, p); err != nil {
		panic("notice: " + err.Error())
	}
	return Content{Subject: p.Subject, Text: strings.Trim(plain.String(), "\n") + "\n", HTML: html.String()}
}
