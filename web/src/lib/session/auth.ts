import type { SigninResponse } from 'oidc-client-ts';
import type { Proofs } from '../api/api';
import { Problem } from '../api/problem';
import type { Store } from '../shell/storage';

const hintKey = 'library.signed-in';
const enough = 20; // seconds that a token must still be good for

/** How the page begins: signed in, signed out, or on the way to the provider. */
export type Start =
  | { state: 'in'; to: string }
  | { state: 'out'; to: string; problem?: Problem }
  | { state: 'away' };

/** Instead of a word of the provider: its answer is to no request of this tab, or was used before. */
export const unknownState = 'unknown_state';

/** The provider has refused, with its own error code. */
export class Refusal extends Error {
  override name = 'Refusal';
  constructor(
    readonly error: string,
    message: string,
    /** What was given along with the request. */
    readonly state: unknown,
  ) {
    super(message);
  }
}

/** The part of the protocol that we need. It rejects with a `Refusal` or because it could not ask. */
export interface Provider {
  /** The address to sign in at. */
  signinAddress(to: string, silent: boolean): Promise<string>;
  /** Trades the provider's answer for tokens. */
  finish(address: string): Promise<Tokens>;
  refresh(tokens: Tokens): Promise<Tokens>;
  revoke(refreshToken: string): Promise<void>;
  signoutAddress(idToken: string | undefined): Promise<string>;
  /** Makes proofs for tokens that are bound to a key, if it gives such tokens. */
  proofs?: Proofs | undefined;
}

export type Tokens = Pick<
  SigninResponse,
  'access_token' | 'refresh_token' | 'id_token' | 'expires_at' | 'session_state' | 'scope' | 'profile' | 'userState'
> & { token_type?: string };

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

/** Nobody is signed in at the provider, or somebody has cancelled: no error. */
const harmless = ['login_required', 'interaction_required', 'consent_required', 'account_selection_required', 'access_denied'];

/** A refusal that stays: a provider that is only out of order answers `temporarily_unavailable`, or something else. */
const final = /^(invalid|unauthorized|unsupported)_|_required$|^access_denied$/;

/** Nobody answers, unless it is known that not even the question could be asked. */
const noAnswer = (thrown: unknown): Problem => (thrown instanceof Problem ? thrown : new Problem('provider'));

/**
 * Tokens stay in memory, here: storage would be copied along by "duplicate tab",
 * and is open to whatever script gets in. Only the request on its way to the
 * provider, and a hint that this tab was signed in, are kept for a reload; the
 * browser keeps another, so that a new tab knows that it is worth asking.
 */
export class Auth {
  #renewal: Promise<string> | undefined;
  #tokens: Tokens | undefined;

  constructor(
    private readonly provider: Provider,
    /** Of this tab: '1' if it was signed in, '0' if it has asked and must not ask again. */
    private readonly hints: Store,
    /** Of the browser: '1' if some tab is signed in. */
    private readonly lasting: Store,
    private readonly origin: string,
    private readonly basePath: string,
    /** Goes there; instead of this page in the history if the reader has not asked for it. */
    private readonly visit: (address: string, replace?: boolean) => void,
    private readonly now: () => number = () => Date.now() / 1000,
  ) {}

  /** Finishes a sign-in that comes back from the provider, or restores one after a reload. */
  async start(address: string): Promise<Start> {
    const url = new URL(address);
    const asked = url.searchParams;
    if (asked.has('state') && (asked.has('code') || asked.has('error'))) return this.#finish(address);
    const to = url.pathname + url.search + url.hash;
    if ((this.hints.getItem(hintKey) ?? this.lasting.getItem(hintKey)) !== '1') return { state: 'out', to };
    // Noted first: a provider that says no must not send us round in circles.
    this.hints.setItem(hintKey, '0');
    try {
      this.visit(await this.provider.signinAddress(to, true), true);
      return { state: 'away' };
    } catch (thrown) {
      this.hints.setItem(hintKey, '1');
      return { state: 'out', to, problem: noAnswer(thrown) };
    }
  }

