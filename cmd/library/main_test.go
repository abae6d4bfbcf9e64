package main

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/library/cli"
	"example.org/library/cli/command"
	"example.org/library/httpapi"
	"example.org/library/internal/testkit"
)

// runHere runs the program inside the test, without any environment variable.
func runHere(ctx context.Context, stderr io.Writer, args ...string) (code int, stdout string) {
	var out testkit.Buffer
	code = cli.Run(ctx, args, command.Environment{Lookup: func(string) (string, bool) { return "", false }, Stdin: strings.NewReader(""), Stdout: &out, Stderr: stderr}, program())
	return code, out.String()
}

func TestHelpListsEveryFlagWithDefaultAndEnvironmentVariable(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"serve", "--help"}, {"help", "serve"}, {"serve", "--nonsense", "-h"}} {
		var stderr testkit.Buffer
		code, help := runHere(t.Context(), &stderr, args...)
		if code != command.ExitOK || stderr.String() != "" {
			t.Errorf("%v: exit code %d, stderr %s", args, code, stderr.String())
		}
		for _, c := range contract {
			line := ""
			for l := range strings.Lines(help) {
				if strings.HasPrefix(strings.TrimSpace(l), "--"+c.flag+" ") {
					line = l
				}
			}
			boolean := c.value == "true" || c.value == "false"
			if !strings.Contains(line, "("+c.env+")") || c.value != "" && c.value != "false" && !strings.Contains(line, "(default ") {
				t.Errorf("%v: the line of --%s is %q", args, c.flag, line)
			}
			if !boolean && c.value != "" && !strings.Contains(line, `"`+c.value+`"`) {
				t.Errorf("%v: the line of --%s does not say that the default is %s: %q", args, c.flag, c.value, line)
			}
		}
	}
}

// TestTheSettingsPageListsEverySetting compares docs/settings.md, and docs/development.md for
// what is not for operators, with the settings of each command, and the contract of serve with both.
func TestTheSettingsPageListsEverySetting(t *testing.T) {
	t.Parallel()
	sections := map[string]string{}
	for _, name := range []string{"settings", "development"} {
		page, err := os.ReadFile("../../docs/" + name + ".md")
		testkit.NoError(t, err)
		for _, section := range strings.Split(string(page), "\n## ")[1:] {
			command, _, _ := strings.Cut(strings.TrimPrefix(section, "`library "), "`")
			sections[command] = section
		}
	}
	wants := func(command, flag, env, value string) {
		t.Helper()
		row := "\n| `--" + flag + "` | `" + env + "` | "
		if value != "" {
			row += "`" + value + "` "
		}
		if !strings.Contains(sections[command], row+"|") {
			t.Errorf("the pages have no row for %s that begins with %s|", command, row)
		}
	}
	for _, c := range contract {
		wants("serve", c.flag, c.env, c.value)
	}
	for command, cfg := range map[string]configuration{
		"serve": &serveConfig{}, "web": &webConfig{}, "idp": &idpConfig{}, "demo": &demoConfig{}, "migrate": &migrateConfig{},
		"backup": newBackupConfig(), "restore": newRestoreConfig(),
	} {
		rows := strings.Count(sections[command], "\n| `--")
		settings := slices.DeleteFunc(cfg.settings(), func(s setting) bool { return s.isWord || s.secret })
		if rows != len(settings) {
			t.Errorf("the pages have %d rows for %s, which has %d settings", rows, command, len(settings))
		}
		for _, s := range settings {
			wants(command, s.flag, s.env(), s.value)
		}
	}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule string
		args []string
		code int
		says string
	}{
		{"nothing asked for is help", nil, command.ExitOK, "Run it:"},
		{"version", []string{"--version"}, command.ExitOK, thisBuild().String()},
		{"unknown command", []string{"sevre"}, command.ExitUsage, "sevre"},
		{"unknown flag of the program", []string{"--loud"}, command.ExitUsage, "--loud"},
		{"unknown flag of serve", []string{"serve", "--issuer", goodIssuer, "--loud"}, command.ExitUsage, "--loud"},
		{"unknown flag of migrate", []string{"migrate", "--loud"}, command.ExitUsage, "--loud"},
		{"argument of migrate", []string{"migrate", "now"}, command.ExitUsage, "now"},
		{"no file to back up to", []string{"backup"}, command.ExitUsage, "FILE"},
		{"two files to restore", []string{"restore", "a", "b"}, command.ExitUsage, "one argument too many"},
		{"unknown flag of backup", []string{"backup", "--forse", "a"}, command.ExitUsage, "--force"},
		{"nothing to back up", []string{"backup", "--database", "sqlite:/no/such/folder/library.db", "-"}, command.ExitFailed, "no backup was made"},
		{"no backup to restore", []string{"restore", "/no/such/backup"}, command.ExitFailed, "/no/such/backup"},
		{"setting of the driver that does not work", []string{"serve", "--issuer", goodIssuer, "--database", "postgres://a@127.0.0.1:1/a?default_query_exec_mode=exec"}, command.ExitUsage, "default_query_exec_mode"},
		{"database that cannot be opened", []string{"migrate", "--database", "sqlite:/no/such/folder/library.db"}, command.ExitFailed, "--database"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			var stderr testkit.Buffer
			code, stdout := runHere(t.Context(), &stderr, c.args...)
			if code != c.code || !strings.Contains(stdout+stderr.String(), c.says) {
				t.Errorf("exit code %d, want %d and %q said in:\n%s%s", code, c.code, c.says, stdout, stderr.String())
			}
		})
	}
}

