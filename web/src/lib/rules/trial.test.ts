import { expect, test } from 'vitest';
import de from '../../messages/de.ruleform';
import en from '../../messages/en.ruleform';
import { SaidTrial, type PolicyTrial } from './trial';

const none: PolicyTrial = {
  from: '2025-11-18', loans: 812, holds: 1, refused: { count: 0, by: [], examples: [] }, dueEarlier: { count: 0, days: 0 }, dueLater: { count: 0, days: 0 },
  renewalsRefused: 0, holdsRefused: { count: 0, by: [] }, onClosedDays: 0, dead: [],
};
const say = (trial: Partial<PolicyTrial>) => [new SaidTrial({ ...none, ...trial }, 'en', en.trial.words), new SaidTrial({ ...none, ...trial }, 'de', de.trial.words)] as const;

test('a trial says what it has looked at', () => {
  expect(say({ loans: 1812 }).map(({ looked, changes, dead }) => [looked, changes, dead])).toEqual([
    ['Looked at 1,812 loans and 1 reservation since 18 November 2025.', [], []],
    ['Betrachtet wurden 1.812 Ausleihen und 1 Vormerkung seit dem 18. November 2025.', [], []],
  ]);
});

test.each<[Partial<PolicyTrial>, string, string]>([
  [{ dueEarlier: { count: 7, days: 14 } }, '7 loans would have been due earlier, by up to 14 days.', '7 Ausleihen wären früher fällig gewesen, um bis zu 14 Tage.'],
  [{ dueEarlier: { count: 1, days: 1 } }, '1 loan would have been due earlier, by 1 day.', '1 Ausleihe wäre früher fällig gewesen, um 1 Tag.'],
  [{ dueEarlier: { count: 2, days: 0 } }, '2 loans would have had a due date.', '2 Ausleihen hätten einen Rückgabetermin gehabt.'],
  [{ dueLater: { count: 1200, days: 1 } }, '1,200 loans would have been due later, by up to 1 day.', '1.200 Ausleihen wären später fällig gewesen, um bis zu 1 Tag.'],
  [{ dueLater: { count: 1, days: 0 } }, '1 loan would have had no due date.', '1 Ausleihe hätte keinen Rückgabetermin gehabt.'],
  [{ onClosedDays: 2 }, '2 due days would have moved because of closing days alone.', '2 Termine hätten sich allein wegen Schließtagen verschoben.'],
  [{ renewalsRefused: 3 }, '3 renewals would have been refused.', '3 Verlängerungen wären abgelehnt worden.'],
])('%j is a sentence', (trial, english, german) => expect(say(trial).map(({ changes }) => changes)).toEqual([[{ text: english, reasons: [] }], [{ text: german, reasons: [] }]]));

test('refusals say whom they would have met, and by which rule', () => {
  const limit = (count: number, category?: string, rule?: string): PolicyTrial['refused']['by'][number] => ({ code: 'loan_limit', count, ...(category && { category }), ...(rule && { rule }) });
  const refused = (...by: PolicyTrial['refused']['by']) => say({ refused: { count: by.reduce((sum, { count }) => sum + count, 0), by, examples: [] } }).map(({ changes }) => changes[0]);
  expect(refused(limit(25, 'pupil', 'Pupils'), limit(13, 'pupil', 'Films'), limit(3))).toEqual([
    { text: '41 loans of the last year would have been refused, 38 of them to “pupil”.', reasons: ['25 to “pupil”: the limit of the rule “Pupils”', '13 to “pupil”: the limit of the rule “Films”', '3 to people without a category: the limit for everybody'] },
    { text: '41 Ausleihen des letzten Jahres wären abgelehnt worden, 38 davon bei „pupil“.', reasons: ['25 bei „pupil“: Grenze der Regel „Pupils“', '13 bei „pupil“: Grenze der Regel „Films“', '3 bei Personen ohne Kategorie: Grenze für alle'] },
  ]);
  expect(refused(limit(1, 'pupil', 'Pupils'))[0]).toEqual({ text: '1 loan of the last year would have been refused, to “pupil”.', reasons: ['Reason: the limit of the rule “Pupils”'] });
  expect(refused(limit(2, 'pupil', 'Pupils'), limit(1, 'pupil'))[0]?.text).toBe('3 loans of the last year would have been refused, all to “pupil”.');
  expect(refused(...Array.from({ length: 10 }, (_, i) => limit(1, `c${i}`)))[1]?.reasons.slice(7)).toEqual(['1 bei „c7“: Grenze für alle', '2 weitere Gründe']);
  const [english] = say({ holdsRefused: { count: 2, by: [{ code: 'not_reservable', rule: 'Games', count: 2 }] } });
  expect(english.changes).toEqual([{ text: '2 reservations of the last year would have been refused, all to people without a category.', reasons: ['Reason: not reservable by the rule “Games”'] }]);
});

test('rules without effect are named, with those that hide them', () => {
  expect(say({ dead: [{ rule: 'Films 2', hiddenBy: ['Films', 'All'] }, { rule: 'Summer', hiddenBy: [] }] }).map(({ dead }) => dead)).toEqual([
    ['The rule “Films 2” never has an effect, because others come first: “Films” and “All”.', 'The rule “Summer” has no effect any more: its last day has passed.'],
    ['Die Regel „Films 2“ wirkt nie, weil andere vorgehen: „Films“ und „All“.', 'Die Regel „Summer“ wirkt nicht mehr: Ihr letzter Tag ist vorbei.'],
  ]);
});
