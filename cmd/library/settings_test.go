package main

import (
	"bytes"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.org/library/auth"
	"example.org/library/auth/claims"
	"example.org/library/cli/command"
	"example.org/library/internal/testkit"
	"example.org/library/webhook"
)

// contract is the table of the settings of serve: flag, environment variable,
// default, values that are taken and values that are refused.
var contract = []struct {
	flag, env, value string
	good, bad        []string
}{
	{"addr", "LIBRARY_ADDR", ":9091",
		[]string{"127.0.0.1:0", "[::1]:80", "localhost:65535"}, []string{"9091", "localhost", ":65536", ":-1", ":http", "a b:c"}},
	{"base-path", "LIBRARY_BASE_PATH", "/library-server",
		[]string{"/", "/a/b", "/a/"}, []string{"library", "//", "/a//b", "/a?b", "/a b", "/{id}", "/..", "http://a/b"}},
	{"management-addr", "LIBRARY_MANAGEMENT_ADDR", "127.0.0.1:9092",
		[]string{":0"}, []string{"9092", "x"}},
	{"drain", "LIBRARY_DRAIN", "5s",
		[]string{"0", "0s", "30s", "5m"}, []string{"5", "-1s", "301s", "soon"}},
	{"issuer", "LIBRARY_ISSUER", "",
		[]string{"http://localhost:8080/auth/realms/workshop", "https://a.example/"}, []string{"a.example", "ftp://a.example", "https://", "https://me:pw@a.example", "https://a.example/#x", "%"}},
	{"jwks-url", "LIBRARY_JWKS_URL", "",
		[]string{"https://a.example/keys?v=1"}, []string{"keys.json", "file:///keys"}},
	{"audience", "LIBRARY_AUDIENCE", "library-service",
		[]string{"other", "https://a.example/api", "a,b", "api://a , b"}, []string{"two words", `qu"ote`, "it's", "übung", "a,,b", "a,", " "}},
	{"authorities", "LIBRARY_AUTHORITIES", "scope",
		[]string{"groups", "local", "plain"}, []string{"roles", "Scope", "scope,groups"}},
	{"require-verified-email", "LIBRARY_REQUIRE_VERIFIED_EMAIL", "false",
		[]string{"true"}, []string{"yes", "1", "TRUE"}},
	{"clock-skew", "LIBRARY_CLOCK_SKEW", "0s",
		[]string{"60s", "1m", "500ms"}, []string{"61s", "-1s", "5", "soon"}},
	{"client-origin", "LIBRARY_CLIENT_ORIGIN", "localhost:4200",
		[]string{"a.example", "a.example:1,b.example:2", "[::1]:4200"}, []string{"http://localhost:4200", "*", "a.example/", "a,,b", "a b", "me@a.example"}},
	{"name", "LIBRARY_NAME", "",
		[]string{"Riverside Library", "Bücherei am Fluß", strings.Repeat("ü", 60)}, []string{" ", "two\nlines", "tab\tulator", strings.Repeat("ü", 61), "\xff"}},
	{"database", "LIBRARY_DATABASE", "sqlite:library.db",
		[]string{"sqlite:/var/lib/library.db", "postgres://u:p@h/d", "postgresql://h/d"}, []string{"sqlite:", "library.db", "mysql://h/d", "postgres:"}},
	{"migrate", "LIBRARY_MIGRATE", "true",
		[]string{"false"}, []string{"no", "0"}},
	{"wait", "LIBRARY_WAIT", "forever",
		[]string{"0", "0s", "10m", "48h"}, []string{"5", "-1s", "never"}},
	{"sample-data", "LIBRARY_SAMPLE_DATA", "false",
		[]string{"true"}, []string{"maybe"}},
	{"bootstrap-user", "LIBRARY_BOOTSTRAP_USER", "",
		[]string{"you@example.org"}, []string{"you", "you@", "you @example.org", "a@b@c"}},
	{"backup-every", "LIBRARY_BACKUP_EVERY", "0s",
		[]string{"24h", "1m", "0"}, []string{"daily", "1", "-1h", "59s"}},
	{"backup-keep", "LIBRARY_BACKUP_KEEP", "14",
		[]string{"1", "10000"}, []string{"0", "-1", "all", "10001"}},
	{"backup-dir", "LIBRARY_BACKUP_DIR", "",
		nil, []string{"unused-without-every"}},
	{"auth", "LIBRARY_AUTH", "bearer",
		nil, []string{"none", "Bearer", "digest"}},
	{"htpasswd", "LIBRARY_HTPASSWD", "", []string{"unused-in-bearer-mode"}, nil},
	{"tls-cert", "LIBRARY_TLS_CERT", "", nil, []string{"missing.pem"}},
	{"tls-key", "LIBRARY_TLS_KEY", "", nil, []string{"missing.pem"}},
	{"log-format", "LIBRARY_LOG_FORMAT", "text",
		[]string{"json"}, []string{"xml", "JSON"}},
	{"log-level", "LIBRARY_LOG_LEVEL", "info",
		[]string{"debug", "warn", "error", "INFO"}, []string{"loud", "7"}},
	{"dpop", "LIBRARY_DPOP", "off",
		[]string{"allowed", "required"}, []string{"on", "true", "OFF", ","}},
	{"dpop-nonce", "LIBRARY_DPOP_NONCE", "false",
		[]string{"true"}, []string{"yes", "on"}},
	{"public-api-url", "LIBRARY_PUBLIC_API_URL", "",
		[]string{"https://library.example.org/library-server", "https://library.example.org:8443/"}, []string{"library.example.org", "https://", "https://a.example/?x", "https://a.example/#x", "https://me@a.example/"}},
	{"resource-metadata", "LIBRARY_RESOURCE_METADATA", "false",
		[]string{"true"}, []string{"yes", "on"}},
	{"login-scopes", "LIBRARY_LOGIN_SCOPES", "",
		[]string{"library_user", "openid api://library/read"}, []string{`qu"ote`, "it's"}},
	{"login-audience", "LIBRARY_LOGIN_AUDIENCE", "",
		[]string{"library-service", "https://a.example/api"}, []string{"two words", `qu"ote`}},
	{"email-claim", "LIBRARY_EMAIL_CLAIM", "email",
		[]string{"upn", "https://example.org/email"}, []string{"a\nb", "\xff", strings.Repeat("x", 201)}},
	{"authorities-claim", "LIBRARY_AUTHORITIES_CLAIM", "",
		[]string{"realm_access.roles", "https://example.org/roles", "cognito:groups", "my roles"}, []string{"a\tb", strings.Repeat("x", 201)}},
	{"role-map", "LIBRARY_ROLE_MAP", "",
		[]string{"LIBRARY_USER=readers,staff;LIBRARY_ADMIN=it", "LIBRARY_USER=a%2Cb", "LIBRARY_USER= a "},
		[]string{"readers", "LIBRARY_READER=a", "LIBRARY_USER=a;", "LIBRARY_USER=a%", "LIBRARY_USER=a=b", "LIBRARY_USER=,", "library_user=a"}},
	{"audience-claim", "LIBRARY_AUDIENCE_CLAIM", "aud",
		[]string{"client_id"}, []string{"\x00"}},
	{"userinfo", "LIBRARY_USERINFO", "off",
		[]string{"on"}, []string{"true", "On"}},
	{"tokens", "LIBRARY_TOKENS", "access",
		[]string{"id"}, []string{"ID", "refresh", "access,id"}},
	{"provision", "LIBRARY_PROVISION", "off",
		[]string{"login"}, []string{"on", "Login", "true"}},
	{"provision-unverified", "LIBRARY_PROVISION_UNVERIFIED", "false",
		[]string{"true"}, []string{"yes"}},
	{"provision-roles", "LIBRARY_PROVISION_ROLES", "",
		nil, []string{"library_user", "LIBRARY_USER,", "reader", "LIBRARY_USER LIBRARY_ADMIN"}},
	{"bind-subject", "LIBRARY_BIND_SUBJECT", "off",
		[]string{"on"}, []string{"true", "ON"}},
	{"logout", "LIBRARY_LOGOUT", "false", nil, []string{"yes", "on"}},
	{"logout-audience", "LIBRARY_LOGOUT_AUDIENCE", "", nil, []string{"a,,b", "a b"}},
	{"logout-keep", "LIBRARY_LOGOUT_KEEP", "24h",
		[]string{"1h", "720h"}, []string{"0s", "721h", "-1h", "day"}},
	{"scim", "LIBRARY_SCIM", "false", []string{"true"}, []string{"yes", "on"}},
	{"scim-token-file", "LIBRARY_SCIM_TOKEN_FILE", "", nil, nil},
	{"scim-email", "LIBRARY_SCIM_EMAIL", "", nil, []string{"mail", "username"}},
	{"public-catalogue", "LIBRARY_PUBLIC_CATALOGUE", "false",
		[]string{"true"}, []string{"yes"}},
	{"public-rate", "LIBRARY_PUBLIC_RATE", "50",
		[]string{"1", "10000"}, []string{"0", "10001", "many"}},
	{"lookup", "LIBRARY_LOOKUP", "",
		[]string{"loc", "dnb, openlibrary,loc", "sru+https://sru.example.com/x?index=dc.isbn", "sru+http://127.0.0.1:99/x", "openlibrary+https://books.example.com"},
		[]string{"amazon", "loc,loc", "sru+http://sru.example.com/x", "https://sru.example.com", "sru+https://sru.example.com/x?query=1", "sru+https://sru.example.com/?index=a%20or%20b"}},
	{"covers", "LIBRARY_COVERS", "",
		[]string{"openlibrary", "https://covers.example.com/{isbn}.jpg", "http://127.0.0.1:81/{isbn}"}, []string{"amazon", "http://covers.example.com/{isbn}", "https://covers.example.com/"}},
	{"webhook", "LIBRARY_WEBHOOK", "", nil,
		[]string{"ftp://receiver.example.org", "receiver.example.org", "http://receiver.example.org/", "http://localhost.example.org", "http://192.168.0.1/hook",
			"https://user:password@receiver.example.org", "https://receiver.example.org/#part", "https:///path", "http://2130706433/", "http://127.1/"}},
	{"webhook-people", "LIBRARY_WEBHOOK_PEOPLE", "false",
		[]string{"true"}, []string{"yes"}},
	{"smtp", "LIBRARY_SMTP", "",
		nil, []string{"mail.example.org", "smtp://anna:geheim@mail.example.org", "smtps://mail.example.org?tls=off", "maildir:", "smtp://mail.example.org:0"}},
	{"smtp-password-file", "LIBRARY_SMTP_PASSWORD_FILE", "", []string{"/run/secrets/smtp"}, nil},
	{"mail-from", "LIBRARY_MAIL_FROM", "", []string{"library@example.org"}, []string{"library", "Library <library@example.org>", "a@b@c d"}},
	{"mail-to", "LIBRARY_MAIL_TO", "", []string{"anna@example.org"}, []string{"anna"}},
	{"mail-rate", "LIBRARY_MAIL_RATE", "10", []string{"1", "1000"}, []string{"0", "1001", "ten"}},
	{"public-url", "LIBRARY_PUBLIC_URL", "",
		[]string{"https://library.example.org", "http://localhost:4200/client/"}, []string{"library.example.org", "ftp://library.example.org", "https://anna@library.example.org", "https://library.example.org/?a=b", "https://library.example.org/#a", "javascript:alert(1)"}},
	{"acme", "LIBRARY_ACME", "",
		[]string{"library.example.org", "a.example, B.example"}, []string{"localhost", "https://a.example", "a.example:443", "*.example.org", "-a.example", "127.0.0.1,"}},
	{"acme-cache", "LIBRARY_ACME_CACHE", "acme", []string{"/var/lib/acme"}, nil},
	{"acme-directory", "LIBRARY_ACME_DIRECTORY", "https://acme-v02.api.letsencrypt.org/directory",
		[]string{"https://ca.example/dir"}, []string{"ca.example"}},
	{"web", "LIBRARY_WEB", "false",
		[]string{"true"}, []string{"yes"}},
	{"web-addr", "LIBRARY_WEB_ADDR", ":4200",
		[]string{"127.0.0.1:0"}, []string{"4200"}},
	{"web-api", "LIBRARY_WEB_API", "",
		[]string{"https://library.example.org/library-server"}, []string{"library.example.org", "https://a b/"}},
	{"web-client-id", "LIBRARY_WEB_CLIENT_ID", "library-web",
		[]string{"other"}, []string{"two words"}},
	{"web-scopes", "LIBRARY_WEB_SCOPES", "openid email profile",
		[]string{"openid"}, []string{"email"}},
	{"web-base-path", "LIBRARY_WEB_BASE_PATH", "/",
		[]string{"/app"}, []string{"app"}},
	{"config", "LIBRARY_CONFIG", "", nil, []string{"no-such-file.toml"}},
	{"print-config", "LIBRARY_PRINT_CONFIG", "false", nil, []string{"yes"}},
	{"for", "LIBRARY_FOR", "", nil, []string{"ldap", "Keycloak"}},
}

