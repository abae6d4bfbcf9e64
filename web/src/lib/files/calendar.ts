/** Something of a whole day. */
export interface CalendarEvent {
  /** Stays the same from file to file, so that a calendar moves the event instead of adding another one. */
  id: string;
  /** As `2026-12-12`. */
  day: string;
  text: string;
}

const escape = (text: string): string => text.replace(/[\\;,]/g, '\\$&').replace(/\s+/g, ' ');

/** A line has 75 bytes at most; the rest goes on after a space. No character is cut in two. */
function fold(line: string): string {
  const encoder = new TextEncoder();
  let out = '';
  let room = 75;
  for (const character of line) {
    const bytes = encoder.encode(character).length;
    if (bytes > room) {
      out += '\r\n ';
      room = 74;
    }
    out += character;
    room -= bytes;
  }
  return out;
}

const compact = (day: string): string => day.replaceAll('-', '');

function dayAfter(day: string): string {
  return new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
}

/** A calendar file (RFC 5545) with a reminder on the day before each event. */
export function calendarOf(events: readonly CalendarEvent[], now: number): string {
  const stamp = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '');
  const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Library//Loans//EN', 'METHOD:PUBLISH'];
  for (const { id, day, text } of events) {
    lines.push(
      'BEGIN:VEVENT', `UID:${id}@library`, `DTSTAMP:${stamp}`, `DTSTART;VALUE=DATE:${compact(day)}`, `DTEND;VALUE=DATE:${compact(dayAfter(day))}`,
      `SUMMARY:${escape(text)}`, 'TRANSP:TRANSPARENT',
      'BEGIN:VALARM', 'ACTION:DISPLAY', `DESCRIPTION:${escape(text)}`, 'TRIGGER:-PT15H', 'END:VALARM', // nine in the morning of the day before
      'END:VEVENT',
    );
  }
  return [...lines, 'END:VCALENDAR', ''].map(fold).join('\r\n');
}
