package bulk

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"example.org/library/cli/command"
	"example.org/library/internal/table"
	"example.org/library/terminal"
)

// Export is how a file is written.
type Export struct {
	Format      string
	Spreadsheet bool
	More        []Format // that the command writes beside CSV and JSON
	force       bool
}

// Flags adds the flags of an export.
func (e *Export) Flags(cmd *cobra.Command) {
	formatFlag(cmd, &e.Format, e.More)
	cmd.Flags().BoolVar(&e.force, "force", false, "replace a file that already exists")
	cmd.Flags().BoolVar(&e.Spreadsheet, "spreadsheet", false, "CSV that is safe to open in a spreadsheet, for reading")
}

// FileFormat is fileFormat without the endings that can be read but would be
// a lie about what is written.
func (e Export) FileFormat(cmd *cobra.Command, path string) (table.Format, error) {
	format, err := fileFormat(cmd, e.Format, path, e.More)
	if err != nil {
		return "", err
	}
	switch ending := strings.ToLower(filepath.Ext(path)); {
	case e.Format == "" && path != "-" && (format == table.CSV && ending != ".csv" || format == table.JSON && ending != ".jsonl" && ending != ".ndjson"):
		return "", command.Usage(cmd, path, "does not say with its ending what it is to be; use .csv or .jsonl, or add --format")
	case e.Spreadsheet && format != table.CSV:
		return "", command.Usage(cmd, "--spreadsheet", "is for CSV files")
	}
	return format, nil
}

// Write lets records be written to the standard output or into a file, which appears when
// it is whole. Fill returns how many it has written; one of them is called noun.
func (e Export) Write(ctx context.Context, a *command.App, path string, format table.Format, noun string, fill func(context.Context, io.Writer, *terminal.Progress) (int, error)) error {
	if path == "-" {
		_, err := fill(ctx, exportOut(a, format), &terminal.Progress{})
		return err
	}
	name := terminal.Clean(path)
	if err := checkTarget(path, e.force); err != nil {
		return err
	}
	// Until the file is whole its name is one that nobody looks for.
	part := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+uuid.NewString()[:8]+".part")
	file, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrNotExist) {
		return command.Fail(command.ExitFailed, "There is no folder %s to write into.", terminal.Clean(filepath.Dir(path)))
	}
	if err != nil {
		return explainPath(name, err)
	}
	defer os.Remove(part) // nothing is left of it if all went well
	progress := a.Term.NewProgress(-1, "Exporting")
	written, err := writeFile(file, func() (int, error) { return fill(ctx, file, progress) }, progress)
	if err != nil {
		return err
	}
	if err := checkTarget(path, e.force); err != nil {
		return err
	}
	if replaced, err := os.Stat(path); err == nil {
		os.Chmod(part, replaced.Mode().Perm()) // who could read it still can, and nobody else
	}
	if err := os.Rename(part, path); err != nil {
		return explainPath(name, err)
	}
	a.Say("Wrote %s to %s.", command.Quantity(written, noun), name)
	return nil
}

// writeFile fills a file and closes it. It is on the disk then.
func writeFile(file *os.File, fill func() (int, error), progress *terminal.Progress) (int, error) {
	written, err := fill()
	progress.Done()
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	return written, err
}

// exportOut is where an export without a file goes. A person gets to see it
// without what a terminal would obey.
func exportOut(a *command.App, format table.Format) io.Writer {
	switch {
	case !a.Term.Interactive():
		return a.Term.Out
	case format == table.JSON:
		return &command.CleanLines{Out: a.Term.Out, Clean: terminal.CleanJSON}
	}
	return &command.CleanLines{Out: a.Term.Out, Clean: terminal.CleanText}
}

// checkTarget refuses to replace what should not be.
func checkTarget(path string, force bool) error {
	name := terminal.Clean(path)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return explainPath(name, err)
	case !info.Mode().IsRegular():
		return command.Fail(command.ExitFailed, "%s is not a file; leave it out to write to the standard output.", name)
	case !force:
		return command.Fail(command.ExitFailed, "There is already a file %s. Use --force to replace it.", name)
	}
	return nil
}
