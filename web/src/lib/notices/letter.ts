// The HTML of a mail as elements. The page's policy lets no text become HTML, and that is good: so only what a mail of
// the library is made of becomes an element here, and whatever else there were stays text that nobody sees.

export interface Piece {
  tag: string;
  attributes: Record<string, string>;
  children: (Piece | string)[];
}

export interface Letter {
  language: string;
  css: string;
  body: (Piece | string)[];
}

const tags = new Set(['a', 'b', 'bdi', 'br', 'div', 'em', 'h1', 'h2', 'h3', 'li', 'ol', 'p', 'span', 'strong', 'ul']);
/** No addresses: from a sample there is nowhere to go. */
const kept = ['class', 'dir', 'lang'];
const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: '\u00a0' };

const decoded = (text: string): string =>
  text.replace(/&(?:#(\d{1,6})|([a-z]+));/g, (all, number: string | undefined, name = '') => (number ? String.fromCodePoint(Number(number)) : (named[name as string] ?? all)));

function attributesOf(text: string): Record<string, string> {
  const found = [...text.matchAll(/([a-z-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, decoded(value)] as const);
  return Object.fromEntries(found.filter(([name]) => kept.includes(name)));
}

function pieces(html: string): (Piece | string)[] {
  const top: Piece = { tag: '', attributes: {}, children: [] };
  const open = [top];
  for (const [, end, tag = '', attributes = '', text] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)([^<>]*)>|([^<]+)/g)) {
    const inside = open[open.length - 1] ?? top;
    if (text !== undefined) inside.children.push(decoded(text));
    else if (!tags.has(tag)) continue;
    else if (end) open.splice(Math.max(1, open.findLastIndex((piece) => piece.tag === tag)));
    else {
      const piece = { tag, attributes: attributesOf(attributes), children: [] };
      inside.children.push(piece);
      if (tag !== 'br') open.push(piece);
    }
  }
  return top.children;
}

/** A mail, taken apart. */
export function letterOf(html: string): Letter {
  return {
    language: /<html[^>]* lang="([a-zA-Z-]*)"/.exec(html)?.[1] ?? '',
    css: [...html.matchAll(/<style[^>]*>([^]*?)<\/style>/g)].map((match) => match[1]).join('\n'),
    body: pieces(/<body[^>]*>([^]*)<\/body>/.exec(html)?.[1] ?? ''),
  };
}

/** The pieces as nodes of a document. */
export function nodesOf(document: Document, parts: (Piece | string)[]): Node[] {
  return parts.map((part) => {
    if (typeof part === 'string') return document.createTextNode(part);
    const element = document.createElement(part.tag);
    for (const [name, value] of Object.entries(part.attributes)) element.setAttribute(name, value);
    element.append(...nodesOf(document, part.children));
    return element;
  });
}