const goodIssuer = "https://login.example.org/realms/main"

// configure loads the settings of serve and returns them with all problems.
func configure(env map[string]string, args ...string) (*serveConfig, []command.Problem) {
	cfg := &serveConfig{}
	settings := cfg.settings()
	values, problems := load(settings, args, func(name string) (string, bool) { v, ok := env[name]; return v, ok })
	cfg.noteOldNames(settings, values)
	return cfg, append(problems, checkTogether(cfg, settings, values, problems)...)
}

func TestSettingsOfServeAreThoseOfTheContract(t *testing.T) {
	t.Parallel()
	type row struct{ flag, env, value string }
	var want, got []row
	for _, c := range contract {
		want = append(want, row{c.flag, c.env, c.value})
	}
	for _, s := range (&serveConfig{}).settings() {
		if !s.secret {
			got = append(got, row{s.flag, s.env(), s.value})
		}
	}
	testkit.Diff(t, want, got, cmp.AllowUnexported(row{}))
}

func TestGoodValuesAreTaken(t *testing.T) {
	t.Parallel()
	for _, c := range contract {
		for _, value := range c.good {
			issuer := []string{"--issuer", goodIssuer}
			for how, problems := range map[string]func() []command.Problem{
				"--flag value": func() []command.Problem { _, f := configure(nil, append(issuer, "--"+c.flag, value)...); return f },
				"--flag=value": func() []command.Problem { _, f := configure(nil, append(issuer, "--"+c.flag+"="+value)...); return f },
				"environment": func() []command.Problem {
					_, f := configure(map[string]string{"LIBRARY_ISSUER": goodIssuer, c.env: value})
					return f
				},
			} {
				if f := problems(); f != nil {
					t.Errorf("--%s %q as %s: %v", c.flag, value, how, f)
				}
			}
		}
	}
}

