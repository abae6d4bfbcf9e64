package main

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/library/cli/command"
	"example.org/library/internal/testkit"
	"example.org/library/web"
)

// configureWeb loads the settings of web and returns them with all problems.
func configureWeb(env map[string]string, args ...string) (*webConfig, []command.Problem) {
	cfg := &webConfig{}
	settings := cfg.settings()
	values, problems := load(settings, args, func(name string) (string, bool) { v, ok := env[name]; return v, ok })
	return cfg, append(problems, checkTogether(cfg, settings, values, problems)...)
}

func TestClientOfServeIsWhereWebListensByDefault(t *testing.T) {
	t.Parallel()
	cfg, problems := configureWeb(nil, "--issuer", goodIssuer)
	serve, _ := configure(nil, "--issuer", goodIssuer)
	if problems != nil || strings.Replace(cfg.addr, "127.0.0.1", "localhost", 1) != serve.origins[0] {
		t.Errorf("web listens on %s, serve allows %v; %v", cfg.addr, serve.origins, problems)
	}
	want := web.Config{Issuer: goodIssuer, API: "http://localhost:9091/library-server", ClientID: "library-web", Scopes: "openid email profile"}
	testkit.Diff(t, want, cfg.client())
}

func TestSettingsOfWebReachTheClient(t *testing.T) {
	t.Parallel()
	cfg, problems := configureWeb(map[string]string{
		"LIBRARY_WEB_ISSUER": goodIssuer, "LIBRARY_WEB_BASE_PATH": "/library/", "LIBRARY_WEB_CLIENT_ID": "other", "LIBRARY_ISSUER": "nonsense", "LIBRARY_NAME": "Bücherei <Linz>",
	}, "--api", "https://api.example/", "--scopes", " openid   library_user ")
	want := web.Config{Issuer: goodIssuer, API: "https://api.example", ClientID: "other", BasePath: "/library", Scopes: "openid library_user", Name: "Bücherei <Linz>"}
	if diff := cmp.Diff(want, cfg.client()); diff != "" || problems != nil {
		t.Errorf("client (-want +got):\n%s%v", diff, problems)
	}
}

func TestTheClientKnowsThatTheCatalogueIsPublic(t *testing.T) {
	t.Parallel()
	cfg, problems := configureWeb(nil, "--public-catalogue")
	if problems != nil || !cfg.client().PublicCatalogue {
		t.Errorf("%+v, %v", cfg.client(), problems)
	}
	serve, _ := configure(nil, "--issuer", goodIssuer, "--public-rate", "7")
	if serve.public.perSecond() != 0 || len(serve.idle()) != 1 {
		t.Errorf("a rate alone: %d, %v", serve.public.perSecond(), serve.idle())
	}
	if serve, _ = configure(nil, "--issuer", goodIssuer, "--public-catalogue"); serve.public.perSecond() != 50 || len(serve.idle()) != 0 {
		t.Errorf("the usual rate is %d, %v", serve.public.perSecond(), serve.idle())
	}
}

func TestWebReportsAllProblemsAtOnce(t *testing.T) {
	t.Parallel()
	var stderr testkit.Buffer
	code, stdout := runHere(t.Context(), &stderr, "web", "--nonsense", "stray", "too", "--addr", "4200", "--api=", "--base-path", "library",
		"--client-id", "two words", "--scopes", "email", "--log-level", "loud", "--name", " ")
	if code != command.ExitUsage || stdout != "" {
		t.Errorf("exit code %d: %s", code, stdout)
	}
	for _, named := range []string{"--nonsense", "too", "--addr", "--issuer", "--api", "--base-path", "--client-id", "--scopes", "--log-level", "--name"} {
		if !strings.Contains(stderr.String(), "\n  "+named+": ") {
			t.Errorf("%s is not named in:\n%s", named, stderr.String())
		}
	}
	for _, address := range []string{"localhost", "https://a;b", "https://a'b", "https://*.example"} {
		_, problems := configureWeb(nil, "--issuer", address, "--api", address)
		if len(problems) != 2 || problems[0].Where != "--issuer" || problems[1].Where != "--api" {
			t.Errorf("%s: %v", address, problems)
		}
	}
}

func TestWebKnowsTheProviderOfThisMachineAlone(t *testing.T) {
	t.Parallel()
	if cfg, problems := configureWeb(nil); len(problems) > 0 || cfg.issuer != command.DemoIssuer {
		t.Errorf("without any flag: %q, %v", cfg.issuer, problems)
	}
	if _, problems := configureWeb(nil, "--api", "https://library.example.org"); len(problems) != 1 || problems[0].Where != "--issuer" {
		t.Errorf("with an API elsewhere: %v", problems)
	}
}

func TestWebServesThePageUntilItIsStopped(t *testing.T) {
	t.Parallel()
	address, stderr, stop := startHere(t, "web", "--addr", "127.0.0.1:0", "--issuer", goodIssuer, "--base-path", "/library")
	resp, err := http.Get("http://" + address + "/library/")
	testkit.NoError(t, err)
	defer resp.Body.Close()
	page, err := io.ReadAll(resp.Body)
	if policy := resp.Header.Get("Content-Security-Policy"); err != nil || !strings.Contains(policy, "connect-src 'self' http://localhost:9091 https://login.example.org;") {
		t.Errorf("policy %q, %v", policy, err)
	}
	testkit.Contains(t, string(page), "<title>Library</title>")
	var other testkit.Buffer
	if code, _ := runHere(t.Context(), &other, "web", "--addr", address, "--issuer", goodIssuer); code != command.ExitFailed || !strings.Contains(other.String(), "--addr") {
		t.Errorf("the port is in use: exit code %d: %s", code, other.String())
	}
	if code := stop(); code != command.ExitOK || !strings.Contains(stderr.String(), "msg=stopped") {
		t.Errorf("exit code %d:\n%s", code, stderr.String())
	}
}
