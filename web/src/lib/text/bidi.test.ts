import { expect, test } from 'vitest';
import { isolate } from './bidi';

test.each([
  ['You have borrowed “Momo”.', 'You have borrowed “Momo”.'],
  ['You have borrowed “אלף 1!”.', 'You have borrowed “\u2068אלף 1!\u2069”.'],
  ['„كتاب (2)“ löschen?', '„\u2068كتاب (2)\u2069“ löschen?'],
  ['אלף', 'אלף'],
])('%s', (sentence, want) => expect(isolate(sentence)).toBe(want));