func TestBadValuesAreRefusedUnderTheNameThatWasUsed(t *testing.T) {
	t.Parallel()
	for _, c := range contract {
		for _, value := range c.bad {
			_, problems := configure(map[string]string{"LIBRARY_ISSUER": goodIssuer}, "--"+c.flag+"="+value)
			if len(problems) != 1 || !strings.Contains(problems[0].Where, "--"+c.flag) || problems[0].Message == "" {
				t.Errorf("--%s=%q: %v; want one problem of that name", c.flag, value, problems)
			}
			if strings.HasPrefix(c.flag, "tls-") || c.flag == "backup-dir" {
				continue // a problem of the two flags together
			}
			_, problems = configure(map[string]string{"LIBRARY_ISSUER": goodIssuer, c.env: value})
			if len(problems) != 1 || problems[0].Where != c.env {
				t.Errorf("%s=%q: %v; want one problem of that name", c.env, value, problems)
			}
		}
	}
}

func TestDatabaseAddressIsNotEchoed(t *testing.T) {
	t.Parallel()
	_, problems := configure(nil, "--issuer", goodIssuer, "--database", "postgre://u:s3cret@h/d")
	if len(problems) != 1 || strings.Contains(problems[0].Message, "s3cret") {
		t.Errorf("problems: %v", problems)
	}
}

