import { ErrorResponse, InMemoryWebStorage, UserManager, WebStorageStateStore } from 'oidc-client-ts';
import type { Config } from './config';
import { Problem } from './problem';

const hintKey = 'library.signed-in';
const enough = 20; // seconds that a token must still be good for

/** How the page begins: signed in, signed out, or on the way to the provider. */
export type Start =
  | { state: 'in'; to: string }
  | { state: 'out'; to: string; problem?: Problem }
  | { state: 'away' };

/** The part of the library for OpenID Connect that we need; tests bring their own. */
export type Manager = Pick<
  UserManager,
  'signinRedirect' | 'signinCallback' | 'signinSilent' | 'signoutRedirect' | 'getUser' | 'removeUser' | 'clearStaleState'
>;

/** The keys of the session storage that we use. */
export type Hints = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/**
 * Tokens stay in memory: storage would be copied along by "duplicate tab", and
 * is open to whatever script gets in. Only the request on its way to the
 * provider, and a hint that this tab was signed in, are kept for a reload.
 */
export function newManager(config: Config): Manager {
  const here = location.origin + config.basePath;
  return new UserManager({
    authority: config.issuer,
    client_id: config.clientId,
    redirect_uri: here,
    post_logout_redirect_uri: here,
    response_type: 'code',
    scope: config.scopes,
    userStore: new WebStorageStateStore({ store: new InMemoryWebStorage() }),
    stateStore: new WebStorageStateStore({ store: sessionStorage }),
    automaticSilentRenew: false,
    monitorSession: false,
    loadUserInfo: false,
    revokeTokensOnSignout: true,
    revokeTokenTypes: ['refresh_token'],
    // Some providers answer a revocation in plain text, which would hang the log-out.
    revokeTokenAdditionalContentTypes: ['text/plain'],
  });
}

/** An address of this page, or the front page: `state` may have been tampered with. */
export function safeReturn(state: unknown, origin: string, basePath: string): string {
  if (typeof state !== 'string') return basePath;
  try {
    const url = new URL(state, origin);
    if (url.origin === origin && url.pathname.startsWith(basePath)) return url.pathname + url.search + url.hash;
  } catch {
    // no address at all
  }
  return basePath;
}

/** Whether the provider refused, rather than could not be reached. */
function refused(thrown: unknown): boolean {
  return thrown instanceof ErrorResponse;
}

export class Auth {
  #renewal: Promise<string> | undefined;
  #token: { text: string; until: number } | undefined;

  constructor(
    private readonly manager: Manager,
    private readonly hints: Hints,
    private readonly origin: string,
    private readonly basePath: string,
    private readonly now: () => number = () => Date.now() / 1000,
  ) {}

  /** Finishes a sign-in that comes back from the provider, or restores one after a reload. */
  async start(address: string): Promise<Start> {
    const url = new URL(address);
    const answer = url.searchParams.has('state') && (url.searchParams.has('code') || url.searchParams.has('error'));
    const to = url.pathname + url.search + url.hash;
    if (answer) return this.#finish(address);
    if (url.searchParams.has('state')) return { state: 'out', to: this.basePath }; // back from a log-out
    if (this.hints.getItem(hintKey) === null) return { state: 'out', to };
    // Taken away first: a provider that says no must not send us round in circles.
    this.hints.removeItem(hintKey);
    try {
      await this.manager.signinRedirect({ prompt: 'none', state: to });
      return { state: 'away' };
    } catch {
      this.hints.setItem(hintKey, '1');
      return { state: 'out', to, problem: new Problem('provider') };
    }
  }

  async #finish(address: string): Promise<Start> {
    try {
      const user = await this.manager.signinCallback(address);
      if (!user) return { state: 'out', to: this.basePath };
      this.#keep(user);
      this.hints.setItem(hintKey, '1');
      return { state: 'in', to: safeReturn(user.state, this.origin, this.basePath) };
    } catch (thrown) {
      if (refused(thrown)) {
        const e = thrown as ErrorResponse;
        const to = safeReturn(e.state, this.origin, this.basePath);
        const quiet = e.error === 'login_required' || e.error === 'interaction_required' || e.error === 'access_denied';
        return quiet ? { state: 'out', to } : { state: 'out', to, problem: new Problem('fault', e.error ?? '', e.message) };
      }
      // An answer that was used before, mostly because of the back button.
      if (/no matching state|no state/i.test((thrown as Error).message)) return this.start(this.origin + this.basePath);
      return { state: 'out', to: this.basePath, problem: new Problem('provider') };
    }
  }

  #keep(user: { access_token: string; expires_at?: number }): string {
    // Asked of the answer, never of the token: what is in it is for the API alone.
    this.#token = { text: user.access_token, until: user.expires_at ?? this.now() + 60 };
    return user.access_token;
  }

  /** Goes to the provider and comes back to the address. */
  async signIn(to: string): Promise<void> {
    try {
      await this.manager.signinRedirect({ state: to });
    } catch (thrown) {
      throw refused(thrown) ? new Problem('fault', '', (thrown as Error).message) : new Problem('provider');
    }
  }

  /** Ends the session here and at the provider. */
  async signOut(): Promise<void> {
    this.hints.removeItem(hintKey);
    this.#token = undefined;
    try {
      await this.manager.signoutRedirect();
    } catch {
      // The provider is away; what we have we can still forget.
      await this.manager.removeUser();
      throw new Problem('provider');
    }
  }

  /** A token that is good for a while. Requests at the same time share one renewal. */
  async token(): Promise<string> {
    const token = this.#token;
    if (!token) throw new Problem('ended');
    return token.until - this.now() > enough ? token.text : this.renew();
  }

  /** A new token, whatever the old one is still good for. */
  renew(): Promise<string> {
    this.#renewal ??= this.#renew().finally(() => (this.#renewal = undefined));
    return this.#renewal;
  }

  async #renew(): Promise<string> {
    const user = await this.manager.getUser();
    // Without a refresh token the library would open an iframe, which the policy forbids.
    if (!user?.refresh_token) throw this.#ended();
    try {
      const renewed = await this.manager.signinSilent();
      if (!renewed) throw this.#ended();
      return this.#keep(renewed);
    } catch (thrown) {
      if (thrown instanceof Problem) throw thrown;
      throw refused(thrown) ? this.#ended() : new Problem('provider');
    }
  }

  #ended(): Problem {
    this.#token = undefined;
    this.hints.removeItem(hintKey);
    return new Problem('ended');
  }
}
