package lendingmodel

func (m *model) renew(p member, id string) string {
	return m.onLoan(p, id, func(l *loan) string {
		if refusal := m.whyNotRenew(*l); refusal != "" {
			return refusal
		}
		l.renewals++
		l.due, l.rule = m.dueDate(l.who, l.book)
		return ""
	})
}

func (m *model) whyNotRenew(l loan) string {
	switch {
	case !l.open():
		return "not_open"
	case m.isBlocked(l.who):
		return "blocked"
	case !l.claimed.IsZero():
		return "claimed"
	case l.renewals >= m.renewals(l.who, l.book):
		return "renewal_limit"
	case m.waiting(l.book) > 0:
		return "awaited"
	case m.policy.BlockOverdue && m.overdueLoans(l.who) > 0:
		return "has_overdue"
	}
	due, _ := m.dueDate(l.who, l.book)
	if !due.IsZero() && !l.due.IsZero() && !due.After(l.due) || due.IsZero() && l.due.IsZero() {
		return "too_early"
	}
	return ""
}
