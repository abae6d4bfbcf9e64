package books

import (
	"net/http"
	"strings"
	"testing"

	"example.org/library/cli/command"
)

func TestAFileOfAnotherKindIsNoSuccess(t *testing.T) {
	t.Parallel()
	wide := "\xff\xfe" + strings.Join(strings.Split("<collection><record>", ""), "\x00") + "\x00"
	for _, c := range []struct{ rule, name, text, says string }{
		{"MARCXML in UTF-16", "books.xml", wide, "books.xml: the file is UTF-16; save it as UTF-8."},
		{"UNIMARC", "books.xml", `<record><datafield tag="200"><subfield code="a">Emma</subfield></datafield></record>`, "books.xml: these are UNIMARC records"},
		{"no records", "books.xml", "<html></html>", "books.xml: there are no MARC records in the file."},
		{"an empty file", "books.mrc", "", "books.mrc: there are no MARC records in the file."},
	} {
		s := startImportService(t, func(int, http.ResponseWriter) bool { return false })
		if code, _, stderr := s.runImport(t.Context(), t, c.name, c.text); code != command.ExitFailed || !strings.Contains(stderr, c.says) {
			t.Errorf("%s: exit code %d: %s", c.rule, code, stderr)
		}
	}
}
