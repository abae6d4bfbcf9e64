package command

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/client"
	"example.org/library/terminal"
)

// Codes of refusals known to the client by name. A test compares them with the
// contract file. The codes of the domain are in its errors.
const (
	CodeUnknownUser     = "unknown_user"
	CodeWrongAudience   = "wrong_audience"
	CodeWrongIssuer     = "wrong_issuer"
	CodeKeysUnavailable = "keys_unavailable"
	CodeNoUserinfo      = "userinfo_unavailable"
	CodeUnknownISBN     = "unknown_isbn"
	CodeLookupOff       = "lookup_off"
	CodeNoCoverFound    = "no_cover_found"
	CodeCoversOff       = "covers_off"
	CodeSourceFailed    = "source_failed"
)

// Failure is an error with an exit code of its own.
type Failure struct {
	code    int
	err     error
	refusal string // code of the explained refusal, for RefusalCode
}

func (f *Failure) Error() string { return f.err.Error() }
func (f *Failure) Unwrap() error { return f.err }

// Fail makes an error with an exit code.
func Fail(code int, format string, args ...any) error {
	return &Failure{code: code, err: fmt.Errorf(format, args...)}
}

// keeper is an error that also names the place of a person's work, such as a
// draft. The place must reach the person, whatever other error follows.
type keeper interface {
	error
	InsteadOf(err error) error // names the place with another error
}

// insteadOf returns later in place of err, since it is more to the point. If err
// is a keeper, its place is kept.
func insteadOf(err, later error) error {
	if kept, ok := errors.AsType[keeper](err); ok {
		return kept.InsteadOf(later)
	}
	return later
}

// ExitCode returns the exit code of the program after an error.
func ExitCode(err error) int {
	var own *Failure
	var refused *client.Error
	var badUsage *UsageError
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &badUsage):
		return ExitUsage
	case errors.As(err, &own):
		return own.code
	case errors.Is(err, client.ErrSessionEnded):
		return ExitNotSignedIn
	case errors.As(err, &refused):
		return exitCodeOf(refused)
	}
	return ExitFailed
}

func exitCodeOf(refused *client.Error) int {
	switch refused.Status {
	case http.StatusUnauthorized:
		return ExitNotSignedIn
	case http.StatusNotFound:
		if isMissing(refused) {
			return ExitNotFound
		}
	case http.StatusConflict, http.StatusPreconditionFailed:
		return ExitConflict
	}
	return ExitFailed
}

// missingCodes are the codes for missing records.
var missingCodes = []string{
	library.ErrBookNotFound.Code, library.ErrUserNotFound.Code, library.ErrCopyNotFound.Code, library.ErrLoanNotFound.Code, library.ErrHoldNotFound.Code, library.ErrNoticeNotFound.Code,
	library.ErrUnknownCode.Code, library.ErrNoCover.Code, CodeUnknownISBN, CodeNoCoverFound,
}

// switchedOff are the codes for features switched off in a library.
var switchedOff = []string{CodeLookupOff, CodeCoversOff}

// isMissing reports whether there is no such record.
func isMissing(refused *client.Error) bool { return slices.Contains(missingCodes, refused.Code) }

// isNoLibrary reports whether the server lacks a path of every library. Then the address is wrong.
func isNoLibrary(refused *client.Error) bool {
	return refused.Status == http.StatusNotFound && !isMissing(refused) && !slices.Contains(switchedOff, refused.Code)
}

// Explain explains a refusal to the person, with the next step. The service knows
// the rules; only the client knows the person and the way of asking.
func (a *App) Explain(ctx context.Context, c *client.Client, err error) error {
	if errors.Is(err, client.ErrSessionEnded) {
		return SessionEnded(c.Address())
	}
	refused, is := AsRefusal(err)
	if !is {
		return err
	}
	code := exitCodeOf(refused)
	switch {
	case refused.Status == http.StatusUnauthorized:
		return Fail(code, "%s", a.explainUnauthorized(c, refused))
	case refused.Status == http.StatusForbidden && refused.Role != "":
		return Fail(code, "%s", explainRole(ctx, c, refused.Role))
	case isNoLibrary(refused):
		return Fail(code, "There is no library service at %s. Check the address, with its path.", c.Address())
	case refused.Code == library.ErrOverloaded.Code, refused.Code == CodeSourceFailed:
		return Fail(code, "%s", Sentence(refused.Message)) // nothing for anybody to look into
	case refused.FromProxy():
		return Fail(code, "%s Try again later, or tell the people who run %s.", Sentence(refused.Message), c.Address())
	case refused.Status >= 500 && refused.RequestID != "":
		return Fail(code, "%s Tell the people who run the library this request id: %s", Sentence(refused.Message), terminal.Clean(refused.RequestID))
	}
	return Fail(code, "%s", WithDetails(refused))
}

