import { Api, type Me, type Policy } from '../api/api';
import { Problem, problemFrom } from '../api/problem';
import type { Config } from '../session/config';
import { KeyStore } from '../session/keystore';
import { newProvider } from '../session/oidc';
import { stationDatabase } from '../session/stationplace';
import { StationApi } from './stationapi';
import { StationAuth, type Kept } from './stationauth';

/** How the station stands: nobody has set it up, it works, or people have to go to the desk. */
export type Phase = 'starting' | 'new' | 'open' | 'closed';

const look = 60_000; // milliseconds between looks at whether the station may go on

/** Station signs a machine in, keeps it so, and knows why if it cannot. */
export class Station {
  phase = $state<Phase>('starting');
  me = $state.raw<Me>();
  policy = $state.raw<Policy>();
  /** Why it is closed. */
  problem = $state.raw<Problem>();
  /** When it was last known to work. */
  worked = $state<number>();
  api!: StationApi;
  #library!: Api;
  #auth: StationAuth | undefined;
  readonly #config: Config;
  readonly #address: string;

  constructor(config: Config) {
    this.#config = config;
    this.#address = location.href;
    // The provider's answer is of use once, and nothing of it stays in the address.
    history.replaceState(null, '', config.basePath + 'station');
    this.#library = new Api(config.api, {
      token: async () => (await this.#signedIn()).token(),
      renew: async () => (await this.#signedIn()).renew(),
      refused: () => undefined, // whoever has asked is told
      proofs: () => this.#auth?.proofs,
    });
    this.api = new StationApi(this.#library);
  }

  get facts(): { bound: boolean; offline: boolean } | undefined {
    return this.#auth?.facts;
  }

  /** Opens, and looks from time to time, until the returned function is called. */
  start(): () => void {
    void this.check();
    const timer = setInterval(() => void this.check(), look);
    const online = (): void => void this.check();
    addEventListener('online', online);
    return () => {
      clearInterval(timer);
      removeEventListener('online', online);
    };
  }

  /** Asks the library whether this is a station, and its rules. */
  async check(): Promise<void> {
    try {
      if (!globalThis.crypto?.subtle) throw new Problem('unexpected', 'insecure');
      if (!(await this.#isSetUp())) return void (this.phase = 'new');
      const me = await this.#library.me();
      if (!me.station) throw new Problem('forbidden', 'no_station');
      this.policy = (await this.#library.ask('get', '/policy', {})).data;
      this.me = me;
      this.worked = Date.now();
      this.problem = undefined;
      this.phase = 'open';
    } catch (thrown) {
      this.close(problemFrom(thrown));
    }
  }

  /** Sends people to the desk until the station works again. */
  close(problem: Problem): void {
    this.problem = problem;
    this.phase = 'closed';
  }

  /** Goes to the provider, where somebody signs the station in. */
  async signIn(): Promise<void> {
    try {
      location.assign(await (await this.#signedIn()).signinAddress(this.#config.basePath + 'station'));
    } catch (thrown) {
      this.close(problemFrom(thrown));
    }
  }

  #set: Promise<boolean> | undefined;

  #isSetUp(): Promise<boolean> {
    this.#set ??= this.#signedIn()
      .then((auth) => auth.start(this.#address))
      .catch((thrown: unknown) => {
        this.#set = undefined; // for the next try
        throw thrown;
      });
    return this.#set;
  }

  /** The provider has to answer once before anything else: what is kept depends on what it offers. */
  async #signedIn(): Promise<StationAuth> {
    if (this.#auth) return this.#auth;
    let provider;
    try {
      provider = await newProvider(this.#config, true);
    } catch (thrown) {
      throw thrown instanceof Problem ? thrown : new Problem('provider');
    }
    return (this.#auth = new StationAuth(provider, new KeyStore<Kept>(stationDatabase), async (work) => await navigator.locks.request(stationDatabase, work)));
  }
}
