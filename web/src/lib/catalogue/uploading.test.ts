import { expect, test } from 'vitest';
import { Problem } from '../api/problem';
import { upload } from './uploading';

const picture = new Blob(['picture'], { type: 'image/png' });

/** A library that answers in turn, the last answer for ever, and what it was sent. */
function library(...answers: (Problem | undefined)[]) {
  const sent: [string, RequestInit][] = [];
  const raw = async (path: string, init: RequestInit): Promise<Response> => {
    const answer = answers[Math.min(sent.push([path, init]), answers.length) - 1];
    if (answer) throw answer;
    return new Response(null, { status: 204 });
  };
  return { raw, sent };
}

test('a cover is sent again while the library has too many to make', async () => {
  const api = library(new Problem('busy', 'overloaded'), new Problem('busy', 'overloaded'), undefined);
  await upload(api, 'b1', picture, 1);
  expect(api.sent).toHaveLength(3);
  expect(api.sent[2]).toEqual(['/books/b1/cover', { method: 'PUT', headers: { 'Content-Type': 'image/png' }, body: picture }]);
});

test('a library that stays busy is left alone in the end', async () => {
  const api = library(new Problem('busy', 'overloaded'));
  await expect(upload(api, 'b1', picture, 1)).rejects.toThrow('overloaded');
  expect(api.sent).toHaveLength(4);
});

test.each(['invalid', 'ended', 'unreachable'] as const)('after %s it is not sent again', async (kind) => {
  const api = library(new Problem(kind));
  await expect(upload(api, 'b1', picture, 1)).rejects.toThrow(kind);
  expect(api.sent).toHaveLength(1);
});
