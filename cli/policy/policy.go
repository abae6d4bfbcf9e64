// Package policy is 'library policy', the rules of lending.
package policy

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
)

// New makes 'library policy'.
func New(a *command.App) *cobra.Command {
	return command.Group(&cobra.Command{
		Use:   "policy",
		Short: "See and change the rules of lending",
		Long: `See and change the rules of lending: how long loans are, how often they are
renewed, how many a person can have, when the library is closed. Everybody sees
them, admins change them.`,
	},
		newShow(a), newEdit(a), newTry(a))
}

func newShow(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "show",
		Aliases: []string{"view"},
		Short:   "Show the rules of lending",
		Long: `Show the rules of lending.

In a pipe there is one line for each rule: its name, a tab and its value.`,
		Example: `  library policy show
  library policy show --json`,
	}
	a.JSONFlag(cmd, "the whole record")
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, _ []string) error {
		policy, _, err := c.Policy(ctx)
		if err != nil {
			return err
		}
		return a.Print(policy, func() error { return showPolicy(ctx, a, c, policy) })
	})
}

// showPolicy says the rules in words, and as their values to programs.
func showPolicy(ctx context.Context, a *command.App, c *client.Client, p api.Policy) error {
	if a.Term.Interactive() {
		return a.PrintFacts(policyWords(p, command.SendsMail(ctx, c)))
	}
	history := "keep"
	if p.HistoryDays != nil {
		history = strconv.Itoa(*p.HistoryDays)
	}
	return a.PrintFacts(append([]command.Fact{
		{"loanDays", strconv.Itoa(p.LoanDays)}, {"renewals", strconv.Itoa(p.Renewals)},
		{"maxLoans", strconv.Itoa(p.MaxLoans)}, {"maxHolds", strconv.Itoa(p.MaxHolds)},
		{"blockOverdue", strconv.FormatBool(p.BlockOverdue)}, {"holdDays", strconv.Itoa(p.HoldDays)},
		{"historyDays", history}, {"timeZone", p.TimeZone},
		{"closedWeekdays", strings.Join(p.ClosedWeekdays, ",")}, {"closedDates", strings.Join(p.ClosedDates, ",")},
		{"dueSoonDays", strconv.Itoa(p.DueSoonDays)}, {"overdueDays", joinNumbers(p.OverdueDays)},
		{"selfBorrow", strconv.FormatBool(p.SelfBorrow)}, {"selfReturn", strconv.FormatBool(p.SelfReturn)},
		{"noticeTime", p.NoticeTime}, {"noticeWanted", strconv.FormatBool(p.NoticeWanted)}, {"mailNote.en", p.MailNote["en"]}, {"mailNote.de", p.MailNote["de"]},
		{"locale", p.Locale},
	}, ruleFacts(p.Rules)...))
}

// policyWords are the rules in the words of a library's regulations. Those about mails are left out where
// none are sent.
func policyWords(p api.Policy, mails bool) []command.Fact {
	history := "kept with the name of the reader"
	if p.HistoryDays != nil {
		history = "the reader is forgotten " + orElse(*p.HistoryDays, "at once", command.Quantity(*p.HistoryDays, "day")+" after the return")
	}
	closed := append(slices.Clone(p.ClosedWeekdays), p.ClosedDates...)
	facts := []command.Fact{
		{"Loans", orElse(p.LoanDays, "have no due date", command.Quantity(p.LoanDays, "day"))},
		{"Renewals", orElse(p.Renewals, "none", command.Quantity(p.Renewals, "time"))},
		{"Loans per person", orElse(p.MaxLoans, "any number", "at most "+command.Thousands(p.MaxLoans))},
		{"Holds per person", orElse(p.MaxHolds, "any number", "at most "+command.Thousands(p.MaxHolds))},
		{"Overdue blocks borrowing", yesOrNo(p.BlockOverdue)},
		{"Set aside for", command.Quantity(p.HoldDays, "day")},
		{"Past loans", history},
		{"Time zone", p.TimeZone},
		{"Closed", cmp.Or(strings.Join(closed, ", "), "never")},
		{"Readers borrow", byThemselves(p.SelfBorrow)},
		{"Readers give back", byThemselves(p.SelfReturn)},
		{"Language of new people", command.Language(p.Locale)},
	}
	if mails {
		facts = append(facts, mailWords(p)...)
	}
	return append(facts, ruleFacts(p.Rules)...)
}

func mailWords(p api.Policy) []command.Fact {
	late := "never"
	if len(p.OverdueDays) > 0 {
		late = strings.ReplaceAll(joinNumbers(p.OverdueDays), ",", ", ") + " days after the due date"
	}
	return []command.Fact{
		{"First reminder", orElse(p.DueSoonDays, "none", command.Quantity(p.DueSoonDays, "day")+" before the due date")},
		{"Later reminders", late},
		{"Reminders are sent", "from " + p.NoticeTime + " on"},
		{"Told that somebody waits", yesOrNo(p.NoticeWanted)},
		{"At the end of mails", cmp.Or(p.MailNote["en"], "nothing")},
		{"The same in German", cmp.Or(p.MailNote["de"], "nothing")},
	}
}

func yesOrNo(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

func byThemselves(allowed bool) string {
	if allowed {
		return "by themselves, or at the desk"
	}
	return "only at the desk"
}

// orElse is a word for zero, and otherwise the text.
func orElse(n int, zero, text string) string {
	if n == 0 {
		return zero
	}
	return text
}

func joinNumbers(numbers []int) string {
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = fmt.Sprint(n)
	}
	return strings.Join(texts, ",")
}
