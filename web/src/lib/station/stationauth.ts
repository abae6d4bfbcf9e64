import type { Proofs } from '../api/api';
import { Problem } from '../api/problem';
import { Refusal, type Provider, type Tokens } from '../session/auth';

/** What a station keeps of its tokens. */
export type Kept = Pick<Tokens, 'refresh_token' | 'id_token' | 'session_state' | 'scope' | 'profile' | 'token_type'>;

/** A place for it that lasts. */
export interface Keeper {
  get(name: string): Promise<Kept | undefined>;
  set(name: string, kept: Kept): Promise<void>;
}

const name = 'tokens';
const enough = 20; // seconds that a token must still be good for

/**
 * StationAuth keeps a station signed in. It keeps the refresh token on the machine, because nobody is there to
 * sign in after a restart of the browser; everybody else's tokens are in memory only. Where the library and the
 * provider bind tokens to a key, a copy of the token is of no use: the private key is in the same
 * database as an object that can sign and that no script can read. Without that, whoever reads the
 * database can do what a station can, until the account is switched off.
 */
export class StationAuth {
  #tokens: (Kept & Pick<Tokens, 'access_token' | 'expires_at'>) | undefined;
  #renewal: Promise<string> | undefined;

  constructor(
    private readonly provider: Provider,
    private readonly keeper: Keeper,
    /** Runs one renewal at a time, over all tabs: a refresh token is good once. */
    private readonly alone: <T>(work: () => Promise<T>) => Promise<T>,
    private readonly now: () => number = () => Date.now() / 1000,
  ) {}

  /** Takes the provider's answer, if the address has one. Reports whether this machine is a station. */
  async start(address: string): Promise<boolean> {
    const asked = new URL(address).searchParams;
    if (asked.has('state') && (asked.has('code') || asked.has('error'))) {
      try {
        await this.#keep(await this.provider.finish(address));
      } catch (thrown) {
        if (!(thrown instanceof Refusal) || thrown.error !== 'unknown_state') throw problemOf(thrown);
      }
    }
    return this.#tokens !== undefined || (await this.keeper.get(name)) !== undefined;
  }

  signinAddress(to: string): Promise<string> {
    return this.provider.signinAddress(to, false);
  }

  /** Says whether the tokens are bound to a key, and whether they last without a session. */
  get facts(): { bound: boolean; offline: boolean } {
    const { token_type = '', scope = '' } = this.#tokens ?? {};
    return { bound: /^dpop$/i.test(token_type), offline: scope.split(' ').includes('offline_access') };
  }

  get proofs(): Proofs | undefined {
    return this.facts.bound ? this.provider.proofs : undefined;
  }

  /** Returns a token that is good for a while. */
  async token(): Promise<string> {
    const left = (this.#tokens?.expires_at ?? 0) - this.now();
    return this.#tokens && left > enough ? this.#tokens.access_token : this.renew();
  }

  /** Returns a new token, whatever the old one is still good for. */
  renew(): Promise<string> {
    this.#renewal ??= this.alone(() => this.#renew()).finally(() => (this.#renewal = undefined));
    return this.#renewal;
  }

  async #renew(): Promise<string> {
    const old = await this.keeper.get(name); // another tab may have renewed it
    if (!old?.refresh_token) throw new Problem('ended', 'no_refresh_token');
    let fresh: Tokens;
    try {
      fresh = await this.provider.refresh(old as Tokens);
    } catch (thrown) {
      throw problemOf(thrown);
    }
    return this.#keep({ ...fresh, refresh_token: fresh.refresh_token ?? old.refresh_token });
  }

  /** Keeps new tokens before anybody uses them: the old refresh token is not good any more. */
  async #keep(tokens: Tokens): Promise<string> {
    const { refresh_token, id_token, session_state, scope, profile, token_type } = tokens;
    await this.keeper.set(name, { refresh_token, id_token, session_state, scope, profile, token_type });
    this.#tokens = tokens;
    return tokens.access_token;
  }
}

/** A refusal ends it, with the provider's own code; anything else is tried again. */
function problemOf(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  return thrown instanceof Refusal ? new Problem('ended', thrown.error, thrown.message) : new Problem('provider');
}
