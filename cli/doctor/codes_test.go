package doctor

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.org/library/api"
	"example.org/library/cli/clitest"
	"example.org/library/cli/command"
)

func TestCodesThatTheClientKnowsAreInTheContractFile(t *testing.T) {
	t.Parallel()
	_, codes, _ := strings.Cut(string(api.OpenAPI), "\n    ErrorCode:\n")
	codes, _, _ = strings.Cut(codes, "\n\n")
	known := slices.Collect(maps.Keys(adviceForCode))
	known = append(known, command.CodeUnknownUser, command.CodeWrongAudience, command.CodeWrongIssuer, command.CodeKeysUnavailable, command.CodeNoUserinfo,
		command.CodeUnknownISBN, command.CodeLookupOff, command.CodeNoCoverFound, command.CodeCoversOff, command.CodeSourceFailed)
	for _, code := range known {
		if !regexp.MustCompile(`(?m)^        - ` + code + `$`).MatchString(codes) {
			t.Errorf("%s is not among the codes of errors", code)
		}
	}
}

func TestARefusalIsRecognisedByItsCodeWhateverItsWords(t *testing.T) {
	t.Parallel()
	for code, says := range map[string]string{
		command.CodeUnknownUser:   "Ask an admin of the library to add you",
		command.CodeWrongAudience: "the library requires books-api; the token is for others",
		command.CodeWrongIssuer:   "--issuer https://id.example.com, exactly",
		"expired":                 "Get a new token",
		"not_yet_valid":           "See token and clock.",
		"email_not_verified":      "Confirm your e-mail address",
		"a_new_code":              "Sign in again.",
	} {
		exit, stdout, _ := clitest.Run(t, program, map[string]string{
			"LIBRARY_TOKEN": clitest.RefusedToken, "LIBRARY_SERVER": clitest.Refusing(t, code), "LIBRARY_ISSUER": "http://127.0.0.1:1", "LIBRARY_CONFIG_DIR": t.TempDir(),
		}, "", "doctor")
		if exit != command.ExitFailed || !strings.Contains(stdout, says) {
			t.Errorf("%s, doctor: %d\n%s", code, exit, stdout)
		}
	}
}
