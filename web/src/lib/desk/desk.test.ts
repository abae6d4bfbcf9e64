import { describe, expect, test } from 'vitest';
import { asCode, type Attempt, type Copy, type Item, type Reader } from './desk';
import { undoable, undoTime } from './entry';
import { attempts, bruce, copy, dracula, due, entry, hold, Library, loan, run, selina } from './testlibrary';
import { Problem } from '../api/problem';

describe('a card', () => {
  test('chooses the reader', async () => expect(await run(new Library([]), 'R2')).toMatchObject({ reader: selina, entry: { kind: 'reader', name: 'Selina Kyle' } }));
  test('takes the place of the reader before', async () => expect((await run(new Library([]), 'R2', { reader: bruce })).reader).toBe(selina));
});

describe('somebody who is switched off', () => {
  const off: Reader = { ...bruce, active: false };
  test('is greeted with that', async () => {
    const library = new Library([]);
    library.found = { readers: [off], books: [] };
    expect(await run(library, 'bruce')).toMatchObject({ reader: off, entry: { kind: 'reader', off: true } });
  });
  test('gets nothing lent, and the library is not asked', async () => {
    const library = new Library([copy('a')]);
    expect((await run(library, 'a', { reader: off })).entry).toMatchObject({ kind: 'refused', code: 'off', name: 'Bruce Wayne' });
    expect(library.done).toEqual([]);
  });
  test('can give back', async () => {
    const library = new Library([copy('a', { loan: loan(bruce, 'a') })]);
    expect((await run(library, 'a', { reader: off })).entry).toMatchObject({ kind: 'returned' });
  });
});

describe('a copy that nobody has', () => {
  test('is lent to the reader', async () => {
    const library = new Library([copy('a', { shelf: 'B 12' })]);
    expect((await run(library, 'a', { reader: bruce })).entry).toMatchObject({ kind: 'lent', name: 'Bruce Wayne', dueAt: due, shelf: 'B 12', loan: 'loan of a' });
    expect(library.done).toEqual(['lend a to bruce']);
  });
  test('is not lent to nobody, but has its place named', async () => {
    const library = new Library([copy('a', { shelf: 'B 12' })]);
    expect((await run(library, 'a')).entry).toMatchObject({ kind: 'free', shelf: 'B 12' });
    expect(library.done).toEqual([]);
  });
  test('that is set aside says for whom, without a reader', async () => {
    expect((await run(new Library([copy('a', { hold: hold(selina) })]), 'a')).entry).toMatchObject({ kind: 'free', aside: { name: 'Selina Kyle', until: due } });
  });
  test('that is set aside for the reader is lent, and the reservation used', async () => {
    expect((await run(new Library([copy('a', { hold: hold(bruce) })]), 'a', { reader: bruce })).entry).toMatchObject({ kind: 'lent', fulfilled: true });
  });
  test.each(['reserved', 'loan_limit', 'has_overdue', 'not_lendable'])('is refused with %s', async (code) => {
    const library = new Library([copy('a', { state: 'reference', hold: hold(selina) })]);
    library.refuses = new Problem('conflict', code);
    expect((await run(library, 'a', { reader: bruce })).entry).toMatchObject({ kind: 'refused', code, name: 'Bruce Wayne', title: 'Dracula', state: 'reference', aside: { name: 'Selina Kyle' } });
  });
});

describe('a missing copy', () => {
  const missing = () => new Library([copy('a', { state: 'missing', missingSince: due, shelf: 'B 12' })]);
  test('is found by its scan', async () => expect((await run(missing(), 'a')).entry).toMatchObject({ kind: 'free', state: 'lendable', missingSince: due }));
  test('is lent', async () => expect((await run(missing(), 'a', { reader: bruce })).entry).toMatchObject({ kind: 'lent', missingSince: due }));
  test('is not in the hand of somebody who types the ISBN', async () => expect((await run(missing(), 'isbn')).entry).toMatchObject({ kind: 'free', state: 'missing' }));
});

