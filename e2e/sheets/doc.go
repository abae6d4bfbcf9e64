// Package sheets reads the spreadsheets of the program with others: Python's csv, LibreOffice, and a library for Excel's files.
// It is a module of its own, so that the program does not depend on them.
package sheets