func TestAddressesWithPasswordsAreNotEchoed(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"serve", "--issuer", "https://u:s3cret@login.example.org/x"},
		{"serve", "--issuer", "https://u:s3cret@login.example.org:port/x"},
		{"serve", "postgres://u:s3cret@h/d"},
		{"migrate", "postgres://u:s3cret@h/d"},
		{"migrate", "postgres://u:s3cret@h:port/d"},
		{"backup", "a", "postgres://u:s3cret@h/d"},
		{"backup", "postgres://u:s3cret@h/d"},
		{"restore", "postgres://u:s3cret@h/d"},
	} {
		var stderr bytes.Buffer
		code, _ := runHere(t.Context(), &stderr, args...)
		if code != command.ExitUsage || strings.Contains(stderr.String(), "s3cret") {
			t.Errorf("%q: %d %s", args, code, stderr.String())
		}
	}
}

func TestAPlaceholderInTheIssuerIsRefused(t *testing.T) {
	t.Parallel()
	for _, issuer := range []string{"https://login.example/<TENANT-ID>/v2.0", "https://login.example/{tenant}/v2.0", "https://<okta domain>/oauth2/default", "https://{host}"} {
		_, problems := configure(nil, "--issuer", issuer)
		if len(problems) != 1 || problems[0].Where != "--issuer" || !strings.Contains(problems[0].Message, "replace it with your value") {
			t.Errorf("%s: %v", issuer, problems)
		}
	}
}

