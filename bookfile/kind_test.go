package bookfile_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"strings"
	"testing"

	"example.org/library/api"
	"example.org/library/bookfile"
	"example.org/library/internal/marc"
	"example.org/library/internal/testkit"
)

// zipped is a file as office programs write it: a ZIP archive of these files.
func zipped(t *testing.T, files ...string) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range files {
		name, text, _ := strings.Cut(name, "=")
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = f.Write([]byte(text))
		}
		testkit.NoError(t, err)
	}
	testkit.NoError(t, w.Close())
	return out.String()
}

func TestAFileOfAnotherKindIsRefusedWithWhatToDo(t *testing.T) {
	t.Parallel()
	const marc = "00714cam a2200205 a 4500001001300000003000400013"
	for _, c := range []struct{ rule, text, code, says string }{
		{"xlsx", zipped(t, "[Content_Types].xml=<Types/>", "xl/workbook.xml=<workbook/>"), "file_excel", "CSV UTF-8"},
		{"xls", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\x00", 500), "file_excel", "CSV UTF-8"},
		{"Excel's XML", `<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook/>`, "file_excel", "CSV UTF-8"},
		{"ods", zipped(t, "mimetype=application/vnd.oasis.opendocument.spreadsheet"), "file_opendocument", "Text CSV"},
		{"flat OpenDocument", `<?xml version="1.0"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"/>`, "file_opendocument", "Text CSV"},
		{"MARC", marc, "file_marc", ".mrc"},
		{"MARC as text", "=LDR  00714cam a2200205 a 4500\n=245  10$aEmma\n", "file_marc", ".mrc"},
		{"MARCXML", "\ufeff\n<?xml version=\"1.0\"?>\n<collection xmlns=\"http://www.loc.gov/MARC21/slim\"><record/></collection>", "file_marc", ".mrc"},
		{"MARCXML without its name", "<collection><record><leader>00714cam a2200205 a 4500</leader>", "file_marc", ".mrc"},
		{"web page that is called a workbook", "<html><table><tr><td>title</td></tr></table></html>", "file_markup", "spreadsheet"},
		{"another archive", zipped(t, "books.csv=title"), "file_binary", "CSV UTF-8"},
		{"database of Calibre", "SQLite format 3\x00" + strings.Repeat("\x10\x00", 50), "file_binary", "CSV UTF-8"},
		{"PDF", "%PDF-1.7\n", "file_binary", "CSV UTF-8"},
		{"nothing", "", "file_empty", "empty"},
	} {
		_, err := readAll(t, c.text, bookfile.Options{Format: bookfile.CSV})
		var bad *bookfile.FileError
		if !errors.As(err, &bad) || bad.Code != c.code || !strings.Contains(bad.Message, c.says) {
			t.Errorf("%s: %v, want %s", c.rule, err, c.code)
		}
	}
	for rule, text := range map[string]string{
		"a title that looks like one": "title\n<html>\n", "a heading in angle brackets": "<title>|isbn\nT|1\n",
		"a number": "00714,title\n1,T\n", "letters": "PK,title\n1,T\n",
	} {
		if rows, err := readAll(t, text, bookfile.Options{Format: bookfile.CSV}); rule != "a heading in angle brackets" && (err != nil || len(rows) != 1) {
			t.Errorf("%s: %q, %v", rule, rows, err)
		}
	}
}

func TestAFileThatHasNoMARCRecordsIsNamed(t *testing.T) {
	t.Parallel()
	const xml = "<collection><record><leader>00000nam a2200000 c 4500</leader>"
	unimarc := xml + `<datafield tag="200" ind1="1" ind2=" "><subfield code="a">Emma</subfield></datafield></record></collection>`
	wide := "\xff\xfe"
	for _, c := range xml {
		wide += string(c) + "\x00"
	}
	for _, c := range []struct{ rule, text, code, says string }{
		{"MARCXML in UTF-16", wide, "file_utf16", "UTF-8"},
		{"without a byte order mark", wide[2:], "file_utf16", "UTF-8"},
		{"UNIMARC", unimarc, "file_unimarc", "MARC 21"},
		{"MARC as text", "=LDR  00714cam a2200205 a 4500\n=245  10$aEmma\n", "file_marc", "MarcEdit"},
		{"an archive", zipped(t, "books.mrc=x"), "file_binary", ""},
	} {
		for _, format := range []bookfile.Format{bookfile.MARC, bookfile.MARCXML} {
			in, err := bookfile.NewMARCReader(strings.NewReader(c.text), bookfile.Options{Format: format})
			if err == nil {
				_, err = in.Read()
			}
			var bad *bookfile.FileError
			if !errors.As(err, &bad) || bad.Code != c.code || !strings.Contains(bad.Message, c.says) {
				t.Errorf("%s as %s: %v, want %s", c.rule, format, err, c.code)
			}
		}
	}
}

func TestMARCIsReadWhicheverOfItsFormatsIsNamed(t *testing.T) {
	t.Parallel()
	for _, written := range []bookfile.Format{bookfile.MARC, bookfile.MARCXML} {
		for _, named := range []bookfile.Format{bookfile.MARC, bookfile.MARCXML} {
			var file strings.Builder
			w := marc.NewWriter(&file, marc.Format(written))
			testkit.NoError(t, w.Write(bookfile.ToMARC(bookfile.Book{BookFields: api.BookFields{Title: "Emma"}})))
			testkit.NoError(t, w.Close())
			in, err := bookfile.NewMARCReader(strings.NewReader(file.String()), bookfile.Options{Format: named})
			testkit.NoError(t, err)
			if row, err := in.Read(); err != nil || row.Book.Title != "Emma" {
				t.Errorf("%s named %s: %q, %v", written, named, row.Book.Title, err)
			}
		}
	}
}
