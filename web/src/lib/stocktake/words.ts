import { isolate } from '../text/bidi';
import { place, type Words } from '../desk/deskwords';
import { nameOf } from '../people/name';
import type { StockMessages } from '../text/stocktexts';
import type { Problem } from '../api/problem';
import type { Entry } from './taking.svelte';

/** What it takes to put a scan into words. */
export interface Speech {
  t: StockMessages;
  date: (instant: string) => string;
  explain: (problem: Problem) => string;
}

/** What has come of a scan, in large letters, and what to do. */
export function wordsOf(entry: Entry, speech: Speech): Words {
  const { head, lines, sound } = parts(entry, speech);
  return { head, sound, lines: lines.filter((line) => line !== '').map(isolate) };
}

function parts({ code, scan, moved, problem }: Entry, { t, date, explain }: Speech): Words {
  const said = t.said;
  if (!scan) return { head: said.refused, lines: [code, problem ? explain(problem) : ''], sound: 'bad' };
  const { copy, outcome, shelf } = scan;
  const title = copy?.book?.title ?? code;
  const named = (name: string): string => place(name, said.shelf);
  const { loan, hold } = copy ?? {};
  const aside = hold?.user ? said.aside(nameOf(hold.user)) : said.asideForSomebody;
  switch (outcome) {
    case 'found':
      return { head: t.outcomes.found, lines: [title, copy?.shelf ? named(copy.shelf) : ''], sound: 'done' };
    case 'again':
      return { head: t.outcomes.again, lines: [title], sound: 'done' };
    case 'elsewhere':
      if (moved) return { head: said.moved(named(moved)), lines: [title], sound: 'done' };
      return { head: shelf ? said.belongs(named(shelf)) : said.belongsNowhere, lines: [title], sound: 'act' };
    case 'lent':
      return { head: said.lent, lines: [title, loan?.user ? said.lentTo(nameOf(loan.user)) : '', loan?.claimedAt ? said.claimed(date(loan.claimedAt)) : said.lentText], sound: 'act' };
    case 'set_aside':
      return { head: aside, lines: [title, said.asideText], sound: 'act' };
    case 'was_missing':
      return { head: said.foundAgain, lines: [title, scan.missingSince ? said.missingSince(date(scan.missingSince)) : '', ...(hold ? [aside, said.asideText] : [])], sound: 'act' };
    case 'not_expected':
      return { head: t.outcomes.not_expected, lines: [title, copy?.state === 'damaged' || copy?.state === 'lost' ? said.state[copy.state] : said.state.added], sound: 'act' };
    case 'unknown':
      if (scan.books?.[0]) return { head: said.isbn, lines: [said.isbnText(scan.books[0].title)], sound: 'bad' };
      return { head: said.unknown, lines: [said.unknownText(code)], sound: 'bad' };
  }
}
