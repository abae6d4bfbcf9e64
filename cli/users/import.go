package users

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/bulk"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/internal/table"
	"example.org/library/userfile"
)

type importOptions struct {
	bulk.Options
	header            []string // for a file without headings
	pattern           string
	roles             []string // for people without any, in their row or the library
	locale            string   // for added people without one in their row
	deactivateMissing bool
	yes               bool
}

var nouns = bulk.Nouns{One: "person", Many: "people"}

const importHelp = `Add the people of a file: the list of pupils or colleagues that another program
exports, as CSV with commas, semicolons or tabs, a OneRoster users.csv, or JSON
with a person per line. FILE may be - for the standard input.

A row is matched with a user by its e-mail address, else by its card; without a match
it is added as a new user. A user who matches is changed only with --update, and an
empty cell never clears anything, so the same file can be imported again. A row that is
wrong is reported with its line, and the others are imported; the exit code is then 1,
or 6 with --strict if a row differs from the library.

Columns are found by usual headings, those of OneRoster and German ones included.
--column names others, --column locale= ignores one, and --columns names all of a file
without headings ('' for one to ignore). --email-pattern makes missing addresses.

Where the library takes roles from its own records, people without a role cannot
borrow. --role gives one to everybody added and, with --update, to everybody there who
has none.

With --update everybody in the file is switched on, unless their row says otherwise.
With --deactivate-missing those of the same role who are not in the file are shown and,
after a question, switched off: not after an import with rows that failed, and never
yourself. If it is more than half of all active people, the number has to be typed. To
undo it, import a file that has them with --update.`