func TestABackupThatIsInterruptedHasFailed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	address := "sqlite:" + filepath.Join(dir, "library.db")
	var stderr testkit.Buffer
	if code, _ := runHere(t.Context(), &stderr, "migrate", "--database", address); code != command.ExitOK {
		t.Fatal(stderr.String())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{{"backup", filepath.Join(dir, "b")}, {"backup", "-"}, {"restore", "--force", filepath.Join(dir, "library.db")}} {
		code, stdout := runHere(ctx, &stderr, append(args, "--database", address)...)
		if code != command.ExitInterrupted || stdout != "" || !strings.Contains(stderr.String(), "interrupted") {
			t.Errorf("%v: %d %q %s", args, code, stdout, stderr.String())
		}
	}
}

func TestAMigrationThatIsInterruptedHasFailed(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stderr testkit.Buffer
	code, _ := runHere(ctx, &stderr, "migrate", "--wait", "1m", "--database", "postgres://nobody@127.0.0.1:1/none")
	if code != command.ExitInterrupted || !strings.Contains(stderr.String(), "library: interrupted") {
		t.Errorf("%d %s", code, stderr.String())
	}
}

func TestRestoreSaysWhereAndFromWhen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	from, to, file := filepath.Join(dir, "from.db"), filepath.Join(dir, "to.db"), filepath.Join(dir, "b")
	var stderr testkit.Buffer
	for _, args := range [][]string{{"migrate", "--database", "sqlite:" + from}, {"backup", "--database", "sqlite:" + from, file},
		{"restore", "--database", "sqlite:" + to, file}} {
		if code, _ := runHere(t.Context(), &stderr, args...); code != command.ExitOK {
			t.Fatal(stderr.String())
		}
	}
	says := regexp.MustCompile(`The library in the database file "` + regexp.QuoteMeta(to) + `" is restored\. The backup is from 2\d{3}-\d\d-\d\d \d\d:\d\d:\d\d UTC\.`)
	if !says.MatchString(stderr.String()) {
		t.Errorf("it says %q", stderr.String())
	}
}

// startHere runs a command until it is stopped, and waits until it listens. stop returns
// the exit code.
func startHere(t *testing.T, args ...string) (address string, stderr *testkit.Buffer, stop func() int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	stderr, ended := &testkit.Buffer{}, make(chan int, 1)
	go func() {
		code, _ := runHere(ctx, stderr, args...)
		ended <- code
	}()
	listening := regexp.MustCompile(`msg=listening addr=(127\.0\.0\.1:\d+) `)
	var found []string
	testkit.Eventually(t, "it listens", func() bool {
		found = listening.FindStringSubmatch(stderr.String())
		return found != nil
	})
	return found[1], stderr, func() int { cancel(); return <-ended }
}

func TestServeEndsWithItsContext(t *testing.T) {
	t.Parallel()
	_, stderr, stop := startHere(t, "serve", "--addr", "127.0.0.1:0", "--management-addr", "127.0.0.1:0", "--issuer", "http://127.0.0.1:1/",
		"--database", "sqlite:"+filepath.Join(t.TempDir(), "library.db"))
	if code := stop(); code != command.ExitOK {
		t.Errorf("exit code %d:\n%s", code, stderr.String())
	}
	testkit.Contains(t, stderr.String(), "msg=stopped")
}

func TestEventsOfRequestsLookLikeTheOtherLines(t *testing.T) {
	t.Parallel()
	event := &httpapi.Event{
		Time: time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC), RequestID: "0123456789abcdef", Method: "GET", Route: "/books/{id}",
		Status: 404, Took: 1234567 * time.Nanosecond, Bytes: 12, User: "u", Code: "book_not_found", Remote: "[::1]:4711",
	}
	for format, want := range map[string]string{
		"text": "time=2026-01-02T03:04:05.678Z level=INFO msg=request requestId=0123456789abcdef method=GET route=/books/{id} " +
			"status=404 took=1.234ms bytes=12 user=u code=book_not_found remote=[::1]:4711\n",
		"json": `{"time":"2026-01-02T03:04:05.678Z","level":"INFO","msg":"request","requestId":"0123456789abcdef","method":"GET",` +
			`"route":"/books/{id}","status":404,"tookMs":1.234,"bytes":12,"user":"u","code":"book_not_found","remote":"[::1]:4711"}` + "\n",
	} {
		var out testkit.Buffer
		log := newLogs(&out, format, slog.LevelInfo)
		log.request(event)
		testkit.Equal(t, out.String(), want, format)
		log = newLogs(&out, format, slog.LevelWarn)
		log.request(event)
		if out.String() != want {
			t.Errorf("%s: a request is logged although the level is warn", format)
		}
	}
}

func TestTracingCostsNothingUnlessAskedFor(t *testing.T) {
	for _, name := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_TRACES_EXPORTER", "OTEL_SDK_DISABLED"} {
		t.Setenv(name, "")
	}
	t.Setenv("OTEL_SERVICE_NAME", "alone this asks for nothing")
	stop, wrap, err := startTracing(t.Context(), slog.New(slog.DiscardHandler))
	testkit.NoError(t, err)
	defer stop()
	mux := http.NewServeMux()
	testkit.Equal(t, wrap(mux), http.Handler(mux), "the handler")
	for _, c := range []struct {
		name, value string
		want        bool
	}{
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1", true},
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://127.0.0.1:1", true},
		{"OTEL_TRACES_EXPORTER", "otlp", true},
		{"OTEL_TRACES_EXPORTER", "none", false},
		{"OTEL_SDK_DISABLED", "true", false},
	} {
		t.Setenv(c.name, c.value)
		if got := tracingWanted(); got != c.want {
			t.Errorf("with %s=%s: %v, want %v", c.name, c.value, got, c.want)
		}
	}
}
