import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { User } from '../api/api';
import { problemOf } from '../api/problem';

const ask = vi.fn();
vi.mock('../session/session.svelte', () => ({ session: { api: { ask } } }));

const { switchPerson, untiePerson } = await import('./switching');
const { confirmDialog } = await import('../shell/dialog.svelte');
const { staff } = await import('../text/staff.svelte');
const { toasts } = await import('../shell/toasts.svelte');

const bruce: User = { identifier: 'u1', firstName: 'Bruce', lastName: 'Banner', email: 'b@example.com', locale: 'de', reminders: false, group: '8b', active: true, station: false, bound: false };

beforeAll(() => staff.load('en'));
beforeEach(() => {
  toasts.clear();
  ask.mockReset();
  ask.mockImplementation((method: string) => Promise.resolve(method === 'get' ? { data: bruce, response: new Response(null, { headers: { ETag: '"7"' } }) } : {}));
});

test('who is deactivated keeps everything else, and it can be undone', async () => {
  const changed = vi.fn();
  await switchPerson(bruce, false, changed);
  expect(ask).toHaveBeenLastCalledWith('put', '/users/{id}', expect.objectContaining({ header: { 'If-Match': '"7"' }, body: { ...bruce, active: false } }));
  expect(toasts.all.map(({ text }) => text)).toEqual(['Bruce Banner was deactivated.']);
  toasts.all[0]?.action?.run();
  await vi.waitFor(() => expect(changed.mock.calls).toEqual([[false], [true]]));
  expect(toasts.all.map(({ text }) => text)).toEqual(['Bruce Banner was reactivated.']);
});

test.each([
  ['self', 'You cannot deactivate yourself.'],
  ['last_admin', 'This is the only admin. Give the role to somebody else first.'],
])('a refusal %s is explained, and nothing has changed', async (code, text) => {
  const changed = vi.fn();
  ask.mockImplementation((method: string) => (method === 'get' ? Promise.resolve({ data: bruce, response: new Response() }) : Promise.reject(problemOf(409, { code, message: 'no' }))));
  await switchPerson(bruce, false, changed);
  expect(toasts.all).toMatchObject([{ text, bad: true }]);
  expect(changed).not.toHaveBeenCalled();
});

test.each([true, false])('untying asks first; the answer is %s', async (sure) => {
  const changed = vi.fn();
  const done = untiePerson(bruce, changed);
  expect(confirmDialog.question?.title).toBe('Untie Bruce Banner from the account?');
  confirmDialog.answer(sure);
  await done;
  expect(ask.mock.calls).toEqual(sure ? [['delete', '/users/{id}/subject', { path: { id: 'u1' } }]] : []);
  expect(changed).toHaveBeenCalledTimes(sure ? 1 : 0);
});
