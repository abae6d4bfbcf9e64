/** The rules of lending in words: for everybody, and loaded with their page. */
const en = {
  title: 'Rules of lending',
  edit: 'Edit the rules',
  closedDays: 'Closed days',
  noClosedDays: 'No days are named on which the library is closed.',
  range: (from: string, to: string) => `${from} to ${to}`,
  days: { one: '# day', other: '# days' },
  words: {
    lentUntil: (day: string, renewed: string) => `Lent today, due ${day}; ${renewed}.`,
    lent: 'Lent without a due date.',
    renewed: { none: 'cannot be renewed', once: 'may be renewed once', twice: 'may be renewed twice', times: 'may be renewed # times' },
    setAside: (day: string) => `A copy that is set aside today waits until ${day}.`,
    moved: (day: string) => `The library is closed on ${day}: the next open day counts.`,
    limits: {
      none: 'A person may have any number of loans and reservations.',
      loans: { one: '# loan', other: '# loans' },
      holds: { one: '# reservation', other: '# reservations' },
      both: (loans: string, holds: string) => `A person may have at most ${loans} and ${holds}.`,
      onlyLoans: (loans: string) => `A person may have at most ${loans}, and any number of reservations.`,
      onlyHolds: (holds: string) => `A person may have at most ${holds}, and any number of loans.`,
    },
    blocked: 'Who has something overdue can neither borrow nor renew.',
    notBlocked: 'Who has something overdue can still borrow and renew.',
    forgotten: { one: 'A loan forgets the person # day after the book is back.', other: 'A loan forgets the person # days after the book is back.' },
    forgottenAtOnce: 'A loan forgets the person as soon as the book is back.',
    kept: 'Past loans stay on record with the name.',
    deskOnly: {
      both: 'Books are lent and given back at the desk.',
      lends: 'Books are lent at the desk.',
      takesBack: 'Books are given back at the desk.',
    },
    closedWeekly: (days: string) => `Closed every ${days}.`,
    zone: (name: string) => `Days are counted in the time zone ${name}.`,
  },
};

export type RuleMessages = typeof en;
export default en;
