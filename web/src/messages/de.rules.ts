import type { RuleMessages } from './en.rules';

const de: RuleMessages = {
  title: 'Ausleihregeln',
  edit: 'Ausleihregeln bearbeiten',
  closedDays: 'Schließtage',
  noClosedDays: 'Zurzeit sind keine Schließtage geplant.',
  noOtherClosedDays: 'Weitere Schließtage sind zurzeit nicht geplant.',
  range: (from, to) => `${from} bis ${to}`,
  days: { one: '# Tag', other: '# Tage' },
  words: {
    lentUntil: (day, renewed) => `Ein heute ausgeliehenes Buch ist am ${day}, fällig und ${renewed}.`,
    lent: 'Bücher werden ohne Rückgabetermin verliehen.',
    renewed: { none: 'nicht verlängerbar', once: 'einmal verlängerbar', twice: 'zweimal verlängerbar', times: '#-mal verlängerbar' },
    setAside: (day) => `Ein heute bereitgelegtes Exemplar kann bis ${day}, abgeholt werden.`,
    moved: (day) => `Am ${day} ist geschlossen, deshalb gilt der nächste Öffnungstag.`,
    limits: {
      none: 'Die Zahl der Ausleihen und Vormerkungen ist nicht begrenzt.',
      loans: { one: '# Ausleihe', other: '# Ausleihen' },
      holds: { one: '# Vormerkung', other: '# Vormerkungen' },
      both: (loans, holds) => `Pro Person sind höchstens ${loans} und ${holds} möglich.`,
      onlyLoans: (loans) => `Pro Person sind höchstens ${loans} möglich. Vormerkungen sind nicht begrenzt.`,
      onlyHolds: (holds) => `Pro Person sind höchstens ${holds} möglich. Ausleihen sind nicht begrenzt.`,
    },
    blocked: 'Wer überfällige Bücher hat, kann weder ausleihen noch verlängern.',
    notBlocked: 'Auch wer überfällige Bücher hat, kann ausleihen und verlängern.',
    forgotten: { one: 'Der Name wird # Tag nach der Rückgabe aus der Ausleihe gelöscht.', other: 'Der Name wird # Tage nach der Rückgabe aus der Ausleihe gelöscht.' },
    forgottenAtOnce: 'Der Name wird bei der Rückgabe aus der Ausleihe gelöscht.',
    kept: 'Vergangene Ausleihen bleiben mit dem Namen gespeichert.',
    deskOnly: {
      both: 'Ausgeliehen und zurückgegeben wird an der Theke.',
      lends: 'Ausgeliehen wird an der Theke.',
      takesBack: 'Zurückgegeben wird an der Theke.',
    },
    closedWeekly: (days) => `Jeden ${days} geschlossen.`,
    zone: (name) => `Alle Termine gelten in der Zeitzone ${name}.`,
  },
};

export default de;
