import { expect, test } from 'vitest';
import { languageName, usualLanguages } from './languages';

test.each([
  ['de', 'en', 'German'],
  ['de', 'de', 'Deutsch'],
  ['grc', 'en', 'Ancient Greek'],
  ['qqq', 'en', 'qqq'],
  ['', 'en', ''],
  ['d', 'en', 'd'],
])('the language %j in %j is %j', (code, language, want) => expect(languageName(code, language)).toBe(want));

test('every usual language has a name', () => {
  for (const language of ['en', 'de']) for (const [code, name] of usualLanguages(language)) expect(name).not.toBe(code);
});
