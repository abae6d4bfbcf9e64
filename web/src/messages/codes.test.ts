import { beforeAll, describe, expect, test, vi } from 'vitest';
import file from '../../../api/openapi.yaml?raw';
import type { ImportResult } from '../lib/api/api';
import { detailText, rowText } from '../lib/text/details';
import { explain } from '../lib/text/explain';
import { i18n } from '../lib/text/i18n.svelte';
import { problemOf, type Detail } from '../lib/api/problem';
import { staff } from '../lib/text/staff.svelte';

/** A code of the contract file: the status under which it is listed, and whether only a row of an import has it. */
interface Code {
  code: string;
  status: number;
  inRow: boolean;
}

const contract = file.split('\n');

/** The values of a schema that is an enumeration. */
function enumeration(schema: string): Code[] {
  const lines = contract.slice(contract.indexOf(`    ${schema}:`) + 1);
  const codes: Code[] = [];
  let status = 0;
  let rows = 0; // of which a comment speaks
  for (const line of lines.slice(lines.indexOf('      enum:') + 1)) {
    const [, heading, code, comment = ''] = /^ {8}(?:# (\d+)|- (\w+)(?: # (.*))?)$/.exec(line) ?? [];
    if (heading) status = Number(heading);
    else if (!code) break;
    else {
      if (comment.startsWith('in the answer to an import')) rows = comment.includes('as the next six') ? 7 : 1;
      codes.push({ code, status, inRow: rows-- > 0 });
    }
  }
  return codes;
}

const words = 'the words of the server';
const detailCodes = enumeration('DetailCode');
const errorCodes = enumeration('ErrorCode');

test('the contract file is read', () => {
  expect(detailCodes.map((c) => c.code)).toContain('too_long');
  expect(errorCodes).toContainEqual({ code: 'user_has_books', status: 409, inRow: false });
  expect(errorCodes.filter((c) => c.inRow).map((c) => c.code)).toEqual([
    'card_cut_short', 'not_yes_or_no', 'required',
    'cell_count', 'copies_number', 'isbn_cut_short', 'not_utf8', 'quote_inside', 'quote_open', 'row_too_long', 'record_broken', 'record_too_long', 'ambiguous_book', 'ambiguous_user', 'book_differs', 'user_differs',
  ]);
});

describe.each(['en', 'de'] as const)('in the language %s', (language) => {
  beforeAll(async () => {
    vi.stubGlobal('document', { documentElement: {} });
    await staff.load(language);
    await i18n.use(language);
  });

  test.each(detailCodes)('the detail $code has a text', ({ code }) => {
    const text = detailText({ field: 'title', code, limit: 7, message: words } as Detail, staff.t, String);
    expect(text).not.toContain(words);
    expect(text).not.toContain('#');
  });

  test.each(errorCodes)('$status $code has a text', ({ code, status, inRow }) => {
    const outcome = code.endsWith('_differs') ? 'differs' : 'invalid';
    const text = inRow
      ? rowText({ outcome, code, message: words } as ImportResult, staff.t, String)
      : explain(problemOf(status, { code, message: words }));
    expect(text).not.toBe('');
    expect(text).not.toContain(words);
  });

  test('a code that is not known here is shown in the words of the server', () => {
    for (const status of [400, 409]) expect(explain(problemOf(status, { code: 'new_rule', message: words }))).toBe(words);
  });
});
