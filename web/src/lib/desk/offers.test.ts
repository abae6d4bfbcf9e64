import { describe, expect, test } from 'vitest';
import type { Copy, Item, Reader } from './desk';
import { byEnter, undoable, type Entry, type Offer } from './entry';
import { attempts, bruce, copy, due, entry, hold, Library, loan, run, selina } from './testlibrary';
import { Problem } from '../api/problem';

const lent = (id: string, reader: Reader): Copy => copy(id, { barcode: id, loan: { ...loan(reader, id), copy: { identifier: id, barcode: id } } });
/** Accepts an offer that the desk has made for what was scanned before. */
async function accept(library: Library, text: string, which: number, reader?: Reader): Promise<{ made: Entry; result: Awaited<ReturnType<typeof run>> }> {
  const { entry: draft } = await run(library, text, { reader });
  const made = { id: 3, at: 90_000, ...draft } as Entry;
  const item = { do: 'accept', entry: 3, offer: made.offers?.[which] as Offer } as Partial<Item>;
  return { made, result: await run(library, item, { reader, entries: [made] }) };
}

describe('a copy that nobody has by the records', () => {
  test('offers the loans of the other copies, the oldest first', async () => {
    const older = lent('b', selina);
    if (older.loan) older.loan.borrowedAt = '2026-11-01T10:00:00Z';
    const { entry: made } = await run(new Library([copy('a'), lent('c', bruce), older]), 'a');
    expect(made).toMatchObject({ kind: 'free', offers: [{ do: 'return', loan: 'loan of b', barcode: 'b', name: 'Selina Kyle' }, { do: 'return', loan: 'loan of c', name: 'Bruce Wayne' }] });
  });
  test('ends the loan that is chosen, and says that it was of another copy', async () => {
    const library = new Library([copy('a', { shelf: 'B 12' }), lent('b', selina)]);
    const { result } = await accept(library, 'a', 0);
    expect(result).toMatchObject({ settled: 3, entry: { kind: 'returned', copy: 'a', shelf: 'B 12', name: 'Selina Kyle', swap: { loan: 'loan of b', copy: 'b' } } });
    expect(library.done).toEqual(['return loan of b as a']);
  });
  test('says why a loan cannot end with it', async () => {
    const library = new Library([copy('a'), lent('b', selina)]);
    library.refuses = new Problem('conflict', 'not_open');
    expect((await accept(library, 'a', 0)).result).toMatchObject({ settled: 3, entry: { kind: 'refused', code: 'not_open', loan: 'loan of b' } });
  });
  test('is offered to the reader at the desk who has another one', async () => {
    const library = new Library([copy('a'), lent('b', selina)]);
    library.refuses = new Problem('conflict', 'has_it');
    const { entry: made } = await run(library, 'a', { reader: selina });
    expect(made).toMatchObject({ kind: 'refused', code: 'has_it', offers: [{ do: 'return', loan: 'loan of b' }] });
  });
  test('is not returned twice if the answer was lost', async () => {
    const library = new Library([copy('a'), lent('b', selina)]);
    const { entry: made } = await run(library, 'a');
    library.refuses = new Problem('unreachable');
    const item = { do: 'accept', entry: 3, offer: made?.offers?.[0] } as Partial<Item>;
    const now = { entries: [{ id: 3, at: 90_000, ...made } as Entry] };
    await expect(run(library, item, now)).rejects.toMatchObject({ kind: 'unreachable' });
    const [attempt] = attempts;
    library.all = [copy('a'), copy('b')];
    expect(await run(library, { ...item, attempt } as Partial<Item>, now)).toMatchObject({ settled: 3, entry: { kind: 'returned', name: 'Selina Kyle' } });
    expect(library.done).toEqual(['return loan of b as a']);
  });
});

