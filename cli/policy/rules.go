package policy

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"example.org/library/api"
	"example.org/library/cli/command"
)

// fromFile reads a policy: what a JSON object names replaces what is in before. An array is the rules
// alone.
func fromFile(ctx context.Context, a *command.App, path string, before api.Policy) (api.Policy, error) {
	const most = 1 << 20
	text, err := a.ReadInput(ctx, path, most)
	if err != nil {
		return before, err
	}
	var into any = &before
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		into = &before.Rules
	}
	rules := before.Rules
	before.Rules = nil // entries of the file must not be laid over these
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields()
	if err := strict.Decode(into); err != nil {
		return before, command.Fail(command.ExitUsage, "%s is not a policy in JSON, as 'library policy show --json' prints one: %v.", path, err)
	}
	if before.Rules == nil {
		before.Rules = rules
	}
	return before, nil
}

// ruleFacts are the rules in their order, one line each.
func ruleFacts(rules []api.PolicyRule) (facts []command.Fact) {
	for _, r := range rules {
		facts = append(facts, command.Fact{"Rule " + r.Name, ruleWords(r)})
	}
	return facts
}

// ruleWords says a rule: for whom and what, and its values.
func ruleWords(r api.PolicyRule) string {
	about := append([]string{}, r.Categories...)
	about = append(about, r.Kinds...)
	var values []string
	number := func(n *int, zero, many string) {
		if n != nil {
			values = append(values, orElse(*n, zero, strings.ReplaceAll(many, "%", command.Thousands(*n))))
		}
	}
	flag := func(is *bool, yes, no string) {
		if is != nil {
			values = append(values, map[bool]string{true: yes, false: no}[*is])
		}
	}
	if r.LoanDays != nil {
		number(r.LoanDays, "no due date", command.Quantity(*r.LoanDays, "day"))
	}
	if r.Until != "" {
		values = append(values, "not after "+r.Until)
	}
	number(r.Renewals, "no renewals", "renewals: %")
	number(r.MaxLoans, "any number of loans", "loans: at most %")
	number(r.MaxHolds, "any number of holds", "holds: at most %")
	flag(r.SelfBorrow, "borrowed by oneself", "only at the desk")
	flag(r.Holds, "may be reserved", "not reserved")
	flag(r.Lend, "may be lent", "not lent")
	return strings.Join(about, ", ") + ": " + strings.Join(values, "; ")
}
