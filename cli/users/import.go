package users

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/cli/bulk"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/internal/table"
	"example.org/library/userfile"
)

type importOptions struct {
	bulk.Options
	header            []string // of a file that has none
	pattern           string
	roles             []string // of those who are added
	deactivateMissing bool
	yes               bool
}

var nouns = bulk.Nouns{One: "person", Many: "people"}

const importHelp = `Add the people of a file: the list of pupils or colleagues that another program
exports, as CSV with commas, semicolons or tabs, a OneRoster users.csv, or JSON
with a person per line. FILE may be - for the standard input.

A row is matched with a user by its e-mail address, else by its card. A row without
a match is added as a new user. A user who matches is changed only with --update, and
an empty cell never clears anything. So the same file can be imported again,
and nobody is added twice.

A row that is wrong is reported with its line, and the others are imported; the
exit code is then 1. A row that differs from the library is reported, too; with
--strict the exit code is then 6.

The columns of a CSV file are found by their headings: email, first name, last
name, card, group, roles, locale, those of OneRoster, and German ones. --column names
others, --column locale= ignores one, and --columns names all of a file
without headings ('' for one to ignore). --email-pattern makes the addresses of
rows that have none. --role is for those who are added and whose row names none, where
the library takes roles from its own records.

With --deactivate-missing the file is the list of everybody: those of the same role
who are not in it are shown and, after a question, switched off; who is in it and
was switched off counts as different, and is switched on with --update. Not after
an import with rows that failed, and never yourself.`

func newImport(a *command.App) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Add the people of a file",
		Long:  importHelp,
		Example: `  library users import pupils.csv
  library users import --dry-run --update pupils.csv
  library users import --column email=Benutzername pupils.csv
  library users import --columns 'last name,first name,group,account' --email-pattern '{account}@school.example' pupils.txt
  library users import --role reader pupils.csv
  library users import --update --deactivate-missing pupils.csv`,
	}
	o.Flags(a, cmd, nouns)
	cmd.Flags().StringSliceVar(&o.header, "columns", nil, "headings of a CSV file that has none, in the order of its columns")
	cmd.Flags().StringVar(&o.pattern, "email-pattern", "", "how the address is made of a row that has none, such as '{account}@school.example' with a column account")
	cmd.Flags().StringSliceVar(&o.roles, "role", nil, "role of those who are added and whose row names none: reader, curator or admin; repeat it for several")
	command.CompleteFlag(cmd, "role", command.RoleChoices()...)
	cmd.Flags().BoolVar(&o.deactivateMissing, "deactivate-missing", false, "switch off those of the same role who are not in the file, after asking")
	command.YesFlag(cmd, &o.yes)
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if _, problems := parseRoles(o.roles); len(problems) > 0 {
			return problems.In(cmd)
		}
		return a.MustAskOr(cmd, o.yes || !o.deactivateMissing || o.DryRun)
	}
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		read, err := o.reader(cmd, args[0])
		if err != nil {
			return err
		}
		return importUsers(ctx, a, c, args[0], o, read)
	})
}

func (o importOptions) reader(cmd *cobra.Command, path string) (userfile.Options, error) {
	read, err := o.Reader(cmd, path, userfile.Fields, userfile.FieldOf)
	out := userfile.Options{Options: read}
	switch {
	case err != nil:
		return out, err
	case o.header != nil && read.Format != table.CSV:
		return out, command.Usage(cmd, "--columns", "is for CSV files; JSON members have the names of the fields")
	case o.pattern != "":
		if out.Pattern, err = userfile.ParsePattern(o.pattern); err != nil {
			return out, command.Usage(cmd, "--email-pattern", err.Error())
		}
	}
	for _, heading := range o.header {
		out.Header = append(out.Header, strings.TrimSpace(heading))
	}
	return out, nil
}

// importUsers imports a file and says what came of it.
func importUsers(ctx context.Context, a *command.App, c *client.Client, path string, o importOptions, read userfile.Options) error {
	in, name, err := bulk.Open(ctx, a, path)
	if err != nil {
		return err
	}
	defer in.Close()
	var shared map[string]bool
	if o.Update { // otherwise a card changes nobody
		shared = sharedCards(in, read)
	}
	open := func(in io.Reader) (bulk.Source, error) {
		file, err := userfile.NewReader(in, read)
		if err == nil && !file.HasAddresses() {
			err = &userfile.NoPeopleError{Found: file.Header(), HasNames: true}
		}
		return source{file, o.deactivateMissing, shared}, err
	}
	total := bulk.CountRows(a, in, open)
	file, err := open(in)
	if err != nil {
		return explainFile(name, err)
	}
	roles, _ := parseRoles(o.roles)
	listed := newListed(roles)
	err = bulk.Import{
		App: a, Nouns: nouns, Options: o.Options, Name: name, Source: file, Total: total, Explain: explainFile,
		Send: func(ctx context.Context, rows []client.EncodedRow, how client.ImportOptions) ([]api.ImportResult, error) {
			return c.ImportUsers(ctx, rows, how, roles...)
		},
		Done: listed.add,
	}.Run(ctx)
	if o.deactivateMissing && err != nil {
		a.Message("Nobody was switched off, because not all of the file was imported.")
	}
	if err != nil {
		return err
	}
	if (len(roles) > 0 || file.(source).HasRoles()) && !o.DryRun {
		warnOfIdleRoles(ctx, a, c)
	}
	if o.deactivateMissing {
		return deactivateMissing(ctx, a, c, listed, o)
	}
	return nil
}

// explainFile says what is wrong with a whole file.
func explainFile(name string, err error) error {
	if _, is := errors.AsType[*userfile.NoPeopleError](err); is {
		return command.Fail(command.ExitFailed, "%s: %w.\nSay which column has the address with --column email=HEADING, or how it is made with --email-pattern '{COLUMN}@school.example';\n"+
			"if the file has no headings, name its columns with --columns.", name, err)
	}
	return command.Fail(command.ExitFailed, "%s: %w.", name, bulk.WithoutPath(err))
}

// source is the people of a file as they are sent.
type source struct {
	*userfile.Reader
	isEverybody bool            // who is in the file is active, unless it says otherwise
	shared      map[string]bool // see sharedCards
}

func (s source) Read() (int, client.EncodedRow, error) {
	row, err := s.Reader.Read()
	if err != nil {
		return 0, nil, err
	}
	if s.shared[row.User.Card] {
		return 0, nil, errShared(row.Line, row.User.Card)
	}
	if s.isEverybody && row.User.Active == nil {
		row.User.Active = new(true)
	}
	return row.Line, client.EncodeUser(row.User), nil
}
