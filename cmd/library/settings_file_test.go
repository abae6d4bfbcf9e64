package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.org/library/cli/command"
	"example.org/library/internal/testkit"
	"example.org/library/webhook"
)

// configFile writes a configuration file.
func configFile(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "library.toml")
	testkit.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600))
	return path
}

func TestFlagWinsOverEnvironmentOverFile(t *testing.T) {
	t.Parallel()
	path := configFile(t, `issuer = "`+goodIssuer+`"`, `addr = ":1"`, `management-addr = ":1"`, `base-path = '/file'`,
		`"log-level" = "warn"`, `sample-data = true`, `keep = 3`, `client-origin = ["a.example", "b.example:1"]`)
	got, problems := configure(map[string]string{"LIBRARY_CONFIG": path, "LIBRARY_ADDR": ":2", "LIBRARY_MANAGEMENT_ADDR": ":2"}, "--addr", ":3")
	if problems != nil {
		t.Fatal(problems)
	}
	if got.addr != ":3" || got.managementAddr != ":2" || got.basePath != "/file" || got.backups.keep != 3 || !got.sampleData || len(got.origins) != 2 {
		t.Errorf("%+v", got)
	}
}

func TestAListInTheFileMayHaveCommas(t *testing.T) {
	t.Parallel()
	got, problems := configure(nil, "--issuer", goodIssuer, "--config", configFile(t, `client-origin = "a.example, b.example:1"`))
	if diff := cmp.Diff([]string{"a.example", "b.example:1"}, got.origins); diff != "" || problems != nil {
		t.Errorf("%s%v", diff, problems)
	}
}

func TestWhatIsWrongInAFileIsNamedWithItsLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rule, line, want string }{
		{"a key with a slip", `adr = ":1"`, "library.toml:3: adr: there is no such setting; did you mean addr?"},
		{"an underscore", `management_addr = ":1"`, "library.toml:3: management_addr: there is no such setting; did you mean management-addr?"},
		{"a key that is like no other", `colour = "red"`, "library.toml:3: colour: there is no such setting"},
		{"a dotted key", `web.addr = ":1"`, "library.toml:3: web.addr: there is no such setting; did you mean web-addr?"},
		{"a table", "[serve]\naddr = 1\n[x]", "library.toml:3: serve: is a table; settings are written without one, before any line in brackets"},
		{"text for true", `migrate = "true"`, "library.toml:3: migrate: must be true or false, without quotes"},
		{"a number for true", `migrate = 1`, "library.toml:3: migrate: must be true or false"},
		{"true for text", `addr = true`, "library.toml:3: addr: must be text in quotes"},
		{"a fraction", `backup-keep = 1.5`, "library.toml:3: backup-keep: must be a number"},
		{"a date", `name = 2026-11-15`, "library.toml:3: name: must be text in quotes"},
		{"a number for text", `audience = 5`, `library.toml:3: audience: must be text in quotes, or a list such as ["a", "b"]`},
		{"a number for a duration", `drain = 5`, "library.toml:3: drain: must be text in quotes"},
		{"a list for text", `addr = [":1"]`, "library.toml:3: addr: must be text in quotes"},
		{"a list of numbers", `client-origin = [1]`, `library.toml:3: client-origin: must be a list of texts, such as ["a", "b"]`},
		{"a value that cannot be", `addr = "9091"`, `library.toml:3: addr: is "9091"; it must be host:port or :port, such as 127.0.0.1:9091`},
		{"a number that cannot be", `backup-keep = 0`, `library.toml:3: backup-keep: is "0"; it must be a number from 1 to 10000`},
		{"the file itself", `config = "x"`, "library.toml:3: config: is for the command line alone"},
		{"a line that is not TOML", `addr = `, "library.toml:3:7: is not TOML: "},
		{"a key that is there twice", "addr = ':1'\naddr = ':1'", "library.toml:4:1: is not TOML: "},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			_, problems := configure(map[string]string{"LIBRARY_ISSUER": goodIssuer}, "--config", configFile(t, "# mine", "", c.line))
			var got []string
			for _, p := range problems {
				got = append(got, p.Where+": "+p.Message)
			}
			if len(got) == 0 || !strings.HasPrefix(got[0], c.want) || c.rule != "a table" && len(got) != 1 {
				t.Errorf("problems %q, want %q", got, c.want)
			}
		})
	}
}

