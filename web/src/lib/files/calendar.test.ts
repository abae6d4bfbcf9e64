import { expect, test } from 'vitest';
import { calendarOf } from './calendar';

const now = Date.parse('2026-11-15T16:00:00.123Z');
const of = (text: string, day = '2026-12-12'): string => calendarOf([{ id: 'a', day, text }], now);

test('a loan is an event of a whole day, with a reminder on the day before', () => {
  expect(of('Return “Homo faber”').split('\r\n')).toEqual([
    'BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Library//Loans//EN', 'METHOD:PUBLISH',
    'BEGIN:VEVENT', 'UID:a@library', 'DTSTAMP:20261115T160000Z', 'DTSTART;VALUE=DATE:20261212', 'DTEND;VALUE=DATE:20261213',
    'SUMMARY:Return “Homo faber”', 'TRANSP:TRANSPARENT',
    'BEGIN:VALARM', 'ACTION:DISPLAY', 'DESCRIPTION:Return “Homo faber”', 'TRIGGER:-PT15H', 'END:VALARM',
    'END:VEVENT', 'END:VCALENDAR', '',
  ]);
});

test.each([
  ['2026-12-31', '20270101'],
  ['2028-02-28', '20280229'],
  ['2027-03-27', '20270328'],
])('the event of %s ends before %s', (day, end) => expect(of('x', day)).toContain(`DTEND;VALUE=DATE:${end}\r\n`));

test('what has a meaning in the file is escaped', () => {
  expect(of('A, B; C\\D\nBEGIN:VEVENT')).toContain('SUMMARY:A\\, B\\; C\\\\D BEGIN:VEVENT\r\n');
});

test('no line is longer than 75 bytes, and no character is cut', () => {
  const text = 'ЁЖ☕😀é'.repeat(60);
  const file = of(text);
  for (const line of file.split('\r\n')) expect(new TextEncoder().encode(line).length).toBeLessThanOrEqual(75);
  expect(file.replaceAll('\r\n ', '')).toContain(`SUMMARY:${text}\r\n`);
});
