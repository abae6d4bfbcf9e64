package cli

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.org/library/api"
	"example.org/library/client"
	"example.org/library/profile"
)

func TestCodesThatTheClientKnowsAreInTheContractFile(t *testing.T) {
	t.Parallel()
	_, codes, _ := strings.Cut(string(api.OpenAPI), "\n    ErrorCode:\n")
	codes, _, _ = strings.Cut(codes, "\n\n")
	known := slices.Collect(maps.Keys(adviceForCode))
	known = append(known, codeUnknownUser, codeWrongAudience, codeWrongIssuer, codeKeysUnavailable)
	for _, code := range known {
		if !regexp.MustCompile(`(?m)^        - ` + code + `$`).MatchString(codes) {
			t.Errorf("%s is not among the codes of errors", code)
		}
	}
}

// refusing is a library that refuses every token, in words that nobody knows.
func refusing(t *testing.T, code string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		challenge := "Bearer"
		if r.Header.Get("Authorization") != "" {
			challenge += ` error="invalid_token", error_description="Nein, 'books-api' fehlt"`
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("WWW-Authenticate", challenge)
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"status":401,"code":%q,"message":"Nein"}`, code)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestARefusalIsRecognisedByItsCodeWhateverItsWords(t *testing.T) {
	t.Parallel()
	token := unsigned(`{"kid":"k"}`, `{"iss":"https://id.example.com","aud":"others","email":"a@example.com","exp":4000000000}`)
	for _, c := range []struct{ code, login, doctor string }{
		{codeUnknownUser, "has no user with your e-mail address", "Ask an admin of the library to add you"},
		{codeWrongAudience, "the token is not meant for the library", "the library requires books-api; the token is for others"},
		{codeWrongIssuer, "trusts another one than https://id.example.com", "--issuer https://id.example.com, exactly"},
		{"expired", "refuses your token (Nein, 'books-api' fehlt)", "Get a new token"},
		{"not_yet_valid", "refuses your token", "See token and clock."},
		{"email_not_verified", "refuses your token", "Confirm your e-mail address"},
		{"a_new_code", "refuses your token", "Sign in again."},
	} {
		address := refusing(t, c.code)
		api, err := client.New(address, client.StaticSource(client.Token{Access: token}))
		if err != nil {
			t.Fatal(err)
		}
		_, err = api.Me(t.Context())
		if err = explainWelcome(profile.Server{Address: address, Issuer: "https://id.example.com"}, err); !strings.Contains(err.Error(), c.login) || exitCode(err) != ExitNotSignedIn {
			t.Errorf("%s at login: %v", c.code, err)
		}
		code, stdout, _ := runWith(t, map[string]string{
			"LIBRARY_TOKEN": token, "LIBRARY_SERVER": address, "LIBRARY_ISSUER": "http://127.0.0.1:1", "LIBRARY_CONFIG_DIR": t.TempDir(),
		}, "", "doctor")
		if code != ExitFailed || !strings.Contains(stdout, c.doctor) {
			t.Errorf("%s, doctor: %d\n%s", c.code, code, stdout)
		}
	}
}
