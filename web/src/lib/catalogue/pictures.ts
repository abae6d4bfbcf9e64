import { session } from '../session/session.svelte';
import { forgetOldest } from './coverroom';

/** A cover that somebody has uploaded, as it is drawn. */
export interface Picture {
  /** The picture itself, in an address: the page's policy allows no other that needs a token. */
  address: string;
  /** Nothing of it may be cut off: it is broader or narrower than books are. */
  whole: boolean;
}

/** What a place on the page needs to know of a book. */
interface Covered {
  id: string;
  version: string;
}

interface Place extends Covered {
  /** Takes the picture, 'none' if it cannot be had, or nothing while it is out of sight. */
  show: (picture?: Picture | 'none') => void;
  /** How broad it is, in pixels of the screen. */
  width: number;
  /** Ends when it is out of sight. */
  sight?: AbortController;
}

const folder = 'library.covers';
const atOnce = 4; // requests: a browser may have six to one server, and the catalogue needs some
const broadest = 300; // pixels for which the small picture, of 200, is good enough

const places = new Map<Element, Place>();
const queue = new Set<Place>();
let running = 0;
let added = 0;

// A cover that is about to come into sight is loaded; one that is far away again is let go, so that a list of any length takes the same memory.
const observer = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting, boundingClientRect } of entries) {
      const place = places.get(target);
      if (!place) continue;
      leave(place);
      if (isIntersecting) {
        place.sight = new AbortController();
        place.width = boundingClientRect.width * devicePixelRatio;
        queue.add(place);
      } else place.show();
    }
    next();
  },
  { rootMargin: '100% 0%' },
);

function leave(place: Place): void {
  queue.delete(place);
  place.sight?.abort();
}

/** Shows the cover of a book in a place while it is in sight, until the returned function is called. */
export function follow(element: Element, book: Covered, show: Place['show']): () => void {
  const place: Place = { ...book, show, width: 0 };
  places.set(element, place);
  observer.observe(element);
  return () => {
    observer.unobserve(element);
    places.delete(element);
    leave(place);
  };
}

function next(): void {
  for (const place of queue) {
    if (running >= atOnce) return;
    queue.delete(place);
    running++;
    // Without its picture a book has the cover that is drawn; the next time it comes into sight is the next try.
    const { signal } = place.sight ?? new AbortController();
    void read(place).catch(() => signal.aborted || place.show('none')).finally(() => {
      running--;
      next();
    });
  }
}

async function read({ id, version, width, show, sight }: Place): Promise<void> {
  const path = `/books/${id}/cover?size=${width > broadest ? 'large' : 'small'}&v=${encodeURIComponent(version)}`;
  const blob = await kept(path);
  if (sight?.signal.aborted) return;
  const address = await addressOf(blob);
  const picture = new Image();
  picture.src = address;
  await picture.decode();
  const ratio = picture.naturalWidth / picture.naturalHeight;
  if (!sight?.signal.aborted) show({ address, whole: ratio < 0.57 || ratio > 0.78 });
}

/**
 * The picture from the browser's cache, or else from the library. The cache for all of HTTP would not do: before it
 * looks there, a browser asks a server of another origin for its permission, for each address anew.
 */
function kept(path: string): Promise<Blob> {
  const already = underWay.get(path);
  if (already) return already;
  const picture = fetched(path).finally(() => underWay.delete(path));
  underWay.set(path, picture);
  return picture;
}

/** A picture that goes out of sight is fetched nevertheless if that has begun, so that nothing is fetched twice. */
const underWay = new Map<string, Promise<Blob>>();

async function fetched(path: string): Promise<Blob> {
  const cache = await caches.open(folder).catch(() => undefined); // some browsers keep nothing
  const key = new URL(path.slice(1), `${location.origin}/library.covers/`).href;
  const known = await cache?.match(key);
  if (known) return known.blob();
  const answer = await session.api.raw(path, {});
  await cache?.put(key, answer.clone()).catch(() => undefined); // there is no room
  if (cache && ++added % 100 === 1) void forget(cache).catch(() => undefined);
  return answer.blob();
}

const forget = (cache: Cache): Promise<void> =>
  forgetOldest({ keys: () => cache.keys(), delete: (key) => cache.delete(key), usage: () => navigator.storage.estimate() });

function addressOf(picture: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(reader.error ?? new Error('unreadable'));
    reader.readAsDataURL(picture);
  });
}