func TestWhatBelongsTogether(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule  string
		args  []string
		where []string
	}{
		{"bearer mode needs an issuer", nil, []string{"--issuer"}},
		{"basic mode needs a password file, and no issuer", []string{"--auth", "basic"}, []string{"--htpasswd"}},
		{"the password file must be one", []string{"--auth", "basic", "--htpasswd", "settings_test.go"}, []string{"--htpasswd"}},
		{"a certificate needs a key", []string{"--issuer", goodIssuer, "--tls-cert", "c"}, []string{"--tls-cert, --tls-key"}},
		{"a key needs a certificate", []string{"--issuer", goodIssuer, "--tls-key", "k"}, []string{"--tls-cert, --tls-key"}},
		{"on PostgreSQL, backups need a folder", []string{"--issuer", goodIssuer, "--backup-every", "24h", "--database", "postgres://u@h/d"}, []string{"--backup-dir"}},
		{"certificates come from one place", []string{"--issuer", goodIssuer, "--acme", "a.example", "--tls-cert", "c", "--tls-key", "k"}, []string{"--tls-cert, --tls-key", "--acme"}},
		{"certificates need a folder", []string{"--issuer", goodIssuer, "--acme", "a.example", "--acme-cache="}, []string{"--acme-cache"}},
		{"the browser client needs a provider", []string{"--auth", "basic", "--htpasswd", "x", "--web"}, []string{"--htpasswd", "--web"}},
		{"under one address, API and client have different paths", []string{"--issuer", goodIssuer, "--web", "--web-addr", ":9091", "--base-path", "/"}, []string{"--web-addr"}},
		{"the client cannot be inside the API", []string{"--issuer", goodIssuer, "--web", "--web-addr", ":9091", "--web-base-path", "/library-server/app"}, []string{"--web-addr"}},
		{"a configuration for a provider is printed", []string{"--issuer", goodIssuer, "--for", "entra"}, []string{"--for"}},
		{"mails need a sender", []string{"--issuer", goodIssuer, "--smtp", "smtp://mail.example.org"}, []string{"--mail-from"}},
		{"a user of the mail server needs a password", []string{"--issuer", goodIssuer, "--smtp", "smtp://anna@mail.example.org", "--mail-from", "a@example.org"}, []string{"LIBRARY_SMTP_PASSWORD, --smtp-password-file"}},
		{"the file with it must be there", []string{"--issuer", goodIssuer, "--smtp", "smtp://anna@mail.example.org", "--mail-from", "a@example.org", "--smtp-password-file", "/not/there"}, []string{"--smtp-password-file"}},
		{"a password is never a flag", []string{"--issuer", goodIssuer, "--smtp-password", "geheim"}, []string{"--smtp-password"}},
		{"where tokens bring no roles, records that a login makes need some", []string{"--issuer", goodIssuer, "--authorities", "local", "--provision", "login"}, []string{"--provision-roles"}},
		{"where they do, they need none", []string{"--issuer", goodIssuer, "--provision", "login", "--provision-roles", "LIBRARY_USER"}, []string{"--provision-roles"}},
		{"also if no login makes a record", []string{"--issuer", goodIssuer, "--authorities", "groups", "--provision-roles", "LIBRARY_USER"}, []string{"--provision-roles"}},
		{"with these roles all is well", []string{"--issuer", goodIssuer, "--authorities", "local", "--provision", "login", "--provision-roles", "LIBRARY_USER, LIBRARY_CURATOR"}, nil},
		{"a bad issuer is not a missing one", []string{"--issuer", "nonsense"}, []string{"--issuer"}},
		{"a bad sender is not a missing one", []string{"--issuer", goodIssuer, "--smtp", "smtp://mail.example.org", "--mail-from", "nope"}, []string{"--mail-from"}},
		{"a bad role is not a missing one", []string{"--issuer", goodIssuer, "--authorities", "local", "--provision", "login", "--provision-roles", "reader"}, []string{"--provision-roles"}},
		{"who misspells a provider does not start the library", []string{"--for", "foo"}, []string{"--for"}},
		{"without its file nothing else is missing", []string{"--config", "no-such-file.toml"}, []string{"--config"}},
		{"a flag needs a value", []string{"--issuer", goodIssuer, "--addr"}, []string{"--addr"}},
		{"a negative number is a value, and a bad one", []string{"--issuer", goodIssuer, "--backup-keep", "-1", "--wait", "-5s"}, []string{"--wait", "--backup-keep"}},
		{"a flag is no value", []string{"--issuer", "--sample-data"}, []string{"--issuer"}},
		{"an unknown flag takes its value along", []string{"--unknown", "value", "--issuer", goodIssuer}, []string{"--unknown"}},
		{"one dash is not two", []string{"--issuer", goodIssuer, "-addr", ":1"}, []string{"-addr"}},
		{"everything at once", []string{"--unknown=s3cret", "stray", "--addr", "x", "--auth", "y"}, []string{"--unknown", "stray", "--addr", "--auth"}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			_, problems := configure(nil, c.args...)
			var where []string
			for _, f := range problems {
				where = append(where, f.Where)
				if strings.Contains(f.Where+f.Message, "s3cret") {
					t.Errorf("the value of an unknown flag is echoed: %v", f)
				}
			}
			if diff := cmp.Diff(c.where, where); diff != "" {
				t.Errorf("problems (-want +got):\n%s\n%v", diff, problems)
			}
		})
	}
}

