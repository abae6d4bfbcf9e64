package policy

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/internal/calendar"
)

// input is the rules as flags give them.
type input struct {
	given                       func(flag string) bool
	wanted                      api.Policy
	history                     string
	weekdays, dates, add, again []string
	overdue                     []string
	noteEN, noteDE              string
	file                        string
}

// policyFlags are the rules that can be changed, in the order in which they are shown.
var policyFlags = []string{
	"loan-days", "renewals", "max-loans", "max-holds", "block-overdue", "hold-days", "history-days", "time-zone",
	"closed-weekdays", "closed-dates", "close", "open", "due-soon-days", "overdue-days", "self-borrow", "self-return",
	"notice-time", "notice-wanted", "mail-note-en", "mail-note-de", "locale", "file",
}

var weekdays = []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}

const keepHistory = "keep"

func newEdit(a *command.App) *cobra.Command {
	in := &input{}
	cmd := &cobra.Command{
		Use:   "edit",
		Short: "Change the rules of lending",
		Long: `Change the rules of lending. What is not named stays as it is. New rules are for
new loans and renewals; what is lent already keeps its due date, which is the same
day in another time zone.

A file in JSON has the whole policy, a part of it, or the rules for some people and
books alone, as an array. 'library policy show --json' prints one.`,
		Example: `  library policy edit --loan-days 21 --renewals 3 --max-loans 10
  library policy edit --closed-weekdays saturday,sunday --time-zone Europe/Berlin
  library policy edit --close 2026-12-24 --close 2026-12-31
  library policy edit --notice-time 07:30 --mail-note-en 'Open from Monday to Friday, 10:00 to 18:00'
  library policy edit --file rules.json`,
		PreRunE: func(cmd *cobra.Command, _ []string) error { return in.check(cmd) },
	}
	in.flags(cmd)
	a.JSONFlag(cmd, "the whole record")
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, _ []string) error {
		before, version, err := c.Policy(ctx)
		if err != nil {
			return err
		}
		if in.given("file") {
			if before, err = fromFile(ctx, a, in.file, before); err != nil {
				return err
			}
		}
		after, err := c.EditPolicy(ctx, in.over(before), version)
		if command.HasCode(err, library.ErrOutdated.Code) {
			return command.Fail(command.ExitConflict, "Somebody else has changed the rules in the meantime, so nothing was done. 'library policy show' shows how they are now.")
		}
		if err != nil {
			return err
		}
		if after.LoanDays > 0 && after.DueSoonDays >= after.LoanDays && command.SendsMail(ctx, c) {
			a.Message("Warning: loans are %s long, and people are reminded %s before the due date: they get \"Due soon\" right after borrowing. See --due-soon-days.",
				command.Quantity(after.LoanDays, "day"), command.Quantity(after.DueSoonDays, "day"))
		}
		return a.Changed(after, "Changed the rules. 'library policy show' shows all of them.")
	})
}

func (in *input) flags(cmd *cobra.Command) {
	in.given = cmd.Flags().Changed
	f := cmd.Flags()
	f.IntVar(&in.wanted.LoanDays, "loan-days", 0, "how many days a loan is; 0 for loans without a due date")
	f.IntVar(&in.wanted.Renewals, "renewals", 0, "how often a loan can be renewed")
	f.IntVar(&in.wanted.MaxLoans, "max-loans", 0, "how many loans a person can have at a time; 0 for any number")
	f.IntVar(&in.wanted.MaxHolds, "max-holds", 0, "how many holds a person can have at a time; 0 for any number")
	f.BoolVar(&in.wanted.BlockOverdue, "block-overdue", false, "readers with an overdue loan cannot borrow or renew; --block-overdue=false lets them")
	f.IntVar(&in.wanted.HoldDays, "hold-days", 0, "how many days a copy is set aside")
	f.StringVar(&in.history, "history-days", "", "how many days after the return it is forgotten who had the book: 0 for at once, keep for never")
	f.StringVar(&in.wanted.TimeZone, "time-zone", "", "in which a day ends, such as Europe/Berlin")
	f.StringSliceVar(&in.weekdays, "closed-weekdays", nil, "days of the week on which the library is closed, with commas between; '' for none")
	f.StringSliceVar(&in.dates, "closed-dates", nil, "all dates on which it is closed, such as 2026-12-24, with commas between; '' for none")
	f.StringSliceVar(&in.add, "close", nil, "one more date on which it is closed; repeat it for several")
	f.StringSliceVar(&in.again, "open", nil, "a date on which it is open again; repeat it for several")
	f.IntVar(&in.wanted.DueSoonDays, "due-soon-days", 0, "how many days before the due date readers are reminded; 0 for not at all")
	f.StringSliceVar(&in.overdue, "overdue-days", nil, "how many days after the due date readers are reminded, such as 1,7,21; '' for not at all")
	f.BoolVar(&in.wanted.SelfBorrow, "self-borrow", false, "readers can borrow by themselves; --self-borrow=false for only at the desk")
	f.BoolVar(&in.wanted.SelfReturn, "self-return", false, "readers can give back by themselves; --self-return=false for only at the desk")
	f.StringVar(&in.wanted.NoticeTime, "notice-time", "", "from when on reminders are sent on a day, such as 08:00")
	f.BoolVar(&in.wanted.NoticeWanted, "notice-wanted", false, "a borrower gets a mail when somebody begins to wait for the book; --notice-wanted=false for none")
	f.StringVar(&in.noteEN, "mail-note-en", "", "what stands at the end of every mail in English; '' for nothing")
	f.StringVar(&in.noteDE, "mail-note-de", "", "the same in German")
	f.StringVar(&in.wanted.Locale, "locale", "", "language of new people where nothing else says it: en or de")
	f.StringVar(&in.file, "file", "", "a file with the policy or its rules in JSON; - for the standard input")
	command.CompleteFlag(cmd, "closed-weekdays", weekdays...)
	command.CompleteFlag(cmd, "history-days", keepHistory)
	command.CompleteFlag(cmd, "locale", library.Locales...)
}

