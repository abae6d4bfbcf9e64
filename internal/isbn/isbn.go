// Package isbn knows the numbers of books: their forms, their check digits, and which
// of them are the same. Start reading at [Key].
package isbn

import (
	"strings"
	"unicode"
)

// Key is the form in which ISBNs are compared: without hyphens and spaces,
// and a valid ISBN-10 as its ISBN-13. Text that is no ISBN is its own key.
func Key(isbn string) string {
	key := Compact(isbn)
	if valid10(key) {
		return to13(key)
	}
	return key
}

// Same reports whether two ISBNs are one, in whatever spelling.
func Same(a, b string) bool { return a == b || Key(a) != "" && Key(a) == Key(b) }

// Proven is the key of an ISBN that identifies one book, else "". Columns of other programs have much that does not:
// "n/a", numbers that were cut, one digit ten times, which every check digit fits, and numbers of games.
func Proven(isbn string) string {
	key := Key(isbn)
	switch {
	case !valid13(key), !strings.HasPrefix(key, "978") && !strings.HasPrefix(key, "979"):
		return ""
	case key[:3] == "978" && strings.Trim(key[3:12], key[3:4]) == "":
		return ""
	}
	return key
}

// Forms is every spelling under which a search should find the ISBN.
func Forms(isbn string) []string {
	key := Key(isbn)
	if key == "" {
		return nil
	}
	forms := []string{key}
	if compact := Compact(isbn); compact != key {
		forms = append(forms, compact)
	} else if valid13(key) && strings.HasPrefix(key, "978") {
		forms = append(forms, to10(key))
	}
	return forms
}

// Compact is an ISBN without hyphens and spaces.
func Compact(isbn string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == 'x':
			return 'X'
		case isHyphen(r), unicode.IsSpace(r):
			return -1
		default:
			return r
		}
	}, isbn)
}

// isHyphen knows the dashes that find their way into copied ISBNs.
func isHyphen(r rune) bool { return r == '-' || '\u2010' <= r && r <= '\u2015' || r == '\u2212' }

func valid10(s string) bool { return len(s) == 10 && Digits(s[:9]) && s[9] == checkDigit10(s) }

func valid13(s string) bool { return len(s) == 13 && Digits(s) && s[12] == checkDigit13(s) }

func to13(isbn10 string) string {
	s := "978" + isbn10[:9]
	return s + string(checkDigit13(s))
}

func to10(isbn13 string) string {
	s := isbn13[3:12]
	return s + string(checkDigit10(s))
}

func checkDigit10(s string) byte {
	sum := 0
	for i := range 9 {
		sum += (10 - i) * int(s[i]-'0')
	}
	if d := (11 - sum%11) % 11; d < 10 {
		return byte('0' + d)
	}
	return 'X'
}

func checkDigit13(s string) byte {
	sum := 0
	for i := range 12 {
		sum += int(s[i]-'0') * (1 + 2*(i%2))
	}
	return byte('0' + (10-sum%10)%10)
}

// Digits reports whether a text is digits, at least one.
func Digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
