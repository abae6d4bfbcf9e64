import type { StaffMessages } from '../../messages/en.staff';
import { isolate } from '../text/bidi';
import type { Entry } from './entry';
import type { Sound } from './sound';

/** What it takes to put an entry into words. */
export interface Speech {
  t: StaffMessages['desk'];
  /** “Friday, 12 December” */
  date: (instant: string) => string;
  /** A text for a code that says nothing special here. */
  explain: (entry: Entry) => string;
  count: (n: number, forms: { one: string; other: string }) => string;
}

export interface Words {
  /** What to do, or what has happened: in large letters. */
  head: string;
  lines: string[];
  sound: Sound;
}

/** What the person at the desk has to know about an entry. */
export function bigWords(entry: Entry, speech: Speech): Words {
  const { head, lines, sound } = parts(entry, speech);
  const { t, date } = speech;
  const note = entry.note && ['lent', 'returned', 'free'].includes(entry.kind) ? [t.note(entry.note)] : [];
  const missing = entry.missingSince ? [t.wasMissing(date(entry.missingSince))] : [];
  return { head, lines: [...missing, ...lines, ...note].filter((line) => line !== '').map(isolate), sound };
}

function parts(entry: Entry, speech: Speech): Words {
  const { t, date, count } = speech;
  const { kind, title = '', name = '', dueAt, text = '', code } = entry;
  switch (kind) {
    case 'reader':
      if (entry.block && !entry.off) return { head: t.blockedHead(name), lines: [t.blocked(entry.block), t.blockedText], sound: 'bad' };
      if (entry.off) return { head: t.off(name), lines: [t.offText], sound: 'bad' };
      return { head: t.chosen(name), lines: [entry.overdue ? count(entry.overdue, t.chosenLate) : '', t.chosenText], sound: 'done' };
    case 'lent':
      return {
        head: dueAt === undefined ? t.lent : t.lentUntil(date(dueAt)),
        lines: [t.lentText(title, name), entry.swap ? t.swapMoved : '', entry.fulfilled ? t.fulfilled : ''],
        sound: 'done',
      };
    case 'returned': {
      const place = whereTo(entry, speech);
      return { ...place, lines: [t.returnedText(title, name), entry.swap ? t.swapped : '', entry.late ? t.late : '', entry.claimedAt ? t.asClaimed(date(entry.claimedAt)) : '', ...place.lines, entry.offer && !entry.aside ? t.offer(entry.offer) : ''] };
    }
    case 'free': {
      const place = whereTo(entry, speech);
      if (entry.offers) return { head: t.nobodyHas, lines: [t.nobodyHasText(title), t.otherwise(place.head)], sound: 'act' };
      return { ...place, lines: [entry.aside ? t.asideText(title) : entry.state === 'lendable' || !entry.state ? t.freeText(title) : '', ...place.lines] };
    }
    case 'held':
      return { head: t.held(name), lines: [entry.place === undefined ? t.heldReady(title) : t.heldText(title, String(entry.place))], sound: 'done' };
    case 'unheld':
      return { head: t.undone, lines: [t.unheldText(title, name)], sound: 'done' };
    case 'unlent': {
      if (entry.swap) return { head: t.undone, lines: [t.unlentText(title, name), t.swapBack], sound: 'done' };
      const place = whereTo(entry, speech);
      return { ...place, lines: [t.unlentText(title, name), entry.fulfilled ? t.unlentHold(name) : '', ...place.lines] };
    }
    case 'relent':
      return { head: dueAt === undefined ? t.lent : (entry.late ? t.stillLate : t.lentUntil)(date(dueAt)), lines: [t.relentText(title, name)], sound: 'done' };
    case 'already':
      return { head: t.already, lines: [t.alreadyText(title, name)], sound: 'bad' };
    case 'twice':
      return { head: t.twice, lines: [t.twiceText(title)], sound: 'bad' };
    case 'unknown':
      return { head: t.unknown, lines: [t.unknownText(text)], sound: 'bad' };
    case 'open':
      return { head: t.logKinds.open, lines: [t.openText(text)], sound: 'bad' };
    case 'stuck':
      return { head: t.stuck, lines: [stuckText(entry, speech)], sound: 'bad' };
    case 'refused':
      if (code === 'none_free') return { head: t.noneFree, lines: [t.noneFreeText(title)], sound: 'act' };
      if (code === 'claimed') return { head: t.claimed, lines: [refusalText(entry, speech)], sound: 'act' };
      if (code === 'copy_on_loan' && entry.offers) return { head: t.whose, lines: [refusalText(entry, speech)], sound: 'act' };
      return { head: entry.title === undefined || holdCodes.has(code ?? '') ? t.notDone : entry.code === 'not_open' || entry.loan ? t.notReturned : t.notLent, lines: [refusalText(entry, speech)], sound: 'bad' };
  }
}

