package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

// TestTheCommandsOfTheWorkshopPageWork starts what docs/from-the-workshop.md starts, on other ports, types its examples into a
// shell, and compares the status of each answer with the one that the page names.
func TestTheCommandsOfTheWorkshopPageWork(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/from-the-workshop.md")
	testkit.NoError(t, err)
	var started, bearer, basic []string
	for _, found := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		switch {
		case strings.HasPrefix(found[1], "library "):
			started = append(started, strings.TrimSpace(found[1]))
		case strings.Contains(found[1], " -u "):
			basic = append(basic, found[1])
		default:
			bearer = append(bearer, found[1])
		}
	}
	want := []string{"library idp", "library serve --issuer " + pageIssuer + " --sample-data", "library serve --auth basic --htpasswd workshop.htpasswd --sample-data"}
	if !slices.Equal(started, want) {
		t.Fatalf("the page starts %q, and this test %q", started, want)
	}
	idp := startIDP(t)
	compareStatus(t, strings.NewReplacer(pageServer, idp.library(t).base, pageIssuer, idp.issuer), bearer)

	passwords := filepath.Join(t.TempDir(), "workshop.htpasswd")
	lines := regexp.MustCompile(`(?m)^\S+@example\.com:\$2a\$.*\n`).FindAllString(string(text), -1)
	testkit.NoError(t, os.WriteFile(passwords, []byte(strings.Join(lines, "")), 0o600))
	s := start(t, nil, "--auth", "basic", "--htpasswd", passwords, "--database", emptySQLite(t), "--sample-data")
	compareStatus(t, strings.NewReplacer(pageServer, s.base), basic)
}

// compareStatus types examples, in which every curl -i has a comment with the status of the answer.
func compareStatus(t *testing.T, addresses *strings.Replacer, examples []string) {
	t.Helper()
	typed := addresses.Replace(strings.Join(examples, ""))
	printed := terminal(t, strings.ReplaceAll(typed, "curl -i ", `curl -s -w '\nstatus %{http_code}\n' -i `))
	said := regexp.MustCompile(`(?m)^curl -i .*# (\d{3})`).FindAllStringSubmatch(typed, -1)
	got := regexp.MustCompile(`(?m)^status (\d{3})$`).FindAllStringSubmatch(printed, -1)
	if len(said) == 0 || len(said) != len(got) {
		t.Fatalf("%d answers of %d commands:\n%s", len(got), len(said), printed)
	}
	for i := range said {
		if got[i][1] != said[i][1] {
			t.Errorf("%s: %s", said[i][0], got[i][1])
		}
	}
}

// TestTheClientsOfTheWorkshopSignIn signs in as the web client and the Angular client do, and lists the books with the token.
func TestTheClientsOfTheWorkshopSignIn(t *testing.T) {
	t.Parallel()
	idp := startIDP(t)
	s := idp.library(t)
	for client, redirect := range map[string]string{
		"library-client-pkce": "http://localhost:9090/library-client/login/oauth2/code/keycloak",
		"spa":                 "http://localhost:4200/index.html",
	} {
		const verifier, challenge = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM" // RFC 7636
		code := idp.codeFor(t, "bwayne", fields("response_type", "code", "client_id", client, "redirect_uri", redirect, "scope", "openid",
			"code_challenge", challenge, "code_challenge_method", "S256"))
		token := idp.grant(t, fields("grant_type", "authorization_code", "client_id", client, "redirect_uri", redirect, "code", code, "code_verifier", verifier))
		s.with(t, token.text("access_token")).get("/books", "Origin", "http://localhost:4200").want(200).wantHeader("Access-Control-Allow-Origin", "http://localhost:4200")
	}
}
