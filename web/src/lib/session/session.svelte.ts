import { flushSync } from 'svelte';
import { Api, type Me, type Role } from '../api/api';
import { Auth, lazyProvider } from './auth';
import type { Config } from './config';
import { Drafts } from './drafts';
import { load } from '../shell/load';
import { Problem, problemFrom } from '../api/problem';
import { router } from '../shell/router.svelte';
import { Memory, browserStorage, cardsKey, classKey, deskKey, scanKey, stocktakeKey, tabStorage } from '../shell/storage';

/** Where the reader stands. */
export type Phase = 'starting' | 'out' | 'in' | 'insecure' | 'blocked';

class Session {
  phase = $state<Phase>('starting');
  me = $state.raw<Me | undefined>();
  /** Why there is no session, or no reader. */
  problem = $state.raw<Problem | undefined>();
  /** The session is over, and the page that it was in is still shown. */
  ended = $state(false);
  /** On the way to the provider. */
  leaving = $state(false);
  drafts = new Drafts(tabStorage);
  api!: Api;
  #auth!: Auth;
  #public = false;
  /** Notifies the other tabs that somebody has signed out. */
  #tabs?: BroadcastChannel;
  #provider?: ReturnType<typeof lazyProvider>;

  /** Somebody who is not signed in and may read the catalogue. */
  get guest(): boolean {
    return this.phase === 'out' && this.#public;
  }

  /** Whether the reader has one of the roles. */
  may(...roles: Role[]): boolean {
    return roles.some((role) => this.me?.authorities.includes('ROLE_' + role));
  }

  /** Whether the reader sees what everybody has borrowed. */
  get staff(): boolean {
    return this.may('LIBRARY_CURATOR', 'LIBRARY_ADMIN');
  }

  /** The e-mail address that the provider knows this person by. */
  get address(): string | undefined {
    return this.#auth.address;
  }

  async start(config: Config): Promise<void> {
    this.#public = config.publicCatalogue === true;
    // Signing in needs both: PKCE, and a place for the request on its way.
    const missing = !globalThis.crypto?.subtle ? 'insecure' : tabStorage instanceof Memory ? 'blocked' : undefined;
    if (missing) {
      router.start(config.basePath, router.here);
      this.phase = missing;
      return;
    }
    const provider = (this.#provider = lazyProvider(async () => (await load(() => import('./oidc'))).newProvider(config)));
    this.#auth = new Auth(provider, tabStorage, browserStorage, location.origin, config.basePath, (a, replace) =>
      replace ? location.replace(a) : location.assign(a),
    );
    this.api = new Api(config.api, {
      token: async () => (this.guest ? '' : this.#noticeEnd(this.#auth.token())),
      renew: () => this.#noticeEnd(this.#auth.renew()),
      refused: (problem) => this.#refused(problem),
      proofs: () => this.#auth.proofs,
    });
    this.#tabs = new BroadcastChannel(`library ${config.basePath}`);
    this.#tabs.onmessage = () => this.#signedOutElsewhere();
    const start = await this.#auth.start(location.href);
    if (start.state === 'away') return;
    router.start(config.basePath, start.to);
    if (start.state === 'out') {
      this.problem = start.problem;
      this.phase = 'out';
      return;
    }
    await this.#enter();
  }

  /** Asks the library who this is. */
  async #enter(): Promise<void> {
    try {
      this.me = await this.api.me();
      this.problem = undefined;
    } catch (thrown) {
      this.problem = problemFrom(thrown);
    }
    this.phase = 'in';
  }

  retry(): Promise<void> {
    return this.#enter();
  }

  /** Asks again who this is, after a change of the reader's own record. */
  async refreshMe(): Promise<void> {
    const me = await this.api.me().catch(() => undefined);
    if (me) this.me = me;
  }

  /** Changes what readers may change of their own record. */
  async editMe(body: { locale?: string; reminders?: boolean }): Promise<void> {
    const { data } = await this.api.ask('put', '/me', { body });
    if (this.me) this.me = data; // nobody has signed out meanwhile
  }

  /** Somebody is about to sign in: what that takes is fetched meanwhile. */
  prepare(): void {
    void this.#provider?.load().catch(() => undefined);
  }

  async signIn(): Promise<void> {
    this.leaving = true;
    this.problem = undefined;
    try {
      await this.#auth.signIn(router.here);
    } catch (thrown) {
      this.problem = problemFrom(thrown);
      this.leaving = false;
    }
  }

  /** Signs in again after the session has ended. What was typed has been put aside by then. */
  signInAgain(): Promise<void> {
    router.guard = undefined;
    return this.signIn();
  }

  /** Loads the page again, with what was typed; the browser asks first if that is too large to be saved. */
  reload(): void {
    this.leaving = this.drafts.save(this.me?.identifier ?? '');
    router.guard = undefined;
    location.reload();
  }

  async signOut(): Promise<void> {
    if (router.guard && !(await router.guard())) return;
    this.#tabs?.postMessage('signed-out');
    this.#clear();
    try {
      await this.#auth.signOut();
    } catch (thrown) {
      this.problem = problemFrom(thrown);
      this.phase = 'out';
      this.leaving = false;
    }
  }

  /** Nothing of the reader stays on the page, not even for the time that it takes to leave it. */
  #clear(): void {
    router.guard = undefined;
    this.drafts.drop();
    for (const key of [deskKey, cardsKey, classKey, scanKey, stocktakeKey]) tabStorage.removeItem(key);
    this.leaving = true;
    this.ended = false;
    this.me = undefined;
    this.phase = 'starting';
    flushSync();
  }

  /** Loads the page again: answers that are still on their way are dropped. */
  #signedOutElsewhere(): void {
    if (this.phase === 'out') return;
    this.#auth.forget();
    this.#clear();
    location.replace(router.basePath);
  }

  /** The browser shows a page as it was when it was left; what has happened since is not known to it. */
  restored(): void {
    if (this.leaving || this.phase === 'starting') location.reload();
    else if (this.phase === 'in' && !this.#auth.remembered) this.ended ? location.reload() : this.#signedOutElsewhere();
  }

  /** The library does not take the token, or does not know its bearer any more. */
  #refused(problem: Problem): void {
    if (problem.kind === 'unregistered') {
      this.me = undefined;
      this.problem = problem;
    } else this.ended = true;
  }

  /** Notices when there are no more tokens to be had. */
  async #noticeEnd(token: Promise<string>): Promise<string> {
    try {
      return await token;
    } catch (thrown) {
      if (thrown instanceof Problem && thrown.kind === 'ended' && !this.leaving) this.ended = true;
      throw thrown;
    }
  }
}

export const session = new Session();
