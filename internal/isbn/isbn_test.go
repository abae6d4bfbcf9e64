package isbn

import (
	"slices"
	"testing"
)

func TestISBNKey(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rule, isbn, want string }{
		{"an ISBN-13 is its own key", "9780132350884", "9780132350884"},
		{"hyphens do not matter", "978-0-13-235088-4", "9780132350884"},
		{"spaces do not matter", " 978 0 13 235088 4 ", "9780132350884"},
		{"spaces of typography do not matter", "978\u00a00\u202f13-\u00a0235088-4", "9780132350884"},
		{"an ISBN-10 has the key of its ISBN-13", "0132350882", "9780132350884"},
		{"hyphens do not matter in an ISBN-10", "0-13-235088-2", "9780132350884"},
		{"the check digit may be X", "0-8044-2957-X", "9780804429573"},
		{"the check digit may be x", "080442957x", "9780804429573"},
		{"an en dash is a hyphen", "978–0–13–235088–4", "9780132350884"},
		{"a hyphen of typography is a hyphen", "978‐0‐13‐235088‐4", "9780132350884"},
		{"a hyphen that does not break is a hyphen", "978‑0‑13‑235088‑4", "9780132350884"},
		{"an em dash is a hyphen", "978—0132350884", "9780132350884"},
		{"a minus sign is a hyphen", "978−0132350884", "9780132350884"},
		{"a wrong check digit is no ISBN-10", "0132350883", "0132350883"},
		{"a wrong check digit of an ISBN-13 stays", "978-0-13-235088-5", "9780132350885"},
		{"X in the middle is no ISBN-10", "01323X0882", "01323X0882"},
		{"too short is no ISBN-10", "013235088", "013235088"},
		{"text is its own key", "unknown", "unknown"},
		{"Digits of other scripts are not Digits", "٠١٣٢٣٥٠٨٨٢", "٠١٣٢٣٥٠٨٨٢"},
		{"nothing has no key", "", ""},
		{"hyphens alone have no key", " - – ", ""},
	} {
		if got := Key(c.isbn); got != c.want {
			t.Errorf("%s: Key(%q) = %q, want %q", c.rule, c.isbn, got, c.want)
		}
	}
}

func TestOnlyAnISBNIdentifiesABook(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rule, isbn, want string }{
		{"an ISBN-13", "978-0-13-235088-4", "9780132350884"},
		{"one that begins with 979", "979-10-90636-07-1", "9791090636071"},
		{"an ISBN-10", "0-8044-2957-x", "9780804429573"},
		{"a wrong check digit", "9780132350885", ""},
		{"a wrong check digit of an ISBN-10", "0132350883", ""},
		{"text", "n/a", ""},
		{"what spreadsheets make of an ISBN", "9.78013E+12", ""},
		{"a formula", `="0132350882"`, ""},
		{"nothing", " - ", ""},
		{"the number of something that is no book", "4006381333931", ""},
		{"zeros", "0000000000", ""},
		{"zeros as ISBN-13", "9780000000002", ""},
		{"thirteen zeros", "0000000000000", ""},
		{"ones, which the check digit fits", "1111111111", ""},
	} {
		if got := Proven(c.isbn); got != c.want {
			t.Errorf("%s: Proven(%q) = %q, want %q", c.rule, c.isbn, got, c.want)
		}
	}
}

// Every ISBN-10 there can be in a small range survives the way to ISBN-13 and back, and only one check digit is right.
func TestISBN10And13AreTwoFormsOfOneNumber(t *testing.T) {
	t.Parallel()
	withX := 0
	for n := range 2000 {
		nine := string([]byte{
			'0', '1', '3', '2', '3',
			byte('0' + n/1000%10), byte('0' + n/100%10), byte('0' + n/10%10), byte('0' + n%10),
		})
		ten := nine + string(checkDigit10(nine))
		if ten[9] == 'X' {
			withX++
		}
		thirteen := to13(ten)
		if !valid10(ten) || !valid13(thirteen) {
			t.Fatalf("%s and %s should be valid", ten, thirteen)
		}
		if back := to10(thirteen); back != ten {
			t.Fatalf("%s came back as %s", ten, back)
		}
		for _, digit := range "0123456789X" {
			if wrong := nine + string(digit); wrong != ten && valid10(wrong) {
				t.Fatalf("%s and %s cannot both be valid", wrong, ten)
			}
		}
	}
	if withX == 0 {
		t.Error("no check digit was X")
	}
}

func TestSearchFindsAnISBNInEveryForm(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		isbn string
		want []string
	}{
		{"978-0-13-235088-4", []string{"9780132350884", "0132350882"}},
		{"0-13-235088-2", []string{"9780132350884", "0132350882"}},
		{"979-10-90636-07-1", []string{"9791090636071"}},
		{"ABC-1", []string{"ABC1"}},
		{"", nil},
	} {
		if got := Forms(c.isbn); !slices.Equal(got, c.want) {
			t.Errorf("Forms(%q) = %q, want %q", c.isbn, got, c.want)
		}
	}
}

func FuzzISBNKey(f *testing.F) {
	for _, seed := range []string{"978-0-13-235088-4", "0-8044-2957-X", "", "x", "978—0132350884", "-\u00a05", "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, isbn string) {
		key := Key(isbn)
		if again := Key(key); again != key {
			t.Errorf("Key(%q) = %q, whose key is %q", isbn, key, again)
		}
	})
}
