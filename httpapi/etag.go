package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"example.org/library"
	"example.org/library/httpapi/internal/responsecache"
)

// A tag has two parts, "version-view": the version of the record, changed by edits alone,
// and a digest of everything else in the caller's view. If-None-Match compares both, If-Match only the version, so that a
// lending between reading and writing does not spoil an edit.

func bookTag(b library.Book, view string) string {
	return tag(b.Version, view, fmt.Sprint(b.Stock, b.Shelves), loanView(b.Loan), holdView(b.Hold))
}

func copyTag(c library.Copy, a library.Actor) string {
	fetched := c.Hold != nil && !c.Hold.Fetched.IsZero()
	return tag(c.Version, a.ViewKey(), loanView(c.Loan), holdView(c.Hold), strconv.FormatBool(fetched), fmt.Sprint(c.Seen.UnixMicro()))
}

func userTag(u library.User, a library.Actor) string {
	return tag(u.Version, a.User.ID, strconv.FormatBool(u.Subject != ""), mailView(u.MailProblem))
}

// mailView returns the visible part of a mail problem.
func mailView(p *library.MailProblem) string {
	if p == nil {
		return ""
	}
	return fmt.Sprint(p.Code, p.Since.UnixMicro())
}

func policyTag(p library.Policy) string { return tag(p.Version) }

// loanView returns the visible and changing part of a loan.
func loanView(l *library.Loan) string {
	if l == nil {
		return ""
	}
	return fmt.Sprint(l.ID, l.Book, l.Borrower.Version, l.Due, l.Renewals, l.Claimed, l.Overdue, l.Renewable)
}

func holdView(h *library.Hold) string {
	if h == nil {
		return ""
	}
	return fmt.Sprint(h.ID, h.Book, h.Holder.Version, h.State, h.Position, h.Until)
}

// booksTag returns the tag of every list of books. It depends on the snapshot and on the
// view of the caller.
func booksTag(at responsecache.Snapshot, view string) string {
	revision, quarter := at.Names()
	return tag("list", revision, quarter, view)
}

// viewOf returns the caller's part of a tag. It is the same for all callers with the same
// view.
func viewOf(a library.Actor, parts []responsecache.Part) string {
	if responsecache.IsPrivate(parts, a.User.ID) {
		return a.ViewKey()
	}
	return a.CommonView()
}

func tag(version string, view ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(view, "\x00")))
	return `"` + version + "-" + hex.EncodeToString(sum[:8]) + `"`
}

func versionOf(tag string) string {
	version, _, _ := strings.Cut(strings.Trim(tag, `"`), "-")
	return version
}

// fresh reports whether the caller has the answer with the tag, compressed or not.
func fresh(h http.Header, tag string) bool {
	asked := h["If-None-Match"]
	if len(asked) == 0 || tag == "" {
		return false
	}
	for candidate := range tags(asked) {
		if candidate == "*" || plainTag(strings.TrimPrefix(candidate, "W/")) == tag {
			return true
		}
	}
	return false
}

// precondition returns the demand of If-Match on the version before an edit.
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

// tags walks the entity tags of a header. Ours contain no commas, so a tag with one is not
// ours and may fall apart.
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