describe('a copy that somebody else has by the records', () => {
  test('is lent all the same if another one is free: the other loan moves', async () => {
    const library = new Library([lent('a', selina), copy('b')]);
    const { made, result } = await accept(library, 'a', 0, bruce);
    expect(made).toMatchObject({ kind: 'refused', code: 'copy_on_loan', offers: [{ do: 'lend', name: 'Bruce Wayne' }, { do: 'return', name: 'Selina Kyle' }] });
    expect(result.entry).toMatchObject({ kind: 'lent', name: 'Bruce Wayne', dueAt: due, swap: { loan: 'loan of a', copy: 'a' } });
    expect(library.done).toEqual(['swap and lend a to bruce']);
  });
  test('can be taken back instead', async () => {
    const library = new Library([lent('a', selina), copy('b')]);
    expect((await accept(library, 'a', 1, bruce)).result.entry).toMatchObject({ kind: 'returned', name: 'Selina Kyle', swap: undefined });
    expect(library.done).toEqual(['return loan of a']);
  });
  test('comes back from a reader who has another one: the two loans exchange their copies', async () => {
    const library = new Library([lent('a', selina), lent('b', bruce)]);
    const { result } = await accept(library, 'a', 0, bruce);
    expect(result.entry).toMatchObject({ kind: 'returned', copy: 'a', name: 'Bruce Wayne', swap: { loan: 'loan of b', copy: 'b' } });
    expect(library.done).toEqual(['move loan of b to a', 'return loan of b']);
  });
});

describe('a book of which no copy is free', () => {
  test('is reserved for the reader at the desk', async () => {
    const library = new Library([lent('a', selina)]);
    const { entry: made } = await run(library, { do: 'pick', choice: { do: 'book', book: library.book }, text: 'dracula book' } as Partial<Item>, { reader: bruce });
    expect(made).toMatchObject({ kind: 'refused', code: 'none_free', offers: [{ do: 'hold', user: 'bruce' }, { do: 'return', name: 'Selina Kyle' }] });
    const item = { do: 'accept', entry: 3, offer: made?.offers?.[0] } as Partial<Item>;
    expect(await run(library, item, { reader: bruce, entries: [{ id: 3, at: 90_000, ...made } as Entry] })).toMatchObject({ settled: 3, entry: { kind: 'held', hold: 'hold', place: 2, name: 'Bruce Wayne' } });
    expect(library.done).toEqual(['reserve for bruce']);
  });
  test('is reserved after a copy that is set aside was refused', async () => {
    const library = new Library([copy('a', { hold: hold(selina) })]);
    library.refuses = new Problem('conflict', 'reserved');
    expect((await run(library, 'a', { reader: bruce })).entry).toMatchObject({ code: 'reserved', offers: [{ do: 'hold', user: 'bruce' }] });
  });
});

describe('undoing', () => {
  const undo = { do: 'undo' } as Partial<Item>;
  const swap = { loan: 'loan of b', copy: 'b' };
  test('a return with another copy gives the loan its copy again', async () => {
    const library = new Library([copy('a'), copy('b')]);
    expect(await run(library, undo, { entries: [entry({ kind: 'returned', loan: 'loan of a', swap })] })).toMatchObject({ undone: 7, entry: { kind: 'relent', copy: 'b' } });
    expect(library.done).toEqual(['reopen loan of a', 'move loan of a to b']);
  });
  test('a loan that has moved another gives that one its copy again', async () => {
    const library = new Library([lent('a', bruce), lent('b', selina)]);
    expect(await run(library, undo, { entries: [entry({ swap: { loan: 'loan of b', copy: 'a' } })] })).toMatchObject({ undone: 7, entry: { kind: 'unlent' } });
    expect(library.done).toEqual(['move loan of b to a', 'return loan of a']);
  });
  test('a reservation ends it', async () => {
    const library = new Library([lent('a', selina)]);
    const held = entry({ kind: 'held', hold: 'hold', loan: undefined });
    expect(undoable(held, 100_000)).toBe(true);
    expect(await run(library, undo, { entries: [held] })).toMatchObject({ undone: 7, entry: { kind: 'unheld' } });
    expect(library.done).toEqual(['unreserve hold']);
  });
});

test('Enter takes an offer only where there is no doubt', () => {
  const back: Offer = { do: 'return', name: 'Selina' };
  expect([byEnter(back), byEnter(back, back), byEnter({ do: 'lend', name: 'Bruce' }, back), byEnter({ ...back, exchange: true }, back)]).toEqual([true, false, true, true]);
});
