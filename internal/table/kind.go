package table

import (
	"bytes"
	"regexp"
)

// FileError says that a file is no table, and what to do about it.
type FileError struct {
	Code    string // a stable word for programs
	Message string // goes on from the name of the file
}

func (e *FileError) Error() string { return e.Message }

// What people give by mistake, and what to do with it.
var (
	errEmpty        = &FileError{"file_empty", "the file is empty"}
	errExcel        = &FileError{"file_excel", `this is an Excel workbook; open it in Excel, choose File > Save As > "CSV UTF-8 (Comma delimited)", and import that file`}
	errOpenDocument = &FileError{"file_opendocument", `this is an OpenDocument file; open it in LibreOffice, choose File > Save As > "Text CSV" with the character set UTF-8, and import that file`}
	errMARC         = &FileError{"file_marc", `these are MARC records; convert them to a table, for example with MarcEdit (Tools > Export > Export Tab Delimited Records) with the fields 245$a, 100$a and 020$a, give the columns the headings title, author and isbn, and import that file`}
	errWebPage      = &FileError{"file_markup", "this is XML or a web page, not a table; if a spreadsheet program can open it, save it there as CSV UTF-8 and import that file"}
	errBinary       = &FileError{"file_binary", "this is not a text file; save the table as CSV UTF-8 in the program that made it, and import that file"}
)

// marcLeader is how a MARC record begins: its length, then what it is, then
// numbers that are the same in all of them.
var marcLeader = regexp.MustCompile(`^[0-9]{5}[a-z ][a-z ]..[ a][0-9]{2}[0-9]{5}...4500`)

// otherKind tells from the beginning of a file that it is something else than a
// table.
func otherKind(start []byte) error {
	text := bytes.TrimLeft(bytes.TrimPrefix(start, []byte(byteOrderMark)), white)
	has := func(words string) bool { return bytes.Contains(start, []byte(words)) }
	begins := func(words string) bool { return bytes.HasPrefix(text, []byte(words)) }
	switch {
	case begins("PK\x03\x04") && has("opendocument"):
		return errOpenDocument
	case begins("PK\x03\x04") && (has("xl/") || has("[Content_Types].xml")), begins("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
		return errExcel
	case begins("PK\x03\x04"), begins("%PDF-"), begins("{\\rtf"), begins("\x1f\x8b"), begins("SQLite format 3\x00"):
		return errBinary
	case marcLeader.Match(text), begins("=LDR  "):
		return errMARC
	case !begins("<"):
		return nil
	case has("loc.gov/MARC21") || has("<leader>") || has(":leader>"):
		return errMARC
	case has("Excel.Sheet"):
		return errExcel
	case has("opendocument"):
		return errOpenDocument
	case begins("<?xml"), begins("<!"), regexp.MustCompile(`^<[a-zA-Z]`).Match(text):
		return errWebPage
	}
	return nil
}
