import type { StaffMessages } from '../../messages/en.staff';
import type { ImportResult } from '../api/api';
import type { Detail } from '../api/problem';

/** What the fields of books, copies and people are called. */
export const fieldLabels = ({ form, lending: { copies }, users }: StaffMessages): Record<string, unknown> => ({ ...form, barcode: copies.barcode, shelf: copies.shelf, active: users.access });

/** What is wrong with a field, in the reader's language. For a code that we do not know, the server's words are shown. */
export function detailText({ field, code, limit, least = 1, message }: Detail, t: StaffMessages, number: (n: number) => string, known: string | undefined = t.details[code]): string {
  const [, name = field, index] = /^(\w+)(?:\[(\d+)\])?$/.exec(field) ?? [];
  const called = fieldLabels(t)[name];
  const label = typeof called === 'string' ? called : name;
  const place = index === undefined ? label : `${label} (${number(Number(index) + 1)})`;
  return `${place} ${known?.replace('*', number(least)).replace('#', limit === undefined ? '' : number(limit)) ?? message}`;
}

/** Why a row of a file was not imported, or differs; '' if neither. */
export function rowText({ outcome, code, message, details = [] }: ImportResult, t: StaffMessages, number: (n: number) => string): string {
  if (outcome !== 'invalid' && outcome !== 'differs') return '';
  const known = t.import.unreadable[code as keyof StaffMessages['import']['unreadable']];
  if (known) return known;
  if (code === 'ambiguous_book' && details.length === 0) return t.import.crowded;
  if (code === 'ambiguous_book' && details.some((d) => d.code === 'candidate')) return t.import.ambiguous;
  if (code === 'barcode_taken') return t.import.taken;
  if (code === 'card_taken') return t.importUsers.taken;
  const elsewhere = (d: Detail): string | undefined => (code === 'user_differs' && d.code === 'differs_from_library' ? t.importUsers.elsewhere : undefined);
  if (details.length > 0) return details.map((d) => detailText(d, t, number, elsewhere(d))).join('; ');
  if (code === 'user_differs') return t.importUsers.differs;
  return outcome === 'differs' ? t.import.differs : (t.codes[code as keyof StaffMessages['codes']] ?? message ?? '');
}

/** A value of a file, short enough for a table: a bad one can have thousands of characters. */
export function brief(value: string): string {
  const letters = [...value.slice(0, 200)];
  return letters.length > 80 ? letters.slice(0, 80).join('') + '…' : value;
}

/** What a row of a file says of copies; '' if nothing. */
export function copiesText({ copies, barcode = [], shelf }: NonNullable<ImportResult['book']>, t: StaffMessages['import'], count: (n: number, forms: StaffMessages['import']['copies']) => string): string {
  const said = [copies === undefined ? '' : count(copies, t.copies), barcode.length === 0 ? '' : t.barcodes(brief(barcode.join(', '))), shelf ? t.shelf(brief(shelf)) : ''];
  return said.filter((words) => words !== '').join(' · ');
}

/** What a row of a file says of a person beside the name; roles are in the words of the page. */
export function personText({ email = '', group = '', card = '', roles = [], active }: NonNullable<ImportResult['user']>, t: StaffMessages, roleName: (role: string) => string): string {
  const said = [email, group, card, roles.map(roleName).join(', '), active === false ? t.users.off : ''];
  return said.filter((words) => words !== '').map(brief).join(' · ');
}
