import { expect, test } from 'vitest';
import type { Role, User } from '../api/api';
import { missing } from './missing';

const person = (identifier: string, roles: Role[] = ['LIBRARY_USER'], more: Partial<User> = {}): User => ({ identifier, firstName: identifier, lastName: 'B', email: `${identifier}@example.com`, locale: 'en', reminders: true, active: true, station: false, bound: false, roles, ...more });

const [ann, bob, cat] = [person('ann'), person('bob'), person('cat')];
const off = person('off', ['LIBRARY_USER'], { active: false });
const robot = person('robot', ['LIBRARY_USER'], { email: 'service-account-robot@example.com' });
const station = person('station', ['LIBRARY_USER'], { station: true });
const curator = person('curator', ['LIBRARY_USER', 'LIBRARY_CURATOR']);
const admin = person('admin', ['LIBRARY_ADMIN']);
const bare = person('bare', []);

test.each<[rule: string, everybody: User[], listed: string[], missing: string[], most: boolean]>([
  ['who is not in the file is missing', [ann, bob, cat], ['ann', 'cat'], ['bob'], false],
  ['half of all is not most', [ann, bob], ['ann'], ['bob'], false],
  ['more than half of all active people is', [ann, bob, cat, off], ['ann'], ['bob', 'cat'], true],
  ['other roles than those of the file stay', [ann, bob, curator, admin], ['ann', 'bob'], [], false],
  ['the highest role counts', [ann, curator, person('other', ['LIBRARY_CURATOR']), admin], ['curator'], ['other'], false],
  ['people without a role are people of a role of their own', [ann, bare, person('x', [])], ['bare'], ['x'], false],
  ['who is off already is not missing', [ann, bob, off], ['ann', 'bob'], [], false],
  ['a program and a station are never missing', [ann, bob, robot, station], ['ann', 'bob'], [], false],
  ['who asks is never missing', [ann, person('me')], ['ann'], [], false],
  ['a file of nobody switches nobody off', [ann, bob], [], [], false],
])('%s', (_rule, everybody, listed, people, most) => {
  const found = missing(everybody, new Set(listed), 'me');
  expect([found.people.map((user) => user.identifier), found.most]).toEqual([people, most]);
});