func newImport(a *command.App) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Add the people of a file",
		Long:  importHelp,
		Example: `  library users import --dry-run --role reader pupils.csv
  library users import --role reader pupils.csv
  library users import --column email=Benutzername pupils.csv
  library users import --columns 'last name,first name,group,account' --email-pattern '{account}@school.example' pupils.txt
  library users import --update --role reader --deactivate-missing pupils.csv`,
	}
	o.Flags(a, cmd, nouns)
	cmd.Flags().StringSliceVar(&o.header, "columns", nil, "headings of a CSV file that has none, in the order of its columns")
	cmd.Flags().StringVar(&o.pattern, "email-pattern", "", "how the address is made of a row that has none, such as '{account}@school.example' with a column account")
	cmd.Flags().StringSliceVar(&o.roles, "role", nil, "role of those who have none and whose row names none: reader, curator or admin; repeat it for several")
	command.CompleteFlag(cmd, "role", command.RoleChoices()...)
	cmd.Flags().StringVar(&o.locale, "locale", "", "language of those who are added and whose row names none: en or de; by default the library's")
	command.CompleteFlag(cmd, "locale", library.Locales...)
	cmd.Flags().BoolVar(&o.deactivateMissing, "deactivate-missing", false, "switch off those of the same role who are not in the file, after asking")
	command.YesFlag(cmd, &o.yes)
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		_, problems := parseRoles(o.roles)
		problems.CheckChoice("--locale", o.locale, library.Locales)
		if len(problems) > 0 {
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

// importUsers imports a file and reports the results.
func importUsers(ctx context.Context, a *command.App, c *client.Client, path string, o importOptions, read userfile.Options) error {
	in, name, err := bulk.Open(ctx, a, path)
	if err != nil {
		return err
	}
	defer in.Close()
	open := opener(in, read, o)
	total := bulk.CountRows(a, in, open)
	file, err := open(in)
	if err != nil {
		return explainFile(name, err)
	}
	roles, _ := parseRoles(o.roles)
	listed := &listed{forNew: roles, ids: map[string]string{}, roles: map[string]bool{}}
	before, err := inactive(ctx, c, o)
	if err != nil {
		return err
	}
	o.SkipInactive = file.(source).IsOneRoster()
	imported := bulk.Import{
		App: a, Nouns: nouns, Options: o.Options, Name: name, Source: file, Total: total, Explain: explainFile, Keys: keysOf,
		Send: func(ctx context.Context, rows []client.EncodedRow, how client.ImportOptions) ([]api.ImportResult, error) {
			return c.ImportUsers(ctx, rows, how, client.NewPeople{Roles: roles, Locale: o.locale})
		},
		Done: listed.add,
	}.Run(ctx)
	if _, isWhole := errors.AsType[bulk.RowsError](imported); imported == nil || isWhole {
		if (len(roles) > 0 || file.(source).HasRoles()) && !o.DryRun {
			warnOfIdleRoles(ctx, a, c)
		}
		err = afterImport(ctx, a, c, listed, before, o, imported == nil)
	}
	if o.deactivateMissing && imported != nil {
		a.Message("Nobody was switched off, because not all of the file was imported.")
	}
	return cmp.Or(imported, err)
}

func opener(in io.Reader, read userfile.Options, o importOptions) func(io.Reader) (bulk.Source, error) {
	var shared map[string][]int
	if o.Update { // otherwise a card changes nobody
		shared = sharedCards(in, read)
	}
	return func(in io.Reader) (bulk.Source, error) {
		file, err := userfile.NewReader(in, read)
		if err == nil && !file.HasAddresses() {
			err = &userfile.NoPeopleError{Found: file.Header(), HasNames: true}
		}
		return source{file, o.deactivateMissing || o.Update, shared}, err
	}
}

func keysOf(row client.EncodedRow) (keys []string) {
	var u api.RowUser
	if json.Unmarshal(row, &u) != nil {
		return nil
	}
	keys = append(keys, "email "+library.EmailKey(u.Email))
	if u.Card != "" {
		keys = append(keys, bulk.CardKey+u.Card)
	}
	return keys
}

func explainFile(name string, err error) error {
	if _, is := errors.AsType[*userfile.NoPeopleError](err); is {
		return command.Fail(command.ExitFailed, "%s: %w.\nSay which column has the address with --column email=HEADING, or how it is made with --email-pattern '{COLUMN}@school.example';\n"+
			"if the file has no headings, name its columns with --columns.", name, err)
	}
	return command.Fail(command.ExitFailed, "%s: %w.", name, bulk.WithoutPath(err))
}

// source reads the people of a file as rows to send.
type source struct {
	*userfile.Reader
	isActive bool             // people in the file are active, unless it says otherwise
	shared   map[string][]int // see sharedCards
}

func (s source) Read() (int, client.EncodedRow, error) {
	row, err := s.Reader.Read()
	if err != nil {
		return 0, nil, err
	}
	if lines := s.shared[row.User.Card]; lines != nil {
		return 0, nil, errShared(row.Line, row.User.Card, lines)
	}
	if s.isActive && row.User.Active == nil {
		row.User.Active = new(true)
	}
	return row.Line, client.EncodeUser(row.User), nil
}

// sharedCards returns the cards of several addresses in a file, with their lines. Within one
// request the library notices them itself; a long file is sent in several, and its first row
// could match the person of its last one. In a pipe the cards cannot be known beforehand.
func sharedCards(in io.Reader, read userfile.Options) map[string][]int {
	file, is := in.(*os.File)
	if !is {
		return nil
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	defer file.Seek(0, io.SeekStart)
	rows, err := userfile.NewReader(file, read)
	if err != nil {
		return nil // the import itself reports the error
	}
	shared, lines, of := map[string][]int{}, map[string][]int{}, map[string]string{}
	for {
		row, err := rows.Read()
		if _, bad := errors.AsType[*table.RowError](err); err != nil && !bad {
			return shared
		}
		card, email := row.User.Card, library.EmailKey(row.User.Email)
		if card == "" || email == "" {
			continue
		}
		lines[card] = append(lines[card], row.Line)
		if first, seen := of[card]; shared[card] != nil || seen && first != email {
			shared[card] = lines[card]
		}
		of[card] = email
	}
}

// errShared returns the error for a row with a shared card. It names another of the lines.
func errShared(line int, card string, lines []int) error {
	other := lines[0]
	if other == line {
		other = lines[1]
	}
	return &table.RowError{Line: line, Code: library.ErrCardTaken.Code, Reason: fmt.Sprintf("has the card %s, which is also in line %d with another e-mail address: correct one of them", table.Shortened(card), other)}
}
