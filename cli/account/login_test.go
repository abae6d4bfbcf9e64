package account

import (
	"strings"
	"testing"

	"example.org/library/cli/clitest"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/internal/testkit"
	"example.org/library/profile"
)

func TestARefusalAtSignInIsRecognisedByItsCodeWhateverItsWords(t *testing.T) {
	t.Parallel()
	for code, says := range map[string]string{
		command.CodeUnknownUser:   "has no user with your e-mail address",
		command.CodeWrongAudience: "the token is not meant for the library",
		command.CodeWrongIssuer:   "trusts another one than https://id.example.com",
		"expired":                 "refuses your token (Nein, 'books-api' fehlt)",
		"not_yet_valid":           "refuses your token",
		"email_not_verified":      "refuses your token",
		"a_new_code":              "refuses your token",
	} {
		address := clitest.Refusing(t, code)
		c, err := client.New(address, client.StaticSource(client.Token{Access: clitest.RefusedToken}))
		testkit.NoError(t, err)
		_, err = c.Me(t.Context())
		if err = explainWelcome(profile.Server{Address: address, Issuer: "https://id.example.com"}, err); !strings.Contains(err.Error(), says) || command.ExitCode(err) != command.ExitNotSignedIn {
			t.Errorf("%s at login: %v", code, err)
		}
	}
}
