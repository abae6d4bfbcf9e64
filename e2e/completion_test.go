package e2e

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// hostileTitles would run `touch ran-a-title` in a shell that takes a title for
// anything else, or not come out as they are. Each begins with a word of its own.
var hostileTitles = []string{
	`Aux (touch ran-a-title)`, `Bux $(touch ran-a-title)`, "Cux `touch ran-a-title`", `Dux "; touch ran-a-title; "`,
	`Eux '; touch ran-a-title; '`, `Fux !! !touch ^a^b !`, `Gux \" $HOME \`, `Hux ; touch ran-a-title | touch ran-a-title & x`,
	`Iux *?[a-z]{a,b}~`, `~root/Jux`, `=ls Kux`, `#Lux # hash`, `[Mux] <(touch ran-a-title) >ran-a-title =(touch ran-a-title)`,
	`Nux: The Colon`, `Poise and "Prejudice"`, `Qux 50% %n%F{red} a@b`, `Rux {touch ran-a-title}`, `Sux %(touch ran-a-title)`,
	`Tux L'Étranger`, `-Uux --dash`, `Vux'`,
}

// typing is what somebody types before the tab key, and the arguments that the
// program gets after the return key.
type typing struct {
	keys string
	want []string
}

// typings begin every title without a quote, and in both kinds of quotes.
func typings() []typing {
	all := []typing{
		{`books show Poi"se an`, []string{"books", "show", `Poise and "Prejudice"`}},
		{`books show 'Poi'"se an`, []string{"books", "show", `Poise and "Prejudice"`}},
		{`books show 'Poi'se\ an`, []string{"books", "show", `Poise and "Prejudice"`}},
		{`books show "Poise and \"Pre`, []string{"books", "show", `Poise and "Prejudice"`}},
		{`books show Bux\ \$\(t`, []string{"books", "show", hostileTitles[1]}},
		{`books show pOI`, []string{"books", "show", `pOIse and "Prejudice"`}},
		{`books borrow 'Aux (touch ran-a-title)' "Bu`, []string{"books", "borrow", hostileTitles[0], hostileTitles[1]}},
		{`books list --sort=-ti`, []string{"books", "list", "--sort=-title"}},
		{`books list --aut`, []string{"books", "list", "--author"}},
		{`whoa`, []string{"whoami"}},
		{`books import a\ fi`, []string{"books", "import", "a file.csv"}},
	}
	for _, title := range hostileTitles {
		begin, plain := []rune(title)[:3], ""
		if !('A' <= begin[0] && begin[0] <= 'Z') {
			plain = `\`
		}
		for _, quote := range []string{plain, `"`, `'`} {
			t := typing{"books show " + quote + string(begin), []string{"books", "show", title}}
			if begin[0] == '-' {
				t = typing{"books show -- " + quote + string(begin), []string{"books", "show", "--", title}}
			}
			all = append(all, t)
		}
	}
	return all
}

// The program of the test notes its arguments instead of running; completion is
// the real one.
const noting = `#!/bin/sh
case "$1" in __complete|completion) exec "$REAL" "$@";; esac
printf '%s\0' "$@" > "$HOME/noted.new" && mv "$HOME/noted.new" "$HOME/noted"
echo that is all
`

func TestATitleIsCompletedAsItIsAndNeverRunInEveryShell(t *testing.T) {
	t.Parallel()
	idp := testidp.New(t)
	service := startWith(t, idp, "--database", emptySQLite(t), "--sample-data")
	service.awaitReady(t)
	env := []string{"REAL=" + binary, "LIBRARY_SERVER=" + service.base, "LIBRARY_TOKEN=" + idp.Mint(t, testidp.Claims{
		"email": testidp.Email, "exp": time.Now().Add(time.Hour).Unix(), "scope": "library_curator"})}
	addHostileBooks(t, env)
	for name, shell := range map[string]struct{ command, setup []string }{
		"bash": {[]string{"bash", "--norc", "--noprofile", "-i"},
			[]string{"bind 'set enable-bracketed-paste off'", "source <(library completion bash)"}},
		"zsh": {[]string{"zsh", "-f", "-i"},
			[]string{"unset zle_bracketed_paste", "autoload -U compinit; compinit -u -D", "source <(library completion zsh)"}},
		"zsh, from a file": {[]string{"zsh", "-f", "-i"},
			[]string{"unset zle_bracketed_paste", "library completion zsh > bin/_library; fpath=(~/bin $fpath)", "autoload -U compinit; compinit -u -D"}},
		"fish": {[]string{"fish", "--no-config", "--private", "-i", "-C", `function fish_prompt; printf '\x02$ '; end`},
			[]string{"library completion fish | source"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			completeEverything(t, shell.command, shell.setup, env)
		})
	}
}

func addHostileBooks(t *testing.T, env []string) {
	t.Helper()
	type book struct {
		Title   string   `json:"title"`
		Authors []string `json:"authors"`
	}
	var lines strings.Builder
	for _, title := range hostileTitles {
		line, err := json.Marshal(book{title, []string{"(touch ran-a-title) $(touch ran-a-title) `touch ran-a-title`"}})
		testkit.NoError(t, err)
		lines.Write(append(line, '\n'))
	}
	newMachine(t, env...).run(lines.String(), "books", "import", "--format", "jsonl", "-").want(t, 0)
}

func completeEverything(t *testing.T, command, setup, env []string) {
	s := &shell{t: t, home: t.TempDir()}
	for name, content := range map[string]string{"bin/library": noting, "a file.csv": "title\n"} {
		path := filepath.Join(s.home, name)
		testkit.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o755)))
	}
	s.open(command, env...)
	for _, line := range setup {
		if !s.runs(line + "; echo that is 'all'") {
			t.Fatalf("%s does not end", line)
		}
	}
	for _, typing := range typings() {
		if got := s.completed(typing); strings.Join(got, "|") != strings.Join(typing.want, "|") {
			t.Errorf("%s<Tab> runs %q, want %q", typing.keys, got, typing.want)
		}
	}
	if found, err := filepath.Glob(filepath.Join(s.home, "ran-a-title*")); err != nil || len(found) > 0 {
		t.Errorf("a command in a title was run: %v, %v", found, err)
	}
}

// runs types a line and waits for what it says at its end, and the next prompt,
// of which readline takes the first character away.
func (s *shell) runs(line string) bool {
	s.t.Helper()
	s.clear()
	testkit.NoError(s.t, testkit.Err(s.keys.WriteString(line+"\r")))
	for deadline := time.Now().Add(testkit.Bound(10 * time.Second)); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if _, after, found := strings.Cut(s.shown(), "that is all\r\n"); found && strings.Contains(after, "$ ") {
			return true
		}
	}
	return false
}

// completed is what the program gets after the tab and the return key. On a
// busy machine completion gives up after a second, as it should; the person
// tries again.
func (s *shell) completed(typing typing) []string {
	s.t.Helper()
	var got []string
	for range 5 {
		if s.runs("library " + typing.keys + "\t") {
			noted := filepath.Join(s.home, "noted")
			data, err := os.ReadFile(noted)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				s.t.Fatal(err)
			}
			os.Remove(noted)
			got = strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00")
		} else {
			s.keys.WriteString("\x03") // a quote is still open
		}
		if strings.Join(got, "|") == strings.Join(typing.want, "|") {
			break
		}
	}
	return got
}
