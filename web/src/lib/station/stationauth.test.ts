import { expect, test } from 'vitest';
import { Problem } from '../api/problem';
import { Refusal, type Provider, type Tokens } from '../session/auth';
import { StationAuth, type Kept } from './stationauth';

const here = 'https://library.example.org/';

/** A provider whose refresh tokens are good once. */
class Rotating implements Provider {
  good = 0;
  down = false;
  tokens(): Tokens {
    this.good++;
    return { access_token: `access-${this.good}`, refresh_token: `refresh-${this.good}`, expires_at: 100, scope: 'openid offline_access', token_type: 'DPoP' } as Tokens;
  }
  signinAddress = async (): Promise<string> => 'https://idp.example.org/';
  finish = async (): Promise<Tokens> => this.tokens();
  async refresh(old: Tokens): Promise<Tokens> {
    if (this.down) throw new TypeError('Failed to fetch');
    if (old.refresh_token !== `refresh-${this.good}`) throw new Refusal('invalid_grant', 'used before', undefined);
    return this.tokens();
  }
  revoke = async (): Promise<void> => undefined;
  signoutAddress = async (): Promise<string> => '';
}

function machine() {
  const provider = new Rotating();
  const kept = new Map<string, Kept>();
  const keeper = { get: async (name: string) => kept.get(name), set: async (name: string, value: Kept) => void kept.set(name, value) };
  let last: Promise<unknown> = Promise.resolve();
  const alone = <T>(work: () => Promise<T>): Promise<T> => (last = last.then(work, work)) as Promise<T>;
  let now = 0;
  return { provider, kept, open: () => new StationAuth(provider, keeper, alone, () => now), pass: (seconds: number) => void (now += seconds) };
}

test('a station is signed in once and again after each restart, also in two tabs at once', async () => {
  const { provider, kept, open, pass } = machine();
  expect(await open().start(here)).toBe(false);
  const first = open();
  expect(await first.start(here + '?state=x;station&code=y')).toBe(true);
  expect(await first.token()).toBe('access-1');
  expect(first.facts).toEqual({ bound: true, offline: true });
  pass(200);
  const tabs = [open(), open(), first];
  expect(await Promise.all(tabs.map((tab) => tab.start(here)))).toEqual([true, true, true]);
  expect(await Promise.all(tabs.map((tab) => tab.token()))).toEqual(['access-2', 'access-3', 'access-4']);
  expect(provider.good).toBe(4);
  expect(JSON.stringify([...kept])).not.toContain('access-');
});

test('a provider that does not answer is asked again, and a refusal is named', async () => {
  const { provider, kept, open } = machine();
  const auth = open();
  await auth.start(here + '?state=x;station&code=y');
  provider.down = true;
  await expect(auth.renew()).rejects.toEqual(new Problem('provider'));
  provider.down = false;
  expect(await auth.renew()).toBe('access-2');
  kept.set('tokens', { ...kept.get('tokens'), refresh_token: 'refresh-1' } as Kept);
  await expect(auth.renew()).rejects.toMatchObject({ kind: 'ended', code: 'invalid_grant' });
  expect(await open().start(here), 'what may be good again is kept').toBe(true);
});
