import { expect, test } from 'vitest';
import de from '../../messages/de.rules';
import en from '../../messages/en.rules';
import type { Policy } from '../api/api';
import { sayException } from './exceptions';

test.each<[Partial<Policy['rules'][number]>, string, string]>([
  [{ categories: ['pupil'], kinds: ['film'], loanDays: 3 }, 'Films for pupil: lent for 3 days.', 'Filme für pupil: Leihfrist 3 Tage.'],
  [{ kinds: ['film', 'other'], loanDays: 1, renewals: 0, maxLoans: 2, maxHolds: 1 }, 'Films and other things for everybody: lent for 1 day, not renewed, at most 2 at once, at most 1 reserved.',
    'Filme und anderes für alle: Leihfrist 1 Tag, keine Verlängerung, höchstens 2 zugleich, höchstens 1 vorgemerkt.'],
  [{ categories: ['pupil', 'Upper school'], until: '2027-07-02' }, 'Everything for pupil and Upper school: due on 2 July 2027 at the latest.', 'Alles für pupil und Upper school: fällig spätestens am 2. Juli 2027.'],
  [{ categories: ['pupil'], until: '2026-11-13' }, 'Everything for pupil: due on 13 November 2026 at the latest (over).', 'Alles für pupil: fällig spätestens am 13. November 2026 (vorbei).'],
  [{ categories: ['guest'], kinds: ['device'], lend: false }, 'Devices for guest: not lent.', 'Geräte für guest: werden nicht verliehen.'],
  [{ kinds: ['map'], loanDays: 0, renewals: 12, maxLoans: 0, maxHolds: 0, selfBorrow: false, holds: false, lend: true },
    'Maps for everybody: may be lent, no due date, renewed up to 12 times, any number at once, any number reserved, borrowed at the desk, cannot be reserved.',
    'Karten für alle: werden verliehen, ohne Rückgabetermin, bis zu 12-mal verlängerbar, beliebig viele zugleich, beliebig viele vorgemerkt, Ausleihe an der Theke, nicht vormerkbar.'],
  [{ kinds: ['book'], renewals: 1, selfBorrow: true, holds: true }, 'Books for everybody: renewed once, borrowed without the desk, can be reserved.', 'Bücher für alle: einmal verlängerbar, Ausleihe ohne Theke, vormerkbar.'],
  [{ kinds: ['book'] }, 'Books for everybody: nothing is chosen yet.', 'Bücher für alle: noch nichts ausgewählt.'],
])('the rule %j is a sentence', (rule, english, german) => {
  const say = (language: 'en' | 'de', words: typeof en.exceptions): string => sayException({ name: 'Rule', ...rule }, '2026-11-14', language, words);
  expect([say('en', en.exceptions), say('de', de.exceptions)]).toEqual([english, german]);
});
