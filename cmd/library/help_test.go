package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.org/library/cli"
	"example.org/library/cli/command"
	"example.org/library/internal/testkit"
)

func testRoot() *cobra.Command {
	root := cli.NewRoot(command.Environment{
		Lookup: func(string) (string, bool) { return "", false },
		Stdin:  strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard,
	}, program())
	root.InitDefaultHelpCmd()
	return root
}

// eachCommand walks through the commands and topics that people see.
func eachCommand(cmd *cobra.Command, do func(*cobra.Command)) {
	if cmd.Hidden || cmd.Name() == "help" {
		return
	}
	do(cmd)
	for _, child := range cmd.Commands() {
		eachCommand(child, do)
	}
}

func TestEveryCommandExplainsItself(t *testing.T) {
	t.Parallel()
	eachCommand(testRoot(), func(cmd *cobra.Command) {
		name := cmd.CommandPath()
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") || cmd.Short[0] < 'A' || cmd.Short[0] > 'Z' {
			t.Errorf("%s: its line in the list is %q", name, cmd.Short)
		}
		if !cmd.IsAdditionalHelpTopicCommand() && cmd.HasParent() && !strings.Contains(cmd.Example, "library ") {
			t.Errorf("%s: it has no example", name)
		}
		for line := range strings.Lines(cmd.Example) {
			if !strings.HasPrefix(line, "  ") {
				t.Errorf("%s: the example %q is not indented", name, line)
			}
			if strings.HasPrefix(line, "  library ") {
				checkExample(t, cmd.Root(), line)
			}
		}
		for line := range strings.Lines(cmd.Long) {
			if len([]rune(line)) > 88 {
				t.Errorf("%s: a long line: %q", name, line)
			}
		}
		cmd.Flags().VisitAll(checkFlag(t, name))
	})
}

// checkExample holds that an example is a command with flags that it has.
func checkExample(t *testing.T, root *cobra.Command, line string) {
	t.Helper()
	line, _, _ = strings.Cut(line, " > ")
	line, _, _ = strings.Cut(line, " | ")
	line, _, _ = strings.Cut(line, " && ")
	words := strings.Fields(regexp.MustCompile(`"[^"]*"|'[^']*'`).ReplaceAllString(line, "x"))
	cmd, rest, err := root.Find(words[1:])
	if err != nil || cmd == root {
		t.Errorf("the example %q is no command: %v", line, err)
		return
	}
	for _, word := range rest {
		if name, is := strings.CutPrefix(word, "--"); is && cmd.Flags().Lookup(strings.SplitN(name, "=", 2)[0]) == nil && name != "help" {
			t.Errorf("the example %q has a flag that is not there", line)
		}
	}
}

func TestExitCodesAreDocumented(t *testing.T) {
	t.Parallel()
	code, help := runHere(t.Context(), io.Discard, "help", "exit-codes")
	testkit.Equal(t, code, command.ExitOK, "exit code")
	for _, want := range []string{"  0 ", "  1 ", "  2 ", "  4 ", "  5 ", "  6 "} {
		if !strings.Contains(help, "\n"+want) {
			t.Errorf("nothing about %s in:\n%s", want, help)
		}
	}
}

func TestEveryCommandHasAManualPage(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "man")
	if code, _ := runHere(t.Context(), os.Stderr, "man", dir); code != command.ExitOK {
		t.Fatalf("exit code %d", code)
	}
	man, _ := exec.LookPath("groff")
	eachCommand(testRoot(), func(cmd *cobra.Command) {
		path := filepath.Join(dir, strings.ReplaceAll(cmd.CommandPath(), " ", "-")+".1")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
			return
		}
		for _, want := range []string{".TH ", ".SH NAME\n", ".SH DESCRIPTION\n"} {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s has no %s", path, want)
			}
		}
		if man != "" {
			checkRoff(t, man, path, cmd)
		}
	})
}

// checkRoff lets groff complain, and reads what it makes of a page.
func checkRoff(t *testing.T, groff, path string, cmd *cobra.Command) {
	t.Helper()
	var complaints strings.Builder
	formatter := exec.Command(groff, "-man", "-Tascii", "-ww", "-Wbreak", "-P-c", "-P-b", "-P-u", path)
	formatter.Stderr = &complaints
	out, err := formatter.Output()
	if err != nil || complaints.Len() > 0 {
		t.Errorf("groff: %v\n%s", err, complaints.String())
	}
	page := string(out)
	for line := range strings.Lines(cmd.Example) {
		if !strings.Contains(page, strings.TrimRight(line, "\n")) {
			t.Errorf("%s: the page does not have the example %q:\n%s", path, line, page)
		}
	}
}

// checkFlag holds that a flag says what it is for, in our style.
func checkFlag(t *testing.T, command string) func(*pflag.Flag) {
	return func(f *pflag.Flag) {
		if f.Usage == "" || strings.HasSuffix(f.Usage, ".") {
			t.Errorf("%s --%s: its usage is %q", command, f.Name, f.Usage)
		}
	}
}
