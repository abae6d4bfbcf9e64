package command

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"example.org/library"
	"example.org/library/client"
	"example.org/library/terminal"
)

// Codes of refusals that the client knows by name. A test compares them with
// the contract file. Those of the domain are in its errors.
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
	refusal string // code of the refusal that it explains, for callers that need it
}

func (f *Failure) Error() string { return f.err.Error() }
func (f *Failure) Unwrap() error { return f.err }

// Fail makes an error with an exit code.
func Fail(code int, format string, args ...any) error {
	return &Failure{code: code, err: fmt.Errorf(format, args...)}
}

// keeper is an error that also says where something is kept that must not get
// lost, whatever else there is to say.
type keeper interface {
	error
	InsteadOf(err error) error // the same about another error
}

// insteadOf replaces an error by a later one, which is more to the point.
func insteadOf(err, later error) error {
	if kept, ok := errors.AsType[keeper](err); ok {
		return kept.InsteadOf(later)
	}
	return later
}

// ExitCode is the code that a program ends with after an error.
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

// missingCodes are those of records that are not there.
var missingCodes = []string{
	library.ErrBookNotFound.Code, library.ErrUserNotFound.Code, library.ErrCopyNotFound.Code, library.ErrLoanNotFound.Code, library.ErrHoldNotFound.Code, library.ErrNoticeNotFound.Code,
	library.ErrUnknownCode.Code, library.ErrNoCover.Code, CodeUnknownISBN, CodeNoCoverFound,
}

// switchedOff are the codes of what a library can do and this one does not.
var switchedOff = []string{CodeLookupOff, CodeCoversOff}

// isMissing reports whether there is no such record.
func isMissing(refused *client.Error) bool { return slices.Contains(missingCodes, refused.Code) }

// isNoLibrary reports whether something was not found that every library has: a matter of
// the address.
func isNoLibrary(refused *client.Error) bool {
	return refused.Status == http.StatusNotFound && !isMissing(refused) && !slices.Contains(switchedOff, refused.Code)
}

// Explain says what a refusal means for the person, and what to do next. The
// service knows the rules; only the client knows who is asking, and how.
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
		return Fail(code, "%s", Sentence(refused.Message)) // nothing that somebody should look into
	case refused.FromProxy():
		return Fail(code, "%s Try again later, or tell the people who run %s.", Sentence(refused.Message), c.Address())
	case refused.Status >= 500 && refused.RequestID != "":
		return Fail(code, "%s Tell the people who run the library this request id: %s", Sentence(refused.Message), terminal.Clean(refused.RequestID))
	}
	return Fail(code, "%s", WithDetails(refused))
}

// SessionEnded is the error of a command for which the person has to sign in again.
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

// WithDetails is the message of the service with what it says of each field.
func WithDetails(refused *client.Error) string {
	text := terminal.Clean(refused.Message)
	for _, d := range refused.Details {
		text += "\n  " + terminal.Clean(d.Field) + " " + terminal.Clean(d.Message)
	}
	return text
}

// codeFailed says that it was not the library that refused a scan.
const codeFailed = "failed"

// RefusalCode is the code of a refusal, explained or not.
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

// AsRefusal is what the service has answered, if an error is that.
func AsRefusal(err error) (*client.Error, bool) {
	return errors.AsType[*client.Error](err)
}

// InWords explains a refusal in the words for its code. Another error stays as it is.
func InWords(err error, words map[string]string) error {
	refused, is := AsRefusal(err)
	if !is || words[refused.Code] == "" {
		return err
	}
	return Refusal(ExitCode(err), refused.Code, "%s", words[refused.Code])
}

// Refusal is a failure that explains a refusal with this code.
func Refusal(exit int, code, format string, args ...any) error {
	return &Failure{code: exit, err: fmt.Errorf(format, args...), refusal: code}
}
