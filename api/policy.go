package api

// Policy has the rules of the library. The arrays are never null: an edit without one sets
// its default, and not all defaults are empty.
type Policy struct {
	LoanDays       int      `json:"loanDays"`              // 0: loans have no due date
	Renewals       int      `json:"renewals"`              // how often a loan can be renewed
	MaxLoans       int      `json:"maxLoans"`              // of one person; 0: no limit
	MaxHolds       int      `json:"maxHolds"`              // of one person; 0: no limit
	BlockOverdue   bool     `json:"blockOverdue"`          // readers with an overdue loan cannot borrow
	HoldDays       int      `json:"holdDays"`              // how long a copy is set aside
	HistoryDays    *int     `json:"historyDays,omitempty"` // absent: past loans are kept; 0: forgotten at once
	TimeZone       string   `json:"timeZone"`              // IANA name
	ClosedWeekdays []string `json:"closedWeekdays"`        // monday … sunday
	ClosedDates    []string `json:"closedDates"`           // see DateLayout
	DueSoonDays    int      `json:"dueSoonDays"`           // how long before a due date a reminder is sent
	OverdueDays    []int    `json:"overdueDays"`           // how long after a due date reminders are sent
	SelfBorrow     bool     `json:"selfBorrow"`            // readers borrow without the desk
	SelfReturn     bool     `json:"selfReturn"`            // readers give back without the desk
	NoticeTime     string   `json:"noticeTime,omitempty"`  // from when on reminders are written on a day, HH:MM
	NoticeWanted   bool     `json:"noticeWanted"`          // a borrower is told that somebody waits
	Locale         string   `json:"locale,omitempty"`      // of new people where nothing else says it: en or de

	MailNote map[string]string `json:"mailNote,omitempty"` // the end of every mail, by language
	Rules    []PolicyRule      `json:"rules"`              // exceptions for some people and books, in order
}

// PolicyRule is an exception of the policy for some categories of people, some kinds of books, or both.
// What is absent is decided by other rules or the policy.
type PolicyRule struct {
	Name       string   `json:"name"`
	Categories []string `json:"categories,omitempty"` // absent: anybody
	Kinds      []string `json:"kinds,omitempty"`      // absent: any book
	LoanDays   *int     `json:"loanDays,omitempty"`
	Until      string   `json:"until,omitempty"` // no due day is after it; see DateLayout
	Renewals   *int     `json:"renewals,omitempty"`
	MaxLoans   *int     `json:"maxLoans,omitempty"` // with kinds: of these kinds
	MaxHolds   *int     `json:"maxHolds,omitempty"` // the same
	SelfBorrow *bool    `json:"selfBorrow,omitempty"`
	Holds      *bool    `json:"holds,omitempty"` // may be reserved
	Lend       *bool    `json:"lend,omitempty"`  // may be lent at all
}

// Ruled is a value of the policy for one person and one book, with the name of the rule that has it.
type Ruled[T any] struct {
	Value T      `json:"value"`
	Rule  string `json:"rule,omitempty"` // absent: the policy
}

// RuledLimit is a limit, and how many the person has.
type RuledLimit struct {
	Ruled[int]
	Kinds []string `json:"kinds,omitempty"` // of which books
	Count int      `json:"count"`
}

// EffectivePolicy is the policy for one person and one book.
type EffectivePolicy struct {
	User            string         `json:"user"`
	Book            string         `json:"book"`
	LoanDays        Ruled[int]     `json:"loanDays"`
	Until           *Ruled[string] `json:"until,omitempty"`
	Renewals        Ruled[int]     `json:"renewals"`
	SelfBorrow      Ruled[bool]    `json:"selfBorrow"`
	Holds           Ruled[bool]    `json:"holds"`
	Lend            *Ruled[bool]   `json:"lend,omitempty"` // where a rule has it
	MaxLoans        RuledLimit     `json:"maxLoans"`
	MaxLoansOfKinds *RuledLimit    `json:"maxLoansOfKinds,omitempty"`
	MaxHolds        RuledLimit     `json:"maxHolds"`
	MaxHoldsOfKinds *RuledLimit    `json:"maxHoldsOfKinds,omitempty"`
	DueAt           string         `json:"dueAt,omitempty"` // of a loan made now
	Rule            string         `json:"rule,omitempty"`  // that decides about it
}

// PolicyTrial says what a policy would have changed in the last year.
type PolicyTrial struct {
	From            string       `json:"from"`    // the first day; see DateLayout
	Loans           int          `json:"loans"`   // looked at
	Holds           int          `json:"holds"`   // the same
	Refused         RefusedLoans `json:"refused"` // which the policy of now does not refuse
	DueEarlier      DueShift     `json:"dueEarlier"`
	DueLater        DueShift     `json:"dueLater"`
	RenewalsRefused int          `json:"renewalsRefused"`
	HoldsRefused    Refusals     `json:"holdsRefused"`
	OnClosedDays    int          `json:"onClosedDays"` // due days that differ only because of closed days
	Dead            []DeadRule   `json:"dead"`
}

// Refusals counts what is refused, by reason.
type Refusals struct {
	Count int            `json:"count"`
	By    []RefusalCount `json:"by"` // the highest count first
}

// RefusalCount counts refusals with one reason.
type RefusalCount struct {
	Code     string `json:"code"`
	Rule     string `json:"rule,omitempty"`     // absent: the policy
	Category string `json:"category,omitempty"` // of the people; absent: none
	Count    int    `json:"count"`
}

// RefusedLoans is the same of loans, with some of them.
type RefusedLoans struct {
	Refusals
	Examples []RefusedLoan `json:"examples"` // the newest first
}

// RefusedLoan is a past loan that a policy would have refused.
type RefusedLoan struct {
	Loan       string  `json:"loan"`
	Book       BookRef `json:"book"`
	User       *Person `json:"user"`
	BorrowedAt string  `json:"borrowedAt"`
	Code       string  `json:"code"`
	Rule       string  `json:"rule,omitempty"`
}

// DueShift counts due days that move.
type DueShift struct {
	Count int `json:"count"`
	Days  int `json:"days"` // the largest difference
}

// DeadRule is a rule that never decides anything.
type DeadRule struct {
	Rule     string   `json:"rule"`
	HiddenBy []string `json:"hiddenBy"` // the rules that decide instead; empty if its last day has passed
}

// Statistics is the library in numbers. There is no person in them.
type Statistics struct {
	Books         int           `json:"books"`
	Copies        int           `json:"copies"`
	OpenLoans     int           `json:"openLoans"`
	OverdueLoans  int           `json:"overdueLoans"`
	WaitingHolds  int           `json:"waitingHolds"`
	ReadyHolds    int           `json:"readyHolds"`
	Periods       []Period      `json:"periods"`      // without gaps
	MostBorrowed  []BookCount   `json:"mostBorrowed"` // in these periods
	NeverBorrowed NeverBorrowed `json:"neverBorrowed"`
}

// Period is a day, a week or a month.
type Period struct {
	From    string `json:"from"` // its first day; see DateLayout
	Loans   int    `json:"loans"`
	Returns int    `json:"returns"`
}

// BookCount is how often a book was borrowed.
type BookCount struct {
	Book  BookRef `json:"book"`
	Loans int     `json:"loans"`
}

// NeverBorrowed are the books without a loan ever.
type NeverBorrowed struct {
	Count int       `json:"count"`
	Books []BookRef `json:"books"` // the oldest of them
}