  async #finish(address: string): Promise<Start> {
    try {
      const tokens = await this.provider.finish(address);
      this.#tokens = tokens;
      for (const hints of [this.hints, this.lasting]) hints.setItem(hintKey, '1');
      return { state: 'in', to: safeReturn(tokens.userState, this.origin, this.basePath) };
    } catch (thrown) {
      // An answer that was used before, mostly because of the back button.
      if (thrown instanceof Refusal && thrown.error === unknownState) return this.start(this.origin + this.basePath);
      if (thrown instanceof Refusal) {
        this.lasting.removeItem(hintKey); // the next tab need not ask
        const to = safeReturn(thrown.state, this.origin, this.basePath);
        if (harmless.includes(thrown.error)) return { state: 'out', to, problem: undefined };
        const problem = final.test(thrown.error) ? new Problem('unexpected', thrown.error, thrown.message) : new Problem('provider');
        return { state: 'out', to, problem };
      }
      return { state: 'out', to: this.basePath, problem: noAnswer(thrown) };
    }
  }

  /** Goes to the provider and comes back to the address. */
  async signIn(to: string): Promise<void> {
    let address;
    try {
      address = await this.provider.signinAddress(to, false);
    } catch (thrown) {
      throw noAnswer(thrown);
    }
    this.visit(address);
  }

  /** Ends the session here and at the provider. */
  async signOut(): Promise<void> {
    const tokens = this.#tokens;
    this.forget();
    if (tokens?.refresh_token) await this.provider.revoke(tokens.refresh_token).catch(() => undefined);
    let address;
    try {
      address = await this.provider.signoutAddress(tokens?.id_token);
    } catch {
      throw new Problem('provider'); // it is away; what we had is forgotten all the same
    }
    this.visit(address);
  }

  /** The session is over: nothing is left of it, and no tab that is opened later looks for it. */
  forget(): void {
    this.#tokens = undefined;
    for (const hints of [this.hints, this.lasting]) hints.removeItem(hintKey);
  }

  /** Whether nobody has signed out in this browser since somebody signed in. */
  get remembered(): boolean {
    return this.lasting.getItem(hintKey) === '1';
  }

  /** The e-mail address of the person who is signed in, as the provider says it. */
  get address(): string | undefined {
    return this.#tokens?.profile?.email;
  }

  /** What makes proofs for the token, if it is bound to a key. */
  get proofs(): Proofs | undefined {
    return /^dpop$/i.test(this.#tokens?.token_type ?? '') ? this.provider.proofs : undefined;
  }

  /** A token that is good for a while. Requests at the same time share one renewal. */
  async token(): Promise<string> {
    if (!this.#tokens) throw new Problem('ended');
    // The answer says how long; what is in the token is for the API alone.
    const left = (this.#tokens.expires_at ?? this.now() + 60) - this.now();
    return left > enough ? this.#tokens.access_token : this.renew();
  }

  /** A new token, whatever the old one is still good for. */
  renew(): Promise<string> {
    this.#renewal ??= this.#renew().finally(() => (this.#renewal = undefined));
    return this.#renewal;
  }

  async #renew(): Promise<string> {
    const old = this.#tokens;
    if (!old?.refresh_token) throw this.#ended();
    try {
      const fresh = await this.provider.refresh(old);
      // What a refresh leaves out stays as it was.
      this.#tokens = {
        ...fresh,
        refresh_token: fresh.refresh_token ?? old.refresh_token,
        id_token: fresh.id_token ?? old.id_token,
        profile: fresh.profile ?? old.profile,
      };
      return fresh.access_token;
    } catch (thrown) {
      throw thrown instanceof Refusal && final.test(thrown.error) ? this.#ended() : new Problem('provider');
    }
  }

  #ended(): Problem {
    this.forget();
    return new Problem('ended');
  }
}

/** A provider that is loaded when it is first needed: nobody needs it to see the front page. */
export function lazyProvider(load: () => Promise<Provider>): Provider & { load(): Promise<Provider> } {
  let loaded: Promise<Provider> | undefined;
  const get = (): Promise<Provider> => {
    loaded ??= load().then((provider) => ((lazy.proofs = provider.proofs), provider)).catch((thrown: unknown) => {
      loaded = undefined; // for the next try
      throw thrown;
    });
    return loaded;
  };
  const lazy: Provider & { load(): Promise<Provider> } = {
    load: get,
    signinAddress: async (...args) => (await get()).signinAddress(...args),
    finish: async (...args) => (await get()).finish(...args),
    refresh: async (...args) => (await get()).refresh(...args),
    revoke: async (...args) => (await get()).revoke(...args),
    signoutAddress: async (...args) => (await get()).signoutAddress(...args),
  };
  return lazy;
}