describe('a copy that is said to be back', () => {
  const claimed = () => new Library([copy('a', { loan: { ...loan(bruce, 'a'), claimedAt: due } })]);
  const asked = entry({ kind: 'refused', code: 'claimed', offers: [{ do: 'return', loan: 'loan of a', copy: 'a', name: 'Bruce Wayne', claimedAt: due }, { do: 'return', loan: 'loan of a', copy: 'a', name: 'Bruce Wayne' }] });
  test.each([undefined, selina])('is not returned before somebody says when', async (reader) => {
    const library = claimed();
    expect((await run(library, 'a', { reader })).entry).toMatchObject({ kind: 'refused', code: 'claimed', claimedAt: due, offers: [{ claimedAt: due }, { do: 'return' }] });
    expect(library.done).toEqual([]);
  });
  test.each([[0, 'return loan of a as claimed', due], [1, 'return loan of a', undefined]] as const)('ends as chosen', async (at, done, claimedAt) => {
    const library = claimed();
    const { entry: made } = await run(library, { do: 'accept', entry: 7, offer: asked.offers![at] } as Partial<Item>, { entries: [asked] });
    expect(made).toMatchObject({ kind: 'returned', claimedAt });
    expect(library.done).toEqual([done]);
  });
});

describe('a reader who has another copy', () => {
  test.each([['lendable', 'has_it'], ['reference', 'not_lendable'], ['damaged', 'not_lendable']] as const)('explains a %s one: %s', async (state, code) => {
    const library = new Library([copy('a', { state })]);
    library.refuses = new Problem('conflict', 'has_it');
    expect((await run(library, 'a', { reader: bruce })).entry).toMatchObject({ kind: 'refused', code, state });
  });
});

describe('a copy that is lent', () => {
  test('is returned', async () => {
    const library = new Library([copy('a', { loan: loan(bruce, 'a', true), shelf: 'B 12' })]);
    expect((await run(library, 'a')).entry).toMatchObject({ kind: 'returned', name: 'Bruce Wayne', late: true, shelf: 'B 12' });
    expect(library.done).toEqual(['return loan of a']);
  });
  test('is returned if the reader at the desk has it', async () => {
    expect((await run(new Library([copy('a', { loan: loan(bruce, 'a') })]), 'a', { reader: bruce })).entry).toMatchObject({ kind: 'returned', offer: undefined });
  });
  test('by somebody else is returned and offered to the reader at the desk', async () => {
    const library = new Library([copy('a', { loan: loan(selina, 'a') })]);
    expect((await run(library, 'a', { reader: bruce })).entry).toMatchObject({ kind: 'returned', name: 'Selina Kyle', offer: 'Bruce Wayne' });
    expect(library.done).toEqual(['return loan of a']);
  });
  test('for which somebody waits is set aside', async () => {
    const library = new Library([copy('a', { loan: loan(bruce, 'a') })]);
    library.next = selina;
    expect((await run(library, 'a')).entry).toMatchObject({ kind: 'returned', aside: { name: 'Selina Kyle', until: due } });
  });
  test('to this reader during this visit stays lent', async () => {
    const library = new Library([copy('a', { loan: loan(bruce, 'a') })]);
    const now = { reader: bruce, entries: [entry({ at: 60_100 })], since: 50_000 };
    expect((await run(library, 'a', now)).entry).toMatchObject({ kind: 'already', name: 'Bruce Wayne' });
    expect(library.done).toEqual([]);
  });
  test('to this reader on another visit is returned', async () => {
    const now = { reader: bruce, entries: [entry({ at: 60_100 })], since: 70_000 };
    expect((await run(new Library([copy('a', { loan: loan(bruce, 'a') })]), 'a', now)).entry).toMatchObject({ kind: 'returned' });
  });
});

describe('a label that is read twice at once', () => {
  test('is not lent and returned', async () => {
    const library = new Library([copy('a', { loan: loan(bruce, 'a') })]);
    expect((await run(library, 'a', { entries: [entry({})], before: { text: 'a', at: 98_500 } })).entry).toMatchObject({ kind: 'twice' });
    expect(library.done).toEqual([]);
  });
  test('is not returned and lent', async () => {
    const library = new Library([copy('a')]);
    expect((await run(library, 'a', { reader: bruce, entries: [entry({ kind: 'returned' })], before: { text: 'a', at: 99_000 } })).entry).toMatchObject({ kind: 'twice' });
  });
  test('counts if something else came between', async () => {
    expect((await run(new Library([copy('a')]), 'a', { reader: bruce, entries: [entry({ kind: 'returned' })] })).entry).toMatchObject({ kind: 'lent' });
  });
  test('counts again a moment later', async () => {
    expect((await run(new Library([copy('a')]), 'a', { reader: bruce, entries: [entry({ kind: 'returned' })], before: { text: 'a', at: 97_000 } })).entry).toMatchObject({ kind: 'lent' });
  });
});

