package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/client"
	"example.org/library/terminal"
)

// Codes of refusals that the client knows by name. A test compares them with
// the contract file. Those of the domain are in its errors.
const (
	codeUnknownUser     = "unknown_user"
	codeWrongAudience   = "wrong_audience"
	codeWrongIssuer     = "wrong_issuer"
	codeKeysUnavailable = "keys_unavailable"
)

// failure is an error with an exit code of its own.
type failure struct {
	code    int
	err     error
	refusal string // code of the refusal that it explains, where somebody wants to know
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// fail makes an error with an exit code.
func fail(code int, format string, args ...any) error {
	return &failure{code: code, err: fmt.Errorf(format, args...)}
}

// keeper is an error that also says where something is kept that must not get
// lost, whatever else there is to say.
type keeper interface {
	error
	InsteadOf(err error) error // the same about another error
}

// insteadOf replaces an error by a later one, which is more to the point.
func insteadOf(err, later error) error {
	var kept keeper
	if errors.As(err, &kept) {
		return kept.InsteadOf(later)
	}
	return later
}

// exitCode is the code that a program ends with after an error.
func exitCode(err error) int {
	var own *failure
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
	library.ErrBookNotFound.Code, library.ErrUserNotFound.Code, library.ErrCopyNotFound.Code, library.ErrLoanNotFound.Code, library.ErrHoldNotFound.Code, library.ErrUnknownCode.Code,
}

// isMissing reports whether there is no such record. Anything else that is not
// found is a matter of the address.
func isMissing(refused *client.Error) bool {
	return slices.Contains(missingCodes, refused.Code)
}

// explain says what a refusal means for the person, and what to do next. The
// service knows the rules; only the client knows who is asking, and how.
func (a *app) explain(ctx context.Context, c *client.Client, err error) error {
	var refused *client.Error
	if errors.Is(err, client.ErrSessionEnded) {
		return fail(ExitNotSignedIn, "Your session at %s has ended. Run 'library login' to sign in again.", c.Address())
	}
	if !errors.As(err, &refused) {
		return err
	}
	code := exitCodeOf(refused)
	switch {
	case refused.Status == http.StatusUnauthorized:
		return fail(code, "%s", a.explainUnauthorized(c, refused))
	case refused.Status == http.StatusForbidden && refused.Role != "":
		return fail(code, "%s", explainRole(ctx, c, refused.Role))
	case refused.Status == http.StatusNotFound && !isMissing(refused):
		return fail(code, "There is no library service at %s. Check the address, with its path.", c.Address())
	case refused.Code == library.ErrOverloaded.Code:
		return fail(code, "%s", sentence(refused.Message)) // nothing that somebody should look into
	case refused.FromProxy():
		return fail(code, "%s Try again later, or tell the people who run %s.", sentence(refused.Message), c.Address())
	case refused.Status >= 500 && refused.RequestID != "":
		return fail(code, "%s Tell the people who run the library this request id: %s", sentence(refused.Message), terminal.Clean(refused.RequestID))
	}
	return fail(code, "%s", withDetails(refused))
}

func (a *app) explainUnauthorized(c *client.Client, refused *client.Error) string {
	text := "The library at " + c.Address() + " does not accept your token"
	if refused.Description != "" {
		text += " (" + terminal.Clean(refused.Description) + ")"
	}
	if a.token() != "" {
		return text + ". It comes from LIBRARY_TOKEN: get a new one, or unset it to use 'library login'."
	}
	return text + ". Run 'library doctor' to find out why, or 'library login' to sign in again."
}

// withDetails is the message of the service with what it says of each field.
func withDetails(refused *client.Error) string {
	text := terminal.Clean(refused.Message)
	for _, d := range refused.Details {
		text += "\n  " + terminal.Clean(d.Field) + " " + terminal.Clean(d.Message)
	}
	return text
}

// sentence ends with a full stop.
func sentence(text string) string {
	text = terminal.Clean(text)
	if strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}

func fullName(u api.User) string { return terminal.Clean(u.FirstName + " " + u.LastName) }
