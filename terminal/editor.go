package terminal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// ErrInterrupted says that Ctrl-C ended another program, such as the editor.
var ErrInterrupted = errors.New("interrupted")

const exitInterrupted = 130 // of a shell whose program was ended by SIGINT

// Edit lets the person edit a text in their own editor: VISUAL, EDITOR, or vi.
// The name is that of the file; its extension shows the editor the format. If it
// fails, it also returns what was written until then, "" for nothing.
func (t *Terminal) Edit(ctx context.Context, name, text string) (string, error) {
	if !t.CanAsk() {
		return "", ErrNobodyThere
	}
	dir, err := os.MkdirTemp("", "library-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return "", err
	}
	editor := cmp.Or(t.env("VISUAL"), t.env("EDITOR"), "vi")
	// Editors are set with arguments, such as "code --wait", and the shell splits
	// them as the person expects. The editor decides what Ctrl-C does, and the shell
	// waits for it.
	cmd := exec.CommandContext(ctx, "sh", "-c", "trap : INT\n"+editor+` "$1"`, "sh", path)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = t.in, t.Err, t.Err
	failed := cmd.Run()
	edited, err := os.ReadFile(path)
	if failed == nil {
		return string(edited), err
	}
	if string(edited) == text {
		edited = nil
	}
	if exit, ok := errors.AsType[*exec.ExitError](failed); ok && exit.ExitCode() == exitInterrupted {
		return string(edited), ErrInterrupted
	}
	return string(edited), fmt.Errorf("the editor %s failed (%w); set EDITOR to another one", editor, failed)
}