// SessionEnded returns the error of a command after the session has ended: the person has
// to sign in again.
func SessionEnded(address string) error {
	return Fail(ExitNotSignedIn, "Your session at %s has ended. Run 'library login' to sign in again.", address)
}

func (a *App) explainUnauthorized(c *client.Client, refused *client.Error) string {
	text := "The library at " + c.Address() + " does not accept your token"
	if refused.Description != "" {
		text += " (" + terminal.Clean(refused.Description) + ")"
	}
	if a.Token() != "" {
		return text + ". It comes from LIBRARY_TOKEN: get a new one, or unset it to use 'library login'."
	}
	return text + ". Run 'library doctor' to find out why, or 'library login' to sign in again."
}

// WithDetails returns the message of the service with its details for each field.
func WithDetails(refused *client.Error) string {
	text := terminal.Clean(refused.Message) + ruleOf(refused)
	for _, d := range refused.Details {
		if detail := terminal.Clean(d.Field) + " " + terminal.Clean(d.Message); !strings.Contains(text, detail) {
			text += "\n  " + detail
		}
	}
	return text
}

// codeFailed is the code of a scan that failed without a refusal by the library.
const codeFailed = "failed"

// RefusalCode returns the code of a refusal, explained or not, or else codeFailed.
func RefusalCode(err error) string {
	if refused, is := AsRefusal(err); is {
		return refused.Code
	}
	if explained, is := errors.AsType[*Failure](err); is && explained.refusal != "" {
		return explained.refusal
	}
	return codeFailed
}

// HasCode reports whether an error is a refusal with one of these codes.
func HasCode(err error, codes ...string) bool {
	refused, is := AsRefusal(err)
	return is && slices.Contains(codes, refused.Code)
}

// AsRefusal returns the refusal by the service, if the error is one.
func AsRefusal(err error) (*client.Error, bool) {
	return errors.AsType[*client.Error](err)
}

// InWords explains a refusal in the words for its code. Another error stays as it is.
func InWords(err error, words map[string]string) error {
	refused, is := AsRefusal(err)
	if !is || words[refused.Code] == "" {
		return err
	}
	return Refusal(ExitCode(err), refused.Code, "%s%s", words[refused.Code], ruleOf(refused))
}

// ruleOf names the rule of the policy that decided, after a sentence.
func ruleOf(refused *client.Error) string {
	if refused.Rule == "" {
		return ""
	}
	return " The rule is " + Quote(refused.Rule) + "."
}

// Refusal makes an error that explains a refusal with this code.
func Refusal(exit int, code, format string, args ...any) error {
	return &Failure{code: exit, err: fmt.Errorf(format, args...), refusal: code}
}

// byFlags explains a refusal of the values given to a command. It names each field of the service by the flag of the
// same name. If the command lacks one of the flags, it returns the message of the service.
func byFlags(cmd *cobra.Command, refused *client.Error) string {
	var lines []string
	for _, d := range refused.Details {
		where := whereIs(cmd, terminal.Clean(d.Field))
		if where == "" {
			return WithDetails(refused)
		}
		lines = append(lines, where+": "+terminal.Clean(d.Message))
	}
	switch len(lines) {
	case 0:
		return WithDetails(refused)
	case 1:
		return lines[0]
	}
	return fmt.Sprintf("%d things need attention:\n  %s", len(lines), strings.Join(lines, "\n  "))
}

// whereIs returns the flag for a field such as loanDays, overdueDays[0] or mailNote.en; "" if the command has none.
func whereIs(cmd *cobra.Command, field string) string {
	if cmd == nil {
		return ""
	}
	if field == "q" {
		return "the words to search for"
	}
	var flag strings.Builder
	name, _, _ := strings.Cut(field, "[")
	for _, r := range name {
		switch {
		case r == '.':
			flag.WriteByte('-')
		case unicode.IsUpper(r):
			flag.WriteByte('-')
			flag.WriteRune(unicode.ToLower(r))
		default:
			flag.WriteRune(r)
		}
	}
	if cmd.Flags().Lookup(flag.String()) == nil {
		return ""
	}
	return "--" + flag.String()
}
