import { expect, test } from 'vitest';
import { letterOf } from './letter';

const body = (html: string): unknown => letterOf(`<html><body>${html}</body></html>`).body;

test('a mail is taken apart into its language, its styles and its elements', () =>
  expect(letterOf('<!DOCTYPE html>\n<html lang="de"><head><style>a{b:c}</style></head><body class="x"><p dir="auto">Hallo<br>Anna</p></body></html>')).toEqual({
    language: 'de', css: 'a{b:c}',
    body: [{ tag: 'p', attributes: { dir: 'auto' }, children: ['Hallo', { tag: 'br', attributes: {}, children: [] }, 'Anna'] }],
  }));

test('text is what it was before it was written as HTML', () =>
  expect(body('&lt;script&gt; &amp;amp; &#34;a&#43;b&#34; &#128512; &unknown;')).toEqual(['<script> &amp; "a+b" 😀 &unknown;']));

test('what no mail of the library is made of does not become an element', () =>
  expect(body('<script>1</script><img src="x" onerror="y"><a class="title" href="javascript:z" onclick="z">Go</a></p></div>end')).toEqual([
    '1', { tag: 'a', attributes: { class: 'title' }, children: ['Go'] }, 'end',
  ]));

test('elements end where they end', () =>
  expect(body('<div><ul><li>a</li><li>b</li></ul></div>c')).toEqual([
    { tag: 'div', attributes: {}, children: [{ tag: 'ul', attributes: {}, children: [{ tag: 'li', attributes: {}, children: ['a'] }, { tag: 'li', attributes: {}, children: ['b'] }] }] }, 'c',
  ]));