describe('an ISBN', () => {
  const lent = (id: string, reader: Reader): Copy => copy(id, { loan: loan(reader, id) });
  test.each<[string, Copy[], Reader | undefined, string[]]>([
    ['the only copy is lent to the reader', [copy('a')], bruce, ['lend a to bruce']],
    ['the only copy comes back', [lent('a', selina)], undefined, ['return loan of a']],
    ['any of copies that look the same', [copy('a'), copy('b')], bruce, ['lend any to bruce']],
    ['the only free copy, although others have labels', [copy('a', { barcode: '1' }), lent('b', selina)], bruce, ['lend a to bruce']],
    ['the copy that is set aside for the reader', [copy('a', { barcode: '1' }), copy('b', { hold: hold(bruce) })], bruce, ['lend b to bruce']],
    ['the reader’s own comes back', [lent('a', selina), lent('b', bruce)], bruce, ['return loan of b']],
    ['the only lent one comes back if none is here', [lent('a', selina), copy('b', { state: 'lost' })], undefined, ['return loan of a']],
    ['none is free: the book must be the lent one', [lent('a', selina), copy('b', { hold: hold(selina) })], bruce, ['return loan of a']],
    ['nothing to lend: the library says why', [copy('a', { state: 'lost' }), copy('b', { state: 'reference' })], bruce, ['lend any to bruce']],
  ])('%s', async (_, copies, reader, want) => {
    const library = new Library(copies);
    await run(library, 'isbn', { reader });
    expect(library.done).toEqual(want);
  });
  test.each<[string, Copy[], Reader | undefined, unknown[]]>([
    ['which copy is lent', [copy('a', { barcode: '1' }), copy('b')], bruce, [{ do: 'lend', copy: { identifier: 'a' } }, { do: 'lend', copy: { identifier: 'b' } }]],
    ['who brings it back', [lent('a', selina), lent('b', bruce)], undefined, [{ do: 'return', copy: { identifier: 'a' } }, { do: 'return', copy: { identifier: 'b' } }]],
    ['whether it comes back at all', [lent('a', selina), copy('b')], undefined, [{ do: 'return', copy: { identifier: 'a' } }]],
  ])('leaves open %s', async (_, copies, reader, want) => {
    const library = new Library(copies);
    const { choices } = await run(library, 'isbn', { reader });
    expect(choices).toMatchObject(want);
    expect(library.done).toEqual([]);
    const [choice] = choices ?? [];
    await run(library, { do: 'pick', choice, text: 'isbn' } as Partial<Item>, { reader });
    expect(library.done).toEqual([reader ? 'lend a to bruce' : 'return loan of a']);
  });
  test('without a copy in the house says so', async () => expect((await run(new Library([]), 'isbn')).entry).toMatchObject({ kind: 'free', title: 'Dracula' }));
});

describe('what is no code', () => {
  test('finds readers and books', async () => {
    const library = new Library([]);
    library.found = { readers: [bruce, selina], books: [dracula] };
    expect((await run(library, 'some words')).choices).toMatchObject([{ do: 'reader' }, { do: 'reader' }, { do: 'book' }]);
  });
  test('chooses the only reader at once, but no book', async () => {
    const library = new Library([]);
    library.found = { readers: [selina], books: [] };
    expect((await run(library, 'kyle')).reader).toBe(selina);
    library.found = { readers: [], books: [dracula] };
    expect((await run(library, 'drac', { reader: bruce })).choices).toMatchObject([{ do: 'book' }]);
    expect(library.done).toEqual([]);
  });
  test('may be unknown', async () => expect((await run(new Library([]), '4711')).entry).toEqual({ kind: 'unknown', text: '4711' }));
  test.each([
    ['R0001', 'R0001'], ['978-0-14-143947-1', '9780141439471'], ['978 0141439471', '9780141439471'], ['0-8044-2957-x', '080442957X'], ['LIB-0042', 'LIB-0042'],
    ['Bruce Wayne', ''], ['Brontë', ''], ['a/b', ''], ['a..b', ''], ['100%', ''], ['.', ''], ['x'.repeat(41), ''], ['a\\b', 'a\\b'],
  ])('%j is the code %j', (text, want) => expect(asCode(text)).toBe(want));
});