func TestAllProblemsAreReportedAtOnceWithThoseOfTheFile(t *testing.T) {
	t.Parallel()
	var stderr testkit.Buffer
	path := configFile(t, `adr = ":1"`, `keep = "all"`, `database = "postgre://u:s3cret@h/d"`)
	code, _ := runHere(t.Context(), &stderr, "serve", "--config", path, "--loud", "--every", "daily")
	testkit.Equal(t, code, command.ExitUsage, "exit code")
	testkit.Contains(t, stderr.String(), "\n  library.toml:1: adr: ", "\n  library.toml:2: keep: ", "\n  library.toml:3: database: ", "\n  --loud: ", "\n  --every: ", "\n  library.toml: issuer: is required: ")
	if strings.Contains(stderr.String(), "s3cret") {
		t.Errorf("the password is in:\n%s", stderr.String())
	}
}

func TestAnIssuerThatCannotBeUsedIsOneFault(t *testing.T) {
	t.Parallel()
	for line, where := range map[string]string{
		`issuer = "https://login.microsoftonline.com/<TENANT-ID>/v2.0"`: "library.toml:1: issuer",
		`issuer = 5`:   "library.toml:1: issuer",
		`issuer = "x"`: "library.toml:1: issuer",
		`issuer = `:    "library.toml:1:9",
		`# nothing`:    "library.toml: issuer",
	} {
		_, problems := configure(nil, "--config", configFile(t, line))
		if len(problems) != 1 || problems[0].Where != where {
			t.Errorf("%s: %v; want one problem at %s", line, problems, where)
		}
	}
}

func TestTheFormerNamesOfSettingsWorkAndAreNamed(t *testing.T) {
	t.Parallel()
	for how, args := range map[string][]string{
		"as flags":    {"--every", "24h", "--keep=3"},
		"in the file": {"--config", configFile(t, `every = "24h"`, `keep = 3`)},
	} {
		cfg, problems := configure(nil, append(args, "--issuer", goodIssuer)...)
		want := []string{"--every is called --backup-every now", "--keep is called --backup-keep now"}
		if diff := cmp.Diff(want, cfg.oldNames); diff != "" || problems != nil || cfg.backups.every != 24*time.Hour || cfg.backups.keep != 3 {
			t.Errorf("%s: %+v %v\n%s", how, cfg.backups, problems, diff)
		}
	}
	if cfg, problems := configure(nil, "--issuer", goodIssuer, "--backup-every", "24h"); problems != nil || cfg.oldNames != nil {
		t.Errorf("the new name: %v %v", cfg.oldNames, problems)
	}
}

func TestWhatOverridesAFileNeedNotBeRightThere(t *testing.T) {
	t.Parallel()
	got, problems := configure(nil, "--issuer", goodIssuer, "--addr", ":1", "--config", configFile(t, `addr = "nonsense"`))
	if problems != nil || got.addr != ":1" {
		t.Errorf("%s %v", got.addr, problems)
	}
}

func TestAFileThatCannotBeReadIsNamedByWhoNamedIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	long := filepath.Join(dir, "long.toml")
	testkit.NoError(t, os.WriteFile(long, bytes.Repeat([]byte("# much\n"), longestConfig/7+1), 0o600))
	for _, path := range []string{filepath.Join(dir, "none.toml"), dir, long} {
		_, problems := configure(map[string]string{"LIBRARY_CONFIG": path, "LIBRARY_ISSUER": goodIssuer})
		if len(problems) != 1 || problems[0].Where != "LIBRARY_CONFIG" || !strings.Contains(problems[0].Message, "cannot be read") {
			t.Errorf("%s: %v", path, problems)
		}
	}
}

func TestOtherCommandsTakeTheDatabaseFromTheFileOfServe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := configFile(t, `issuer = "`+goodIssuer+`"`, `web = true`, `database = "sqlite:`+filepath.Join(dir, "library.db")+`"`)
	var stderr testkit.Buffer
	for _, args := range [][]string{{"migrate"}, {"backup", filepath.Join(dir, "b")}, {"restore", "--force", filepath.Join(dir, "b")}} {
		if code, _ := runHere(t.Context(), &stderr, append(args, "--config", path)...); code != command.ExitOK {
			t.Errorf("%v: %d %s", args, code, stderr.String())
		}
	}
	code, _ := runHere(t.Context(), &stderr, "migrate", "--config", configFile(t, `databse = "x"`))
	if code != command.ExitUsage || !strings.Contains(stderr.String(), "did you mean database?") {
		t.Errorf("a key with a slip: %d %s", code, stderr.String())
	}
}

