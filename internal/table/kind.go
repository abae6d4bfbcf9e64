package table

import (
	"bytes"
	"regexp"
)

// FileError explains why a file cannot be read as a table, and gives advice.
type FileError struct {
	Code    string // a stable word for programs
	Message string // goes on from the name of the file
}

func (e *FileError) Error() string { return e.Message }

// Files given by mistake, and advice for each of them.
var (
	errEmpty        = &FileError{"file_empty", "the file is empty"}
	errExcel        = &FileError{"file_excel", `this is an Excel workbook; open it in Excel, choose File > Save As > "CSV UTF-8 (Comma delimited)", and import that file`}
	errOpenDocument = &FileError{"file_opendocument", `this is an OpenDocument file; open it in LibreOffice, choose File > Save As > "Text CSV" with the character set UTF-8, and import that file`}
	ErrMARC         = &FileError{"file_marc", `these are MARC records, not a table; import them with the books, as a file that ends with .mrc (MARCXML: .xml)`}
	errMARCText     = &FileError{"file_marc", `these are MARC records as text; make an .mrc file of them, for example with MarcEdit, and import that file`}
	errWebPage      = &FileError{"file_markup", "this is XML or a web page, not a table; if a spreadsheet program can open it, save it there as CSV UTF-8 and import that file"}
	errBinary       = &FileError{"file_binary", "this is not a text file; save the table as CSV UTF-8 in the program that made it, and import that file"}
)

// marcLeader matches the beginning of a MARC record: its length, then its kind, then numbers common to all records.
var marcLeader = regexp.MustCompile(`^[0-9]{5}[a-z ][a-z ]..[ a][0-9]{2}[0-9]{5}...4500`)

// IsMARC reports whether a file begins with a MARC record.
func IsMARC(start []byte) bool { return marcLeader.Match(start) }

// NoRecords returns why a file has no MARC records, nil if its beginning does not tell.
func NoRecords(start []byte) error {
	if charset, _ := charsetOfStart(start); charset == UTF16LE || charset == UTF16BE {
		return errUTF16
	}
	if err := otherKind(start); err != nil && err != ErrMARC && err != errWebPage {
		return err
	}
	return nil
}

// otherKind returns an error if the beginning of a file shows something else than a table.
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
	case IsMARC(text):
		return ErrMARC
	case begins("=LDR  "):
		return errMARCText
	case !begins("<"):
		return nil
	case has("loc.gov/MARC21") || has("<leader>") || has(":leader>"):
		return ErrMARC
	case has("Excel.Sheet"):
		return errExcel
	case has("opendocument"):
		return errOpenDocument
	case begins("<?xml"), begins("<!"), regexp.MustCompile(`^<[a-zA-Z]`).Match(text):
		return errWebPage
	}
	return nil
}
