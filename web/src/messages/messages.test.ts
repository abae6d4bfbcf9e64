import { describe, expect, test } from 'vitest';
import { pickLanguage } from '../lib/text/language';
import de from './de';
import deClass from './de.class';
import deMail from './de.mail';
import deOwn from './de.own';
import deRuleForm from './de.ruleform';
import deRules from './de.rules';
import deScan from './de.scan';
import deStation from './de.station';
import deStock from './de.stock';
import deStaff from './de.staff';
import en from './en';
import enClass from './en.class';
import enMail from './en.mail';
import enOwn from './en.own';
import enRuleForm from './en.ruleform';
import enRules from './en.rules';
import enScan from './en.scan';
import enStation from './en.station';
import enStock from './en.stock';
import enStaff from './en.staff';

/** Every text with its place; a text with gaps is filled, so that the gaps show. */
function flatten(texts: object, path = ''): Map<string, string> {
  const all = new Map<string, string>();
  for (const [key, value] of Object.entries(texts) as [string, unknown][]) {
    const at = path + '.' + key;
    if (typeof value === 'string') all.set(at, value);
    else if (typeof value === 'function') all.set(at, (value as (...a: string[]) => string)('<1>', '<2>'));
    else for (const [k, v] of flatten(value as object, at)) all.set(k, v);
  }
  return all;
}

describe.each([
  ['for everybody', en, de],
  ['of one’s own', enOwn, deOwn],
  ['for the staff', enStaff, deStaff],
  ['of scanning', enScan, deScan],
  ['of a station', enStation, deStation],
  ['of stocktaking', enStock, deStock],
  ['of class sets', enClass, deClass],
  ['about the rules', enRules, deRules],
  ['of the form of the rules', enRuleForm, deRuleForm],
  ['about mails', enMail, deMail],
])('the texts %s', (_, english, german) => {
  const e = flatten(english);
  const d = flatten(german);

  test('are the same in both languages', () => expect([...d.keys()].sort()).toEqual([...e.keys()].sort()));
  test('are all there', () => {
    for (const [at, text] of [...e, ...d]) expect(text.trim(), at).not.toBe('');
  });
  test('have the same gaps', () => {
    const gaps = (text = ''): string[] => (text.match(/<\d>/g) ?? []).sort();
    for (const [at, text] of e) expect(gaps(d.get(at)), at).toEqual(gaps(text));
  });
  test('put the number in wherever they count', () => {
    for (const [at, text] of [...e, ...d]) if (/\.(one|other)$/.test(at) && !at.endsWith('errors.one') && !at.endsWith('timesRenewed.one') && !at.endsWith('kinds.other')) expect(text, at).toContain('#');
  });
  test('use the quotation marks of their language', () => {
    for (const [at, text] of e) expect(text, at).not.toMatch(/["„]/);
    for (const [at, text] of d) expect(text, at).not.toMatch(/["”]/);
  });
});

test('mails are spoken of only in the texts that are loaded where there are some', () => {
  for (const texts of [en, de, enOwn, deOwn, enStaff, deStaff, enRules, deRules, enRuleForm, deRuleForm]) {
    // A refusal is read only by an admin who has asked for a mail.
    for (const [at, text] of flatten(texts)) if (!at.startsWith('.codes.mail_')) expect(text, at).not.toMatch(/\bremind|(?<![Ee]-)\bmails?\b|[Ee]rinner|\bPost\b|E-Mails/);
  }
});

test('German says what a German speaker would say', () => {
  expect([de.nav.loans, deOwn.loans.title, deStaff.form.optional]).toEqual(['Meine Ausleihen', 'Meine Ausleihen', 'optional']);
});

test.each([
  [['de-AT', 'en'], 'de'],
  [['fr', 'de', 'en'], 'de'],
  [['EN-us'], 'en'],
  [['fr'], 'en'],
  [[], 'en'],
])('a browser that prefers %j gets %s', (preferred, want) => expect(pickLanguage(preferred)).toBe(want));
