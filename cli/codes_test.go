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
	"example.org/library/internal/testidp"
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

// refusedToken is a token that can be looked into.
var refusedToken = testidp.Unsigned(`{"kid":"k"}`, `{"iss":"https://id.example.com","aud":"others","email":"a@example.com","exp":4000000000}`)

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

func TestARefusalAtSignInIsRecognisedByItsCodeWhateverItsWords(t *testing.T) {
	t.Parallel()
	for code, says := range map[string]string{
		codeUnknownUser:      "has no user with your e-mail address",
		codeWrongAudience:    "the token is not meant for the library",
		codeWrongIssuer:      "trusts another one than https://id.example.com",
		"expired":            "refuses your token (Nein, 'books-api' fehlt)",
		"not_yet_valid":      "refuses your token",
		"email_not_verified": "refuses your token",
		"a_new_code":         "refuses your token",
	} {
		address := refusing(t, code)
		c, err := client.New(address, client.StaticSource(client.Token{Access: refusedToken}))
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Me(t.Context())
		if err = explainWelcome(profile.Server{Address: address, Issuer: "https://id.example.com"}, err); !strings.Contains(err.Error(), says) || exitCode(err) != ExitNotSignedIn {
			t.Errorf("%s at login: %v", code, err)
		}
	}
}

func TestARefusalIsRecognisedByItsCodeWhateverItsWords(t *testing.T) {
	t.Parallel()
	for code, says := range map[string]string{
		codeUnknownUser:      "Ask an admin of the library to add you",
		codeWrongAudience:    "the library requires books-api; the token is for others",
		codeWrongIssuer:      "--issuer https://id.example.com, exactly",
		"expired":            "Get a new token",
		"not_yet_valid":      "See token and clock.",
		"email_not_verified": "Confirm your e-mail address",
		"a_new_code":         "Sign in again.",
	} {
		exit, stdout, _ := runWith(t, map[string]string{
			"LIBRARY_TOKEN": refusedToken, "LIBRARY_SERVER": refusing(t, code), "LIBRARY_ISSUER": "http://127.0.0.1:1", "LIBRARY_CONFIG_DIR": t.TempDir(),
		}, "", "doctor")
		if exit != ExitFailed || !strings.Contains(stdout, says) {
			t.Errorf("%s, doctor: %d\n%s", code, exit, stdout)
		}
	}
}
