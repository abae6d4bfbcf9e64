import { expect, test } from 'vitest';

/** The folders of lib, and which others each may import. They are in the order in which they build on each other. */
const mayImport: Record<string, string[]> = {
  api: [],
  files: [],
  shell: ['api'],
  text: ['api', 'shell'],
  session: ['api', 'shell', 'text'],
  dates: ['api', 'session', 'text'],
  rules: ['api', 'dates', 'text'],
  notices: ['api', 'session', 'text'],
  forms: ['api', 'session', 'shell', 'text'],
  people: ['api', 'session', 'shell', 'text'],
  catalogue: ['api', 'dates', 'session', 'shell', 'text'],
  lending: ['api', 'catalogue', 'dates', 'files', 'people', 'rules', 'session', 'shell', 'text'],
  copies: ['api', 'catalogue', 'lending', 'people', 'session', 'shell'],
  bookfile: ['api', 'session'],
  desk: ['api', 'catalogue', 'people', 'session', 'shell', 'text'],
  stocktake: ['api', 'desk', 'lending', 'people', 'session', 'shell', 'text'],
  classset: ['api', 'desk', 'lending', 'people', 'session', 'shell', 'text'],
  station: ['api', 'catalogue', 'desk', 'session'],
  selfservice: ['api', 'catalogue', 'desk', 'session', 'shell'],
};

const sources = Object.entries(import.meta.glob<string>(['./lib/**/*.ts', '!./lib/**/*.test.ts'], { query: '?raw', import: 'default', eager: true }));

/** The paths below src that a file imports. */
function importsOf(name: string, text: string): string[] {
  const relative = [...text.matchAll(/(?:from|import\(?) *'(\.[^'?]+)/g)].map((match) => match[1] ?? '');
  return relative.map((path) => new URL(path, `http://src/${name}`).pathname.slice(1));
}

test('each folder of lib imports only what it builds on', () => {
  const wrong: string[] = [];
  const used = new Set<string>();
  for (const [name, text] of sources) {
    const folder = name.split('/')[2] ?? '';
    for (const path of importsOf(name, text)) {
      const [top, other = ''] = path.split('/');
      if (top === 'messages' && ['text', 'desk'].includes(folder)) continue;
      if (top === 'lib' && (other === folder || mayImport[folder]?.includes(other))) used.add(`${folder} ${other}`);
      else wrong.push(`${name} imports ${path}`);
    }
  }
  expect(wrong).toEqual([]);
  const unused = Object.entries(mayImport).flatMap(([folder, others]) => others.map((other) => `${folder} ${other}`).filter((arrow) => !used.has(arrow)));
  expect(unused, 'allowed and not used').toEqual([]);
});

test('no file of lib lies outside of a folder, and no folder is unknown', () => {
  expect([...new Set(sources.map(([name]) => name.split('/')[2]))].sort()).toEqual(Object.keys(mayImport).sort());
});

test('no folder builds on itself by a detour', () => {
  const known = new Set<string>();
  for (const [folder, others] of Object.entries(mayImport)) {
    expect(others.filter((other) => !known.has(other)), folder).toEqual([]);
    known.add(folder);
  }
});
