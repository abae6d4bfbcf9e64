import type { Loan } from '../api/api';
import { dates } from '../dates/dates.svelte';
import { dayOf, daysOverdue } from '../dates/due';
import { whoseName } from './lending';
import { groupOrder } from '../people/groups';
import { spreadsheet } from '../files/csv';
import { i18n } from '../text/i18n.svelte';
import { staff } from '../text/staff.svelte';

export type Order = 'longest' | 'shortest' | 'reader' | 'group' | 'title';
export const orders: readonly Order[] = ['longest', 'shortest', 'reader', 'group', 'title'];

/** Loans in an order that the server does not have; those of one reader or one book stay together. */
export function sorted(loans: readonly Loan[], order: Order, language: string): Loan[] {
  const { compare } = new Intl.Collator(language, { numeric: true });
  const byGroup = groupOrder(language);
  const byName = ({ user: a }: Loan, { user: b }: Loan): number =>
    compare(a?.lastName ?? '', b?.lastName ?? '') || compare(a?.firstName ?? '', b?.firstName ?? '') || compare(a?.identifier ?? '', b?.identifier ?? '');
  const byDate = (a: Loan, b: Loan): number => Date.parse(a.dueAt ?? '') - Date.parse(b.dueAt ?? '');
  const by: Record<Order, (a: Loan, b: Loan) => number> = {
    longest: byDate,
    shortest: (a, b) => byDate(b, a),
    reader: (a, b) => byName(a, b) || byDate(a, b),
    group: (a, b) => byGroup(a.user?.group, b.user?.group) || byName(a, b) || byDate(a, b),
    title: (a, b) => compare(a.book.title, b.book.title) || byDate(a, b),
  };
  return [...loans].sort(by[order]);
}

/** The list as a file for a spreadsheet, with groups if anybody has one. In German its programs expect semicolons. */
export function overdueFile(loans: readonly Loan[]): string {
  const { zone } = dates;
  const t = staff.t.lending.overdue;
  const groups = loans.some((loan) => loan.user?.group);
  const rows = loans.map((loan) => [
    whoseName(loan),
    loan.book.title,
    (loan.book.authors ?? []).join('; '),
    loan.copy?.barcode ?? '',
    dayOf(loan.borrowedAt, zone),
    loan.dueAt ? dayOf(loan.dueAt, zone) : '',
    loan.dueAt ? daysOverdue(loan.dueAt, dates.where) : '',
    loan.renewals,
    ...(groups ? [loan.user?.group ?? ''] : []),
  ]);
  return spreadsheet([groups ? [...t.columns, staff.t.form.group] : t.columns, ...rows], i18n.language === 'de' ? ';' : ',');
}
