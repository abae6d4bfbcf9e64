import { routeOf, type Route } from './router';

/** Asks whether to leave a page on which something would be lost. */
type Guard = () => boolean | Promise<boolean>;

/** Where the reader was on a page: how far down, and at the link that was followed. */
interface Place {
  top: number;
  link?: string;
}

/** What the history knows of a page: its place, and the address of the page before. */
interface Entry {
  index?: number;
  from?: string;
}

const listTimeout = 3000; // until which the list to go back to has to be there, in milliseconds

class Router {
  basePath = $state('/');
  route = $state.raw<Route>({ name: 'books' });
  search = $state('');
  path = $state('/');
  /** Grows with every navigation, so that the same page can be shown anew. */
  visit = $state(0);
  /** The next heading takes the focus: the page was changed by the reader. */
  wantsFocus = false;
  guard: Guard | undefined;
  #index = 0;
  #from: string | undefined;
  /** Where the pages of the history were left. */
  #places = new Map<number, Place>();
  #ignore = 0;

  start(basePath: string, to: string): void {
    this.basePath = basePath;
    history.scrollRestoration = 'manual';
    ({ index: this.#index = 0, from: this.#from } = (history.state ?? {}) as Entry);
    history.replaceState(this.#entry, '', to);
    this.#read();
    addEventListener('popstate', (e) => void this.#popped(e));
    document.addEventListener('click', (e) => this.#clicked(e));
  }

  /** The address of a page, for links. */
  href(path: string): string {
    return this.basePath + path;
  }

  /** Where the reader is, to come back to. */
  get here(): string {
    return location.pathname + location.search + location.hash;
  }

  /** Goes to a page, unless the reader would rather stay. */
  async go(path: string, options: { replace?: boolean; link?: string } = {}): Promise<void> {
    if (this.guard && !(await this.guard())) return;
    this.guard = undefined;
    this.#move(this.href(path), options.replace ?? false, options.link);
  }

  /** Returns to a page. If it is the one before, the history has it once, and it is as it was left. */
  async back(path: string, options: { replace?: boolean } = {}): Promise<void> {
    const place = (address: string): string => address.replace(/[?#].*/, '');
    if (this.#from === undefined || place(this.#from) !== place(this.href(path))) return this.go(path, options);
    if (this.guard && !(await this.guard())) return;
    this.guard = undefined;
    history.back();
  }

  get #entry(): Entry {
    return { index: this.#index, from: this.#from };
  }

  /** Changes the query in the address, and nothing else; as a step that can be taken back, if it is one. */
  setSearch(search: string, step = false): void {
    if (search === location.search) return;
    if (step) this.#push(location.pathname + search);
    else history.replaceState(this.#entry, '', location.pathname + search);
    this.search = search;
  }

  #push(address: string, link?: string): void {
    this.#places.set(this.#index, { top: scrollY, link });
    this.#from = this.here;
    this.#index++;
    history.pushState(this.#entry, '', address);
  }

  #move(address: string, replace: boolean, link?: string): void {
    if (replace) history.replaceState(this.#entry, '', address);
    else this.#push(address, link);
    this.wantsFocus = true;
    this.#read();
    scrollTo(0, 0);
  }

  #read(): void {
    this.route = routeOf(location.pathname, this.basePath);
    this.path = location.pathname;
    this.search = location.search;
    this.visit++;
  }

  async #popped(event: PopStateEvent): Promise<void> {
    const { index: given, from } = (event.state ?? {}) as Entry;
    const index = given ?? 0;
    if (this.#ignore > 0) {
      this.#ignore--;
      return;
    }
    if (location.pathname === this.path && location.search === this.search) {
      // Another place on the same page, such as #content: nothing to show, nothing to lose.
      if (given === undefined) history.replaceState(this.#entry, '', this.here);
      else [this.#index, this.#from] = [given, from];
      return;
    }
    const step = index - this.#index;
    if (this.guard && step !== 0) {
      this.#ignore++;
      history.go(-step); // back to where we were, until it is clear
      if (!(await this.guard())) return;
      this.guard = undefined;
      history.go(step);
      return;
    }
    this.#places.set(this.#index, { top: scrollY });
    [this.#index, this.#from] = [index, from];
    this.wantsFocus = true;
    this.#read();
    this.#return(this.#places.get(index) ?? { top: 0 });
  }

  /** Brings the reader back to the place that was left, as soon as it is there, unless somebody goes elsewhere meanwhile. */
  #return({ top, link }: Place): void {
    const { visit } = this;
    const until = Date.now() + listTimeout;
    let at: number | undefined;
    const look = (): void => {
      const focus = document.activeElement;
      if (visit !== this.visit || (at !== undefined && at !== scrollY) || focus?.matches('main :not(h1), dialog *')) return;
      scrollTo(0, top);
      at = scrollY;
      const found = link && document.querySelector<HTMLElement>(`main a[href="${link}"]:not([tabindex])`);
      if (found) found.focus({ preventScroll: true });
      else if ((link || at < top) && Date.now() < until) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }

  #clicked(event: MouseEvent): void {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element | null)?.closest?.('a');
    if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin) return;
    if (!link.pathname.startsWith(this.basePath) || link.getAttribute('href')?.startsWith('#')) return;
    event.preventDefault();
    const path = link.pathname.slice(this.basePath.length) + link.search;
    const followed = link.closest('main') ? (link.getAttribute('href') ?? undefined) : undefined;
    void ('back' in link.dataset ? this.back(path) : this.go(path, { link: followed }));
  }
}

export const router = new Router();
