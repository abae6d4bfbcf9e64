// Package marc reads and writes MARC 21 records, one after another: ISO 2709 and
// MARCXML. It does not know what the records are about.
//
//	Record      record.go   leader and fields, texts in NFC
//	Reader      reader.go   the records of a file, and which of them are broken
//	            iso2709.go  the binary form, lenient about what real files have
//	            xml.go      MARCXML, cut into records before it is parsed
//	            marc8.go    the character sets of records that are not Unicode
//	Writer      writer.go   both forms, in UTF-8
//
// marc8.txt has the sets of MARC-8 as the Library of Congress defines them: the last
// byte of the escape sequence that names the set, the first code, and the characters of it
// and of the codes that follow.
//
// Memory does not grow with a file: a record has at most [MaxRecord] bytes, and a longer
// one is broken. Start reading at [NewReader].
package marc
