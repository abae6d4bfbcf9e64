import type { Book } from '../api/api';
import type { FileWriter } from './bookfile';
import { bibliographic } from './marccodes';
import type { Copy } from '../lending/lending';

/** A field of a record: its tag and indicators, and its subfields or, of a control field, its value. */
interface Field {
  tag: string;
  indicators: string;
  value: string;
  subfields: [code: string, value: string][];
}

const leader = ['nam a22', ' c ']; // a book, in UTF-8, without punctuation at the end of values
const articles = 'the a an der die das ein eine le la les un une el los las'.split(' ');

/** A book as the terminal's `books export` writes it: the two files are the same. */
function fieldsOf(book: Book, copies: readonly Copy[]): Field[] {
  const fields: Field[] = [];
  const control = (tag: string, value: string): void => void fields.push({ tag, indicators: '', value, subfields: [] });
  const data = (tag: string, indicators: string, ...given: [string, string | undefined][]): void => {
    const subfields = given.filter((one): one is [string, string] => Boolean(one[1]));
    if (subfields.length > 0) fields.push({ tag, indicators, value: '', subfields });
  };
  const { authors = [], subjects = [] } = book;
  const year = book.published ? String(book.published).padStart(4, '0') : undefined;
  control('001', book.identifier);
  control('008', `||||||${year ? 's' : 'n'}${year ?? 'uuuu'}    xx ${'|'.repeat(17)}${languageCode(book.language)}||`);
  data('020', '  ', ['a', book.isbn]);
  data('100', '0 ', ['a', authors[0]]);
  data('245', (authors.length > 0 ? '1' : '0') + articleLength(book.title), ['a', book.title], ['b', book.subtitle]);
  data('264', ' 1', ['b', book.publisher], ['c', year]);
  data('490', '0 ', ['a', book.series], ['v', book.volume]);
  data('520', '  ', ['a', book.description]);
  for (const subject of subjects) data('653', '  ', ['a', subject]);
  for (const author of authors.slice(1)) data('700', '0 ', ['a', author]);
  copies
    .filter(({ state }) => state === 'lendable' || state === 'reference')
    .forEach(({ shelf, barcode, state }, i) => {
      const note = state === 'reference' ? 'reference' : undefined;
      const number = shelf || barcode || note ? undefined : String(i + 1); // a field has to have something in it
      data('852', '  ', ['h', shelf], ['p', barcode], ['t', number], ['z', note]);
    });
  return fields;
}

function languageCode(code = ''): string {
  if (code.length === 3) return code;
  const at = ` ${bibliographic}`.indexOf(` ${code}`);
  return code.length === 2 && at >= 0 ? bibliographic.slice(at + 2, at + 5) : 'und';
}

/** How many letters of a title do not count in an order. */
function articleLength(title: string): number {
  const [first = '', ...rest] = title.split(' ');
  return articles.includes(first.toLowerCase()) && rest.join(' ').trim() !== '' ? first.length + 1 : 0;
}

/** A text without what has a meaning in files. */
const plain = (text: string): string => text.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g, '');

const encoder = new TextEncoder();
const digits = (n: number, count: number): string => String(Math.min(n, 10 ** count - 1)).padStart(count, '0');

/** A record of ISO 2709. Lengths count bytes; one that is too long to be said is said to be as long as possible. */
function iso2709(fields: readonly Field[]): string {
  let directory = '';
  let data = '';
  let at = 0;
  for (const { tag, indicators, value, subfields } of fields) {
    const text = indicators + plain(value) + subfields.map(([code, v]) => `\x1f${code}${plain(v)}`).join('') + '\x1e';
    const length = encoder.encode(text).length;
    directory += tag + digits(length, 4) + digits(at, 5);
    data += text;
    at += length;
  }
  const base = 24 + directory.length + 1;
  return `${digits(base + at + 1, 5)}${leader[0]}${digits(base, 5)}${leader[1]}4500${directory}\x1e${data}\x1d`;
}

const signs: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;', '\t': '&#x9;', '\n': '&#xA;', '\r': '&#xD;' };
const escaped = (text: string): string => plain(text).replace(/[\ufffe\uffff]/g, '\ufffd').replace(/[&<>"'\t\n\r]/g, (sign) => signs[sign] ?? sign);

function xml(fields: readonly Field[]): string {
  const text = fields.map(({ tag, indicators, value, subfields }) =>
    indicators === ''
      ? `<controlfield tag="${tag}">${escaped(value)}</controlfield>`
      : `<datafield tag="${tag}" ind1="${indicators[0]}" ind2="${indicators[1]}">${subfields.map(([code, v]) => `<subfield code="${code}">${escaped(v)}</subfield>`).join('')}</datafield>`,
  );
  return `<record><leader>00000${leader[0]}00000${leader[1]}4500</leader>${text.join('')}</record>\n`;
}

export function marcText(books: readonly { book: Book; copies: readonly Copy[] }[], format: 'marc' | 'marcxml'): string {
  return books.map(({ book, copies }) => (format === 'marc' ? iso2709 : xml)(fieldsOf(book, copies))).join('');
}

export function marcWriter(format: 'marc' | 'marcxml'): FileWriter {
  const isXML = format === 'marcxml';
  return {
    start: isXML ? '<?xml version="1.0" encoding="UTF-8"?>\n<collection xmlns="http://www.loc.gov/MARC21/slim">\n' : '',
    text: (books) => marcText(books, format),
    end: isXML ? '</collection>\n' : '',
  };
}