/** A shelf by its name, which may say what it is: “shelf B 12”, “Reading room”. */
export function place(shelf: string, named: (shelf: string) => string): string {
  return /shel[fv]|regal|room|raum|schrank/i.test(shelf) ? shelf : named(shelf);
}

/** Where a copy that is here belongs. */
function whereTo({ aside, state, shelf }: Entry, { t, date }: Speech): Words {
  if (aside) return { head: aside.until === undefined ? t.aside(aside.name) : t.asideUntil(aside.name, date(aside.until)), lines: [], sound: 'act' };
  if (state === 'damaged') return { head: t.damaged, lines: [t.damagedText], sound: 'act' };
  if (state === 'lost') return { head: t.lost, lines: [t.lostText], sound: 'act' };
  if (state === 'missing') return { head: t.missing, lines: [t.missingText], sound: 'act' };
  return { head: shelf === undefined ? t.back : t.backTo(place(shelf, t.shelf)), lines: [state === 'reference' ? t.reference : ''], sound: 'done' };
}

/** Refusals of a reservation. */
const holdCodes = new Set(['available', 'already_held', 'hold_limit']);

/** Why something was refused, and what to do. */
function refusalText(entry: Entry, { t, date, explain }: Speech): string {
  const { code, title = '', name = '', state, aside, problem } = entry;
  switch (code) {
    case 'reserved':
      return aside ? t.refused.reservedFor(title, aside.name) : t.refused.reserved(title);
    case 'not_lendable':
      return state && state !== 'lendable' ? t.refused[`not_lendable_${state}`](title) : t.refused.not_lendable(title);
    case 'off':
      return t.off(name);
    case 'loan_limit':
    case 'has_overdue':
    case 'blocked':
      return t.refused[code](name);
    case 'has_it':
      return t.refused.has_it(title, name);
    case 'already_borrowed':
    case 'not_open':
    case 'available':
    case 'other_book':
      return t.refused[code](title);
    case 'already_held':
    case 'hold_limit':
      return t.refused[code](title, name);
    case 'claimed':
      return entry.claimedAt ? t.claimedText(title, name, date(entry.claimedAt)) : explain(entry);
    case 'none_free':
      return t.noneFreeText(title);
    case 'copy_on_loan':
      return t.refused.copy_on_loan(title, entry.offers?.find((o) => o.do === 'return' && !o.exchange)?.name ?? '');
  }
  return problem === 'missing' ? t.refused.gone : explain(entry);
}

/** Why something cannot be undone. */
function stuckText(entry: Entry, speech: Speech): string {
  const { t } = speech;
  const { code, title = '' } = entry;
  if (code === 'late') return t.stuckLate;
  if (code === 'not_open') return t.stuckReturned(title);
  return refusalText(entry, speech);
}

/** An entry in a line of the list. */
export function logWords(entry: Entry, speech: Speech): string {
  const { t, date } = speech;
  const { kind, name = '', dueAt, aside } = entry;
  switch (kind) {
    case 'reader':
      return '';
    case 'lent':
      return dueAt === undefined ? t.logKinds.lentOpen(name) : t.logKinds.lent(name, date(dueAt));
    case 'relent':
      return dueAt === undefined ? t.logKinds.lentOpen(name) : t.logKinds.relent(name, date(dueAt));
    case 'returned':
      return [t.logKinds.returned(name), aside && whereTo(entry, speech).head].filter(Boolean).join(' · ');
    case 'unlent':
      return t.logKinds.unlent(name);
    case 'held':
      return t.held(name);
    case 'unheld':
      return t.logKinds.unheld(name);
    case 'refused':
      return refusalText(entry, speech);
    case 'stuck':
      return stuckText(entry, speech);
    case 'free':
      if (entry.offers) return t.nobodyHas;
      return aside ? whereTo(entry, speech).head : entry.missingSince ? t.wasMissing(date(entry.missingSince)) : t.logKinds.free;
    default:
      return t.logKinds[kind];
  }
}