func TestSettingsThatDoNothingAreSaid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		want []string
	}{
		{nil, nil},
		{[]string{"--web", "--web-addr", ":1", "--web-base-path", "/app"}, nil},
		{[]string{"--web-addr", ":1"}, []string{"--web-addr, --web-api and --web-base-path need --web"}},
		{[]string{"--web-api", "https://library.example.org/x"}, []string{"--web-addr, --web-api and --web-base-path need --web"}},
		{[]string{"--htpasswd", "file"}, []string{"--htpasswd needs --auth basic"}},
		{[]string{"--dpop-nonce"}, []string{"--dpop-nonce needs --dpop allowed or required"}},
		{[]string{"--public-api-url", "https://a.example/x"}, []string{"--public-api-url needs --dpop allowed or required, --resource-metadata or --scim"}},
		{[]string{"--public-api-url", "https://a.example/x", "--dpop", "allowed"}, nil},
		{[]string{"--public-api-url", "https://a.example/x", "--resource-metadata"}, nil},
		{[]string{"--login-scopes", "a"}, []string{"--login-scopes and --login-audience need --resource-metadata"}},
		{[]string{"--provision", "login", "--provision-unverified", "--bind-subject", "on"}, nil},
		{[]string{"--mail-to", "a@example.org", "--mail-from", "b@example.org"}, []string{"--smtp-password-file, --mail-from, --mail-to and --mail-rate need --smtp"}},
		{[]string{"--mail-rate", "5"}, []string{"--smtp-password-file, --mail-from, --mail-to and --mail-rate need --smtp"}},
		{[]string{"--public-url", "https://library.example.org"}, nil}, // is in previews, too
		{[]string{"--provision-unverified"}, []string{"--provision-unverified and --provision-roles need --provision login"}},
		{[]string{"--provision", "login", "--authorities", "plain"}, []string{"--provision needs another --authorities than plain, with which nobody has a role"}},
		{[]string{"--authorities", "groups", "--authorities-claim", "roles", "--role-map", "LIBRARY_USER=a"}, nil},
		{[]string{"--authorities", "plain", "--authorities-claim", "roles"}, nil},
		{[]string{"--authorities", "plain", "--role-map", "LIBRARY_USER=a"}, []string{"--role-map needs another --authorities than plain"}},
		{[]string{"--authorities", "local", "--authorities-claim", "roles"}, []string{"--authorities-claim needs another --authorities than local"}},
	} {
		cfg, problems := configure(nil, append(c.args, "--issuer", goodIssuer)...)
		if diff := cmp.Diff(c.want, cfg.idle()); diff != "" || problems != nil {
			t.Errorf("%q (-want +got):\n%s%v", c.args, diff, problems)
		}
	}
}