func (in *input) check(cmd *cobra.Command) error {
	var problems command.Problems
	if !slices.ContainsFunc(policyFlags, in.given) {
		problems.Add("", "nothing to change; say what with --"+strings.Join(policyFlags[:3], ", --")+" or another rule")
	}
	if n, err := strconv.Atoi(in.history); in.given("history-days") && in.history != keepHistory && (err != nil || n < 0) {
		problems.Add("--history-days", fmt.Sprintf("is %q; it must be a number of days, or keep", in.history))
	}
	if in.given("locale") {
		problems.CheckChoice("--locale", in.wanted.Locale, library.Locales)
	}
	in.weekdays = trimmed(in.weekdays)
	for i, day := range in.weekdays {
		in.weekdays[i] = strings.ToLower(day)
		if _, known := calendar.ParseWeekday(in.weekdays[i]); !known {
			problems.AddChoice("--closed-weekdays", day, weekdays)
		}
	}
	in.dates, in.add, in.again = trimmed(in.dates), trimmed(in.add), trimmed(in.again)
	for flag, dates := range map[string][]string{"--closed-dates": in.dates, "--close": in.add, "--open": in.again} {
		for _, date := range dates {
			problems.CheckDate(flag, date)
		}
	}
	in.wanted.OverdueDays = []int{}
	for _, text := range trimmed(in.overdue) {
		n, err := strconv.Atoi(text)
		if err != nil {
			problems.Add("--overdue-days", fmt.Sprintf("is %q; it must be numbers of days with commas between", text))
		}
		in.wanted.OverdueDays = append(in.wanted.OverdueDays, n)
	}
	slices.SortFunc(problems, func(a, b command.Problem) int { return strings.Compare(a.Where, b.Where) })
	return problems.In(cmd)
}

func (in *input) over(p api.Policy) api.Policy {
	for flag, set := range map[string]func(){
		"loan-days":       func() { p.LoanDays = in.wanted.LoanDays },
		"renewals":        func() { p.Renewals = in.wanted.Renewals },
		"max-loans":       func() { p.MaxLoans = in.wanted.MaxLoans },
		"max-holds":       func() { p.MaxHolds = in.wanted.MaxHolds },
		"block-overdue":   func() { p.BlockOverdue = in.wanted.BlockOverdue },
		"hold-days":       func() { p.HoldDays = in.wanted.HoldDays },
		"time-zone":       func() { p.TimeZone = in.wanted.TimeZone },
		"closed-weekdays": func() { p.ClosedWeekdays = in.weekdays },
		"closed-dates":    func() { p.ClosedDates = in.dates },
		"due-soon-days":   func() { p.DueSoonDays = in.wanted.DueSoonDays },
		"overdue-days":    func() { p.OverdueDays = in.wanted.OverdueDays },
		"history-days":    func() { p.HistoryDays = historyDays(in.history) },
		"self-borrow":     func() { p.SelfBorrow = in.wanted.SelfBorrow },
		"self-return":     func() { p.SelfReturn = in.wanted.SelfReturn },
		"notice-time":     func() { p.NoticeTime = in.wanted.NoticeTime },
		"notice-wanted":   func() { p.NoticeWanted = in.wanted.NoticeWanted },
		"locale":          func() { p.Locale = in.wanted.Locale },
		"mail-note-en":    func() { p.MailNote = withNote(p.MailNote, "en", in.noteEN) },
		"mail-note-de":    func() { p.MailNote = withNote(p.MailNote, "de", in.noteDE) },
	} {
		if in.given(flag) {
			set()
		}
	}
	p.ClosedDates = slices.DeleteFunc(append(slices.Clone(p.ClosedDates), in.add...), func(date string) bool { return slices.Contains(in.again, date) })
	return p
}

func withNote(notes map[string]string, locale, text string) map[string]string {
	all := maps.Clone(notes)
	if all == nil {
		all = make(map[string]string)
	}
	all[locale] = text
	return all
}

// historyDays reads what check has accepted.
func historyDays(text string) *int {
	if text == keepHistory {
		return nil
	}
	n, _ := strconv.Atoi(text) // "keep" is the only other word
	return &n
}

// trimmed is a list without white space and without what is empty.
func trimmed(list []string) []string {
	var all []string
	for _, text := range list {
		if text = strings.TrimSpace(text); text != "" {
			all = append(all, text)
		}
	}
	return all
}
