import { expect, test } from 'vitest';
import de from '../../messages/de.mail';
import en from '../../messages/en.mail';
import { noticesQuery, parseNotices, sayProblem } from './notices';

test.each(['', '?state=failed', '?state=paused&kind=due_soon', '?kind=hold_ready'])('the choice in the address %j is read and written', (search) =>
  expect(noticesQuery(parseNotices(search))).toBe(search));

test('a choice that there is not is none', () => expect(parseNotices('?state=lost&kind=birthday')).toEqual({}));

test.each([
  [{ stage: 'rcpt', code: 550 }, 'The mail server did not accept the reader’s address. Its answer was 550.', 'Der Mailserver hat die Adresse der Person nicht angenommen. Seine Antwort war 550.'],
  [{ stage: 'connect' }, 'The mail server could not be reached.', 'Der Mailserver war nicht erreichbar.'],
  [{ stage: 'tls' }, 'There was no secure connection to the mail server. It gave no answer.', 'Zum Mailserver gab es keine sichere Verbindung. Er hat nicht geantwortet.'],
])('%j is said in words', (problem, english, german) => {
  expect(sayProblem(problem, en)).toBe(english);
  expect(sayProblem(problem, de)).toBe(german);
});