describe('undoing', () => {
  const undo = { do: 'undo' } as Partial<Item>;
  test('a loan returns it, and says for whom it is set aside now', async () => {
    const library = new Library([copy('a', { loan: loan(bruce, 'a') })]);
    library.next = selina;
    expect(await run(library, undo, { entries: [entry({})] })).toMatchObject({ undone: 7, entry: { kind: 'unlent', aside: { name: 'Selina Kyle' } } });
    expect(library.done).toEqual(['return loan of a']);
  });
  test('a return opens the same loan again, as it was', async () => {
    const library = new Library([copy('a')]);
    expect(await run(library, undo, { entries: [entry({ kind: 'returned' })] })).toMatchObject({ undone: 7, entry: { kind: 'relent', name: 'Bruce Wayne', dueAt: due } });
    expect(library.done).toEqual(['reopen loan of a']);
  });
  test('a return says why it cannot be any more', async () => {
    const library = new Library([copy('a')]);
    library.refuses = new Problem('conflict', 'too_late');
    expect(await run(library, undo, { entries: [entry({ kind: 'returned' })] })).toEqual({ entry: expect.objectContaining({ kind: 'stuck', code: 'too_late' }) });
  });
  test('a return is not undone twice if the answer was lost', async () => {
    const library = new Library([copy('a', { loan: loan(bruce, 'a') })]);
    const attempt: Attempt = { do: 'reopen', kind: 'relent', loan: 'loan of a', entry: {} };
    expect(await run(library, { ...undo, attempt } as Partial<Item>, { entries: [entry({ kind: 'returned' })] })).toMatchObject({ undone: 7, entry: { kind: 'relent', dueAt: due } });
    expect(library.done).toEqual([]);
  });
  test('takes the newest that can be', async () => {
    const library = new Library([]);
    const entries = [entry({ id: 9, kind: 'unknown' }), entry({ id: 8, undone: true }), entry({ id: 7, copy: 'b', loan: 'loan of b' })];
    expect((await run(library, undo, { entries })).undone).toBe(7);
  });
  test('is over after a minute, or when others went on', async () => {
    const library = new Library([]);
    for (const old of [entry({ at: 100_000 - undoTime }), entry({ since: 'returned' }), entry({ over: true })]) {
      expect((await run(library, { do: 'undo', entry: 7 }, { entries: [old] })).entry).toMatchObject({ kind: 'stuck', code: 'late' });
    }
    expect(library.done).toEqual([]);
    expect(undoable(entry({ at: 100_001 - undoTime }), 100_000)).toBe(true);
  });
});

describe('a request without an answer', () => {
  test('is not made twice if the loan has arrived', async () => {
    const library = new Library([copy('a')]);
    library.refuses = new Problem('unreachable');
    await expect(run(library, 'a', { reader: bruce })).rejects.toMatchObject({ kind: 'unreachable' });
    const [attempt] = attempts;
    library.all = [copy('a', { loan: loan(bruce, 'a') })];
    library.refuses = undefined;
    const item = { do: 'scan', text: 'a', attempt } as Partial<Item>;
    expect((await run(library, item, { reader: bruce })).entry).toMatchObject({ kind: 'lent', dueAt: due });
    expect(library.done).toEqual(['lend a to bruce']);
    library.all = [copy('a')];
    expect((await run(library, item, { reader: bruce })).entry).toMatchObject({ kind: 'lent' });
    expect(library.done).toEqual(['lend a to bruce', 'lend a to bruce']);
  });
  test('is not made twice if the return has arrived', async () => {
    const library = new Library([copy('a', { loan: loan(bruce, 'a') })]);
    library.refuses = new Problem('busy');
    await expect(run(library, 'a')).rejects.toMatchObject({ kind: 'busy' });
    const [attempt] = attempts;
    library.all = [copy('a', { hold: hold(selina) })];
    library.refuses = undefined;
    expect((await run(library, { do: 'scan', text: 'a', attempt } as Partial<Item>)).entry).toMatchObject({ kind: 'returned', name: 'Bruce Wayne', aside: { name: 'Selina Kyle' } });
    expect(library.done).toEqual(['return loan of a']);
  });
});
