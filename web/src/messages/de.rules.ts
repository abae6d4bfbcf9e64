import type { RuleMessages } from './en.rules';

const de: RuleMessages = {
  title: 'Regeln der Ausleihe',
  edit: 'Regeln bearbeiten',
  closedDays: 'Schließtage',
  noClosedDays: 'Es sind keine Tage eingetragen, an denen geschlossen ist.',
  range: (from, to) => `${from} bis ${to}`,
  days: { one: '# Tag', other: '# Tage' },
  words: {
    lentUntil: (day, renewed) => `Heute ausgeliehen, fällig am ${day}; ${renewed}.`,
    lent: 'Ausgeliehen ohne Rückgabetermin.',
    renewed: { none: 'nicht verlängerbar', once: 'einmal verlängerbar', twice: 'zweimal verlängerbar', times: '#-mal verlängerbar' },
    setAside: (day) => `Ein Exemplar, das heute bereitgelegt wird, wartet bis ${day}.`,
    moved: (day) => `Am ${day} ist geschlossen: Es zählt der nächste offene Tag.`,
    limits: {
      none: 'Eine Person kann beliebig viele Ausleihen und Vormerkungen haben.',
      loans: { one: '# Ausleihe', other: '# Ausleihen' },
      holds: { one: '# Vormerkung', other: '# Vormerkungen' },
      both: (loans, holds) => `Eine Person kann höchstens ${loans} und ${holds} haben.`,
      onlyLoans: (loans) => `Eine Person kann höchstens ${loans} haben und beliebig viele Vormerkungen.`,
      onlyHolds: (holds) => `Eine Person kann höchstens ${holds} haben und beliebig viele Ausleihen.`,
    },
    blocked: 'Wer etwas Überfälliges hat, kann weder ausleihen noch verlängern.',
    notBlocked: 'Wer etwas Überfälliges hat, kann trotzdem ausleihen und verlängern.',
    forgotten: { one: 'Eine Ausleihe vergisst die Person # Tag nach der Rückgabe.', other: 'Eine Ausleihe vergisst die Person # Tage nach der Rückgabe.' },
    forgottenAtOnce: 'Eine Ausleihe vergisst die Person bei der Rückgabe.',
    kept: 'Vergangene Ausleihen bleiben mit dem Namen gespeichert.',
    deskOnly: {
      both: 'Ausgeliehen und zurückgegeben wird an der Theke.',
      lends: 'Ausgeliehen wird an der Theke.',
      takesBack: 'Zurückgegeben wird an der Theke.',
    },
    closedWeekly: (days) => `Geschlossen jeden ${days}.`,
    zone: (name) => `Tage zählen nach der Zeitzone ${name}.`,
  },
};

export default de;
