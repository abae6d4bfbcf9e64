package command

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"example.org/library/api"
	"example.org/library/terminal"
)

// CleanList is a list of untrusted names for a screen.
func CleanList(names []string) string { return terminal.Clean(strings.Join(names, ", ")) }

// Quantity is a number of something: 1 day, 2 days, 1,200 days.
func Quantity(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return Thousands(n) + " " + unit + "s"
}

// Sentence ends with a full stop.
func Sentence(text string) string {
	text = terminal.Clean(text)
	if strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}

// Capital begins a sentence.
func Capital(text string) string {
	return strings.ToUpper(text[:min(1, len(text))]) + text[min(1, len(text)):]
}

// FullName is how a user is called, fit for a screen.
func FullName(u api.User) string { return terminal.Clean(u.FirstName + " " + u.LastName) }

// Quote sets an untrusted name off from our own words.
func Quote(name string) string { return `"` + terminal.Clean(name) + `"` }

// Thousands writes a number as people read it: 1,234,567.
func Thousands(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// Duration is a time span as a person says it.
func Duration(d time.Duration) string {
	count := func(n int, unit string) string {
		if n == 1 {
			return "1 " + unit
		}
		return fmt.Sprintf("%d %ss", n, unit)
	}
	switch {
	case d < 0:
		return "no longer"
	case d < 2*time.Minute:
		return count(int(d.Round(time.Second)/time.Second), "second")
	case d < 2*time.Hour:
		return count(int(d.Round(time.Minute)/time.Minute), "minute")
	case d < 48*time.Hour:
		return count(int(d.Round(time.Hour)/time.Hour), "hour")
	}
	return count(int(d.Round(24*time.Hour)/(24*time.Hour)), "day")
}
