package policy

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/terminal"
)

func newTry(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "try FILE",
		Short: "Show what other rules of lending would have changed",
		Long: `Show what other rules of lending would have changed in the last 365 days: which loans
and holds they would have refused, whose due days they would have moved, and rules
that never decide anything. Nothing is changed. This is for admins.

The file is one for 'library policy edit --file': a policy in JSON, a part of it, or
the rules for some people and books alone; - is the standard input.`,
		Example: `  library policy try rules.json
  library policy show --json | jq '.maxLoans = 5' | library policy try -`,
	}
	a.JSONFlag(cmd, "all differences")
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		p, _, err := c.Policy(ctx)
		if err != nil {
			return err
		}
		if p, err = fromFile(ctx, a, args[0], p); err != nil {
			return err
		}
		t, err := c.TryPolicy(ctx, p)
		if err != nil {
			return err
		}
		return a.Print(t, func() error {
			for _, line := range trialWords(t) {
				if _, err := fmt.Fprintln(a.Term.Out, terminal.Clean(line)); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// trialWords says a trial in sentences. What is the same is left out.
func trialWords(t api.PolicyTrial) []string {
	loan := func(n int) string { return command.Quantity(n, "loan") }
	hold := func(n int) string { return command.Quantity(n, "hold") }
	var words []string
	say := func(n int, format string, args ...any) {
		if n > 0 {
			words = append(words, fmt.Sprintf(format, args...))
		}
	}
	say(t.Refused.Count, "%s would have been refused%s.", loan(t.Refused.Count), toWhom(t.Refused.By))
	say(t.HoldsRefused.Count, "%s would have been refused%s.", hold(t.HoldsRefused.Count), toWhom(t.HoldsRefused.By))
	say(t.DueEarlier.Count, "%s would have been due earlier%s.", loan(t.DueEarlier.Count), byUpTo(t.DueEarlier.Days))
	say(t.DueLater.Count, "%s would have been due later%s.", loan(t.DueLater.Count), byUpTo(t.DueLater.Days))
	say(t.OnClosedDays, "%s moved only because of closed days.", command.Count(t.OnClosedDays, "of these due days", "of these due days"))
	say(t.RenewalsRefused, "%s would have been refused.", command.Quantity(t.RenewalsRefused, "renewal"))
	if len(words) == 0 {
		words = []string{"Nothing would have been different."}
	}
	words = append([]string{fmt.Sprintf("Since %s there were %s and %s.", t.From, loan(t.Loans), hold(t.Holds))}, words...)
	for _, d := range t.Dead {
		why := "its last day has passed"
		if len(d.HiddenBy) > 0 {
			why = "decided before it by " + strings.Join(d.HiddenBy, ", ")
		}
		words = append(words, fmt.Sprintf("The rule %s never decides anything: %s.", d.Rule, why))
	}
	return words
}

// toWhom says the reasons: ", 38 of them to pupil by the rule Pupils".
func toWhom(by []api.RefusalCount) string {
	var words strings.Builder
	for _, r := range by {
		fmt.Fprintf(&words, ", %s of them to %s", command.Thousands(r.Count), cmp.Or(r.Category, "people without a category"))
		if r.Rule != "" {
			fmt.Fprintf(&words, " by the rule %s", r.Rule)
		}
	}
	return words.String()
}

func byUpTo(days int) string {
	if days == 0 {
		return ""
	}
	return ", by up to " + command.Quantity(days, "day")
}