// printed is what --print-config prints.
func printed(t *testing.T, args ...string) string {
	t.Helper()
	var stderr testkit.Buffer
	code, stdout := runHere(t.Context(), &stderr, append([]string{"serve", "--print-config"}, args...)...)
	if code != command.ExitOK {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	return stdout
}

func TestWhatIsPrintedCanBeReadAgain(t *testing.T) {
	t.Parallel()
	var all []string
	for _, c := range contract {
		if len(c.good) > 0 && c.flag != "print-config" {
			all = append(all, "--"+c.flag+"="+c.good[0])
		}
	}
	for rule, args := range map[string][]string{
		"the defaults":  {"--issuer", goodIssuer},
		"every setting": append(all, "--backup-every=24h", "--backup-dir=/var/backups"),
		"odd texts":     {"--issuer", goodIssuer, "--name", `Die "Bücherei" am \ Fluß`, "--database", "sqlite:/a #b'c\x7f\t.db", "--client-origin", "a.example, b.example"},
	} {
		text := printed(t, args...)
		want, problems := configure(nil, args...)
		got, again := configure(nil, "--config", configFile(t, text))
		if problems != nil || again != nil {
			t.Errorf("%s: %v %v", rule, problems, again)
		}
		got.config = ""
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(scimConfig{}, logoutConfig{}, webhookConfig{}, webhook.Secret{}, mailConfig{}, serveConfig{}, publicConfig{}, peopleConfig{}, lookupConfig{}, backupSchedule{}, servedClient{}, acmeConfig{}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-printed +read again)\n%s\n%s", rule, diff, text)
		}
	}
}

func TestTheDefaultsArePrintedAsComments(t *testing.T) {
	t.Parallel()
	text := printed(t) // it is a beginning for somebody who has nothing yet, no issuer either
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") && line != "\n" {
			t.Errorf("%q is no comment", line)
		}
	}
	for _, s := range (&serveConfig{}).settings() {
		if !s.notKept && !s.secret && (!strings.Contains(text, "\n# "+s.flag+" = ") || !strings.Contains(text, s.usage)) {
			t.Errorf("--%s is not in it, or not explained:\n%s", s.flag, text)
		}
	}
}

func TestAPasswordIsNotPrinted(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"postgres://u:s3cret@h/d":                        `"postgres://u@h/d"`,
		"postgres://u:s3cret@h/d?sslmode=require":        `"postgres://u@h/d?sslmode=require"`,
		"postgres://u@h/d?password=s3cret&sslmode=allow": `"postgres://u@h/d?sslmode=allow"`,
	} {
		text := printed(t, "--database", given)
		if strings.Contains(text, "s3cret") || !strings.Contains(text, "\ndatabase = "+want+"\n") || !strings.Contains(text, "PGPASSWORD") {
			t.Errorf("%s", text)
		}
	}
}

func TestAPasswordThatEverybodyCanReadIsNoticed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		database string
		mode     os.FileMode
		want     bool
	}{
		{"postgres://u:s3cret@h/d", 0o644, true}, {"postgres://u:s3cret@h/d", 0o640, false}, {"postgres://u@h/d", 0o644, false}, {"sqlite:library.db", 0o644, false},
	} {
		path := configFile(t, `database = "`+c.database+`"`)
		testkit.NoError(t, os.Chmod(path, c.mode))
		if got := tellsPassword(path); got != c.want {
			t.Errorf("%s with %v: %v", c.database, c.mode, got)
		}
	}
}

func FuzzConfigFile(f *testing.F) {
	f.Add("addr = ':1'\n[x]\n")
	f.Add("client-origin = ['a', 'b']\nkeep = 0x10\nweb = true")
	f.Add("a.b = { c = [1979-05-27] }\n\"addr\" = '''x'''")
	f.Fuzz(func(t *testing.T, text string) {
		parseConfig("library.toml", []byte(text), (&serveConfig{}).settings()) // does not panic
	})
}
