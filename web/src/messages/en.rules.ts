/** The lending rules in words: for everybody, and loaded with their page. */
const en = {
  title: 'Lending rules',
  edit: 'Edit the rules',
  closedDays: 'Closing days',
  noClosedDays: 'No closing days are planned.',
  noOtherClosedDays: 'No other closing days are planned.',
  range: (from: string, to: string) => `${from} to ${to}`,
  days: { one: '# day', other: '# days' },
  words: {
    lentUntil: (day: string, renewed: string) => `A book lent today is due on ${day}, and ${renewed}.`,
    lent: 'Books are lent without a due date.',
    renewed: { none: 'cannot be renewed', once: 'can be renewed once', twice: 'can be renewed twice', times: 'can be renewed # times' },
    setAside: (day: string) => `A copy set aside today is kept until ${day}.`,
    moved: (day: string) => `The library is closed on ${day}, so the next open day counts.`,
    limits: {
      none: 'There is no limit on loans and reservations.',
      loans: { one: '# loan', other: '# loans' },
      holds: { one: '# reservation', other: '# reservations' },
      both: (loans: string, holds: string) => `Each reader can have up to ${loans} and ${holds}.`,
      onlyLoans: (loans: string) => `Each reader can have up to ${loans}. There is no limit on reservations.`,
      onlyHolds: (holds: string) => `Each reader can have up to ${holds}. There is no limit on loans.`,
    },
    blocked: 'Readers with overdue books cannot borrow or renew.',
    notBlocked: 'Readers with overdue books can still borrow and renew.',
    forgotten: { one: 'The reader’s name is deleted from a loan # day after the return.', other: 'The reader’s name is deleted from a loan # days after the return.' },
    forgottenAtOnce: 'The reader’s name is deleted from a loan as soon as the book is returned.',
    kept: 'Past loans are kept with the reader’s name.',
    deskOnly: {
      both: 'Books are borrowed and returned at the desk.',
      lends: 'Books are borrowed at the desk.',
      takesBack: 'Books are returned at the desk.',
    },
    closedWeekly: (days: string) => `Closed every ${days}.`,
    zone: (name: string) => `All dates are in the time zone ${name}.`,
  },
};

export type RuleMessages = typeof en;
export default en;
