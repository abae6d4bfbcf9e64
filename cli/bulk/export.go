package bulk

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/internal/table"
	"example.org/library/terminal"
)

// Export holds the options for writing a file.
type Export struct {
	Format      string
	Spreadsheet bool
	More        []Format // written by the command beside CSV and JSON
	Private     bool     // only the owner may read the file
	force       bool
}

// Flags adds the flags of an export.
func (e *Export) Flags(cmd *cobra.Command) {
	formatFlag(cmd, &e.Format, e.More)
	cmd.Flags().BoolVar(&e.force, "force", false, "replace a file that already exists")
	cmd.Flags().BoolVar(&e.Spreadsheet, "spreadsheet", false, "CSV that is safe to open in a spreadsheet, for reading")
}

// FileFormat returns the format to write, like fileFormat. It refuses endings that are
// fine for reading but would misname the written file.
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

// Write writes an export to the standard output or into a file. The file appears under its
// name only once it is complete. The noun names one record, for messages.
func (e Export) Write(ctx context.Context, a *command.App, path string, format table.Format, noun string, open func(client.ExportOptions) (*client.Export, error)) error {
	if path == "-" {
		out := a.FileOut(terminal.CleanText)
		if format == table.JSON {
			out = a.FileOut(terminal.CleanJSON)
		}
		_, err := e.copy(out, &terminal.Progress{}, format, open)
		return err
	}
	name := terminal.Clean(path)
	if err := checkTarget(path, e.force); err != nil {
		return err
	}
	file, err := e.createBeside(path)
	if err != nil {
		return err
	}
	part := file.Name()
	defer os.Remove(part) // already renamed if all went well
	progress := a.Term.NewByteProgress(-1, "Exporting")
	written, err := e.copy(file, progress, format, open)
	progress.Done()
	if err == nil {
		err = file.Sync()
	}
	if err = cmp.Or(err, file.Close()); err != nil {
		return err
	}
	if err := checkTarget(path, e.force); err != nil {
		return err
	}
	if replaced, err := os.Stat(path); err == nil && !e.Private {
		os.Chmod(part, replaced.Mode().Perm()) // keep the access rights of the replaced file
	}
	if err := os.Rename(part, path); err != nil {
		return explainPath(name, err)
	}
	number := command.Quantity(written.Total, noun)
	if written.AtLeast {
		number = "more than " + number
	}
	a.Say("Wrote %s to %s.", number, name)
	return nil
}

// createBeside creates the file under a hidden temporary name, which it has until it is complete.
func (e Export) createBeside(path string) (*os.File, error) {
	mode := fs.FileMode(0o666) // before the umask
	if e.Private {
		mode = 0o600
	}
	part := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+uuid.NewString()[:8]+".part")
	file, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, command.Fail(command.ExitFailed, "There is no folder %s to write into.", terminal.Clean(filepath.Dir(path)))
	}
	if err != nil {
		return nil, explainPath(terminal.Clean(path), err)
	}
	return file, nil
}

// copy opens an export and copies it to out.
func (e Export) copy(out io.Writer, progress *terminal.Progress, format table.Format, open func(client.ExportOptions) (*client.Export, error)) (*client.Export, error) {
	how := client.ExportOptions{Format: string(format), Spreadsheet: e.Spreadsheet}
	if format == table.JSON {
		how.Format = "json"
	}
	in, err := open(how)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	read := io.TeeReader(in, counter{progress})
	if format == table.JSON {
		return in, copyLines(out, read)
	}
	_, err = io.Copy(out, read)
	return in, err
}

// copyLines writes the elements of a JSON array to out, one on each line.
func copyLines(out io.Writer, in io.Reader) error {
	array := json.NewDecoder(in)
	_, err := array.Token()
	for err == nil && array.More() {
		var element json.RawMessage
		if err = array.Decode(&element); err == nil {
			_, err = out.Write(append(element, '\n'))
		}
	}
	if err == nil {
		_, err = array.Token()
	}
	if err == nil { // a file cut off ends in the middle of its last chunk
		_, err = io.Copy(io.Discard, in)
	}
	return err
}

// counter adds the number of bytes written to it to a progress bar.
type counter struct{ progress *terminal.Progress }

func (c counter) Write(p []byte) (int, error) {
	c.progress.AddBytes(int64(len(p)))
	return len(p), nil
}

// checkTarget returns an error if path exists and must not be replaced: it is not a
// regular file, or force is not set.
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