func TestFlagWinsOverEnvironmentOverDefault(t *testing.T) {
	t.Parallel()
	env := map[string]string{
		"LIBRARY_ISSUER": goodIssuer, "LIBRARY_ADDR": ":1", "LIBRARY_MANAGEMENT_ADDR": ":2", "LIBRARY_BASE_PATH": "",
		"LIBRARY_SAMPLE_DATA": "true", "LIBRARY_MIGRATE": "true", "LIBRARY_CLOCK_SKEW": "nonsense, but not looked at",
	}
	got, problems := configure(env, "--addr", ":3", "--addr", ":4", "--migrate=false", "--sample-data", "false",
		"--clock-skew", "5s", "--require-verified-email", "--client-origin", "a.example, b.example:1", "--log-level=debug", "--base-path=/x/")
	if problems != nil {
		t.Fatal(problems)
	}
	want := &serveConfig{
		addr: ":4", basePath: "/x", managementAddr: ":2", drain: 5 * time.Second, issuer: goodIssuer, audience: "library-service",
		authorities: auth.ModeScope, verifiedEmail: true, clockSkew: 5 * time.Second, origins: []string{"a.example", "b.example:1"},
		database: "sqlite:library.db", wait: math.MaxInt64, backups: backupSchedule{keep: 14, folder: "backups"}, auth: "bearer", logFormat: "text", logLevel: slog.LevelDebug,
		claims: claims.Mapping{Tokens: claims.AccessTokens, AudienceClaim: "aud", EmailClaim: "email"},
		mails:  mailConfig{rate: 10},
		people: peopleConfig{provision: "off", bind: "off"},
		logout: logoutConfig{keep: 24 * time.Hour},
		public: publicConfig{rate: 50},
		acme:   acmeConfig{cache: "acme", directory: "https://acme-v02.api.letsencrypt.org/directory"},
		web:    servedClient{addr: ":4200", clientID: "library-web", scopes: "openid email profile"},
	}
	testkit.Diff(t, want, got, cmp.AllowUnexported(scimConfig{}, logoutConfig{}, webhookConfig{}, webhook.Secret{}, mailConfig{}, serveConfig{}, peopleConfig{}, lookupConfig{}, publicConfig{}, backupSchedule{}, servedClient{}, acmeConfig{}), cmpopts.EquateEmpty())
}

func TestEmptyEnvironmentVariableIsNone(t *testing.T) {
	t.Parallel()
	got, problems := configure(map[string]string{"LIBRARY_ISSUER": goodIssuer, "LIBRARY_ADDR": "", "LIBRARY_MIGRATE": ""})
	if problems != nil || got.addr != ":9091" || !got.migrate {
		t.Errorf("address %q, migrate %v, problems %v", got.addr, got.migrate, problems)
	}
}

func TestFaultsOfCoverSourcesAreNamed(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{"amazon": `"amazon" is neither openlibrary nor an address`, "http://covers.example.com/{isbn}": "plain http is only for this machine"} {
		_, problems := configure(map[string]string{"LIBRARY_ISSUER": goodIssuer}, "--covers", value)
		if len(problems) != 1 || !strings.Contains(problems[0].Message, want) {
			t.Errorf("%s: %v", value, problems)
		}
	}
}

func TestLogoutTokensNeedTheirAudience(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--logout":                           "--logout-audience is required with --logout",
		"--logout-audience web":              "--logout-audience needs --logout",
		"--logout --logout-audience web,cli": "",
		"--logout --logout-audience ,":       "--logout-audience must be one word",
		"--auth basic --logout":              "--logout is about tokens",
		"--auth basic --logout-audience web": "--logout-audience is about tokens",
	} {
		cfg := &serveConfig{}
		values, problems := load(cfg.settings(), append(strings.Fields(args), "--issuer", "https://id.example"), func(string) (string, bool) { return "", false })
		problems = append(problems, checkTogether(cfg, cfg.settings(), values, problems)...)
		said := ""
		for _, p := range problems {
			if strings.Contains(p.Where, "logout") {
				said += p.Where + " " + p.Message
			}
		}
		if (said == "") != (want == "") || !strings.Contains(said, want) {
			t.Errorf("%s: %q, want %q", args, said, want)
		}
	}
}
