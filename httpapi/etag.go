package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"example.org/library"
)

// A tag has two parts, "version-view": the version of the record, which only
// edits change, and a digest of everything else that decides what the caller
// sees. If-None-Match compares both, If-Match only the version, so that a
// lending between reading and writing does not spoil an edit.

func bookTag(b library.Book, a library.Actor) string {
	view := []string{a.ViewKey()}
	if b.Loan != nil {
		view = append(view, b.Loan.ID, b.Loan.Borrower.Version)
	}
	return tag(b.Version, view...)
}

func userTag(u library.User, a library.Actor) string {
	return tag(u.Version, a.User.ID)
}

// booksTag is the tag of every list of books: all that can change one is the
// revision of the store and who is looking.
func booksTag(revision library.Revision, a library.Actor) string {
	return tag("list", string(revision), a.ViewKey())
}

func tag(version string, view ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(view, "\x00")))
	return `"` + version + "-" + hex.EncodeToString(sum[:8]) + `"`
}

func versionOf(tag string) string {
	version, _, _ := strings.Cut(strings.Trim(tag, `"`), "-")
	return version
}

// fresh reports whether the caller has what the tag stands for already.
func fresh(h http.Header, tag string) bool {
	asked := h["If-None-Match"]
	if len(asked) == 0 || tag == "" {
		return false
	}
	for candidate := range tags(asked) {
		if candidate == "*" || strings.TrimPrefix(candidate, "W/") == tag {
			return true
		}
	}
	return false
}

// precondition is what If-Match demands of the version that an edit would replace.
// Weak tags match nothing, as the standard has it.
func precondition(h http.Header) library.Precondition {
	asked := h["If-Match"]
	if len(asked) == 0 {
		return nil
	}
	return func(version string) bool {
		for candidate := range tags(asked) {
			if candidate == "*" || strings.HasPrefix(candidate, `"`) && versionOf(candidate) == version {
				return true
			}
		}
		return false
	}
}

// tags walks the entity tags of a header. Ours contain no commas, so a tag
// that does is not ours and may fall apart.
func tags(values []string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, value := range values {
			for candidate := range strings.SplitSeq(value, ",") {
				if candidate = strings.TrimSpace(candidate); candidate != "" && !yield(candidate) {
					return
				}
			}
		}
	}
}
