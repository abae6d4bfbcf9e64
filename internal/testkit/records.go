package testkit

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// RealRecords returns a file of 250,000 MARC records of the Library of Congress, and the number of records for
// a test to read: 25,000, or the number in the variable TEST_MARC_RECORDS. Root is the path from the package
// under test to the module.
func RealRecords(t testing.TB, root string) (path string, records int) {
	t.Helper()
	path = os.Getenv("TEST_MARC_FILE")
	if path == "" {
		path = filepath.Join(root, "build", "marc", "BooksAll.2016.part01.utf8")
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v: make marc-records fetches it", err)
	}
	records = 25_000
	if text := os.Getenv("TEST_MARC_RECORDS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			t.Fatalf("TEST_MARC_RECORDS is %q, and not a number", text)
		}
		records = n
	}
	return path, records
}
