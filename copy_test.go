package library

import (
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

func TestCodesFitAPath(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"1", "B0001", "978-0-13", "a.b", "~!$&'()*+,=:@_", `"<>^{|}`, `a\b`, strings.Repeat("9", MaxBarcode)} {
		if !IsCode(code) {
			t.Errorf("%q is refused", code)
		}
	}
	for _, code := range []string{"", " ", "a b", "a\tb", "a/b", "a;b", "a%b", "a?b", "a#b", "..", "a..b", ".", "é", "\x7f", "a\x00", strings.Repeat("9", MaxBarcode+1)} {
		if IsCode(code) {
			t.Errorf("%q is accepted", code)
		}
	}
}

func TestTheFieldsOfACopy(t *testing.T) {
	t.Parallel()
	good := CopyFields{Barcode: " B1 ", Shelf: " A 12 ", Note: " torn\nat the back "}
	testkit.NoError(t, good.Normalize())
	if want := (CopyFields{Barcode: "B1", Shelf: "A 12", Note: "torn\nat the back", State: Lendable}); good != want {
		t.Errorf("got %+v, want %+v", good, want)
	}
	bad := CopyFields{Barcode: "a/b", Shelf: strings.Repeat("s", MaxShelf+1), Note: "\x07", State: "sold"}
	if got := bad.Check(); len(got) != 4 {
		t.Errorf("four fields are wrong, but these are reported: %+v", got)
	}
}
