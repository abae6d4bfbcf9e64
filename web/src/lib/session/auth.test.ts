import { describe, expect, test, vi } from 'vitest';
import { Auth, lazyProvider, Refusal, safeReturn, unknownState, type Provider, type Tokens } from './auth';

const origin = 'https://library.test';

function tokens(more: Partial<Tokens> = {}): Tokens {
  return { access_token: 'a1', refresh_token: 'r1', id_token: 'i1', expires_at: 1300, userState: '/loans?x=1', profile: {} as Tokens['profile'], session_state: null, ...more };
}

const keep = (hints: Map<string, string>) => ({
  getItem: (k: string) => hints.get(k) ?? null,
  setItem: (k: string, v: string) => void hints.set(k, v),
  removeItem: (k: string) => void hints.delete(k),
});

function world(provider: Partial<Provider> = {}, hinted = false, lasting = new Map<string, string>()) {
  const hints = new Map<string, string>(hinted ? [['library.signed-in', '1']] : []);
  const visited: string[] = [];
  const replaced: string[] = [];
  let now = 1000;
  const full: Provider = {
    signinAddress: (to, silent) => Promise.resolve(`idp:${silent ? 'silent' : 'in'}:${to}`),
    finish: () => Promise.resolve(tokens()),
    refresh: () => Promise.resolve(tokens({ access_token: 'a2', refresh_token: 'r2', expires_at: 1600 })),
    revoke: () => Promise.resolve(),
    signoutAddress: (id) => Promise.resolve(`idp:out:${id}`),
    ...provider,
  };
  const auth = new Auth(full, keep(hints), keep(lasting), origin, '/', (a, replace) => (replace ? replaced : visited).push(a), () => now);
  return { auth, hints, lasting, visited, replaced, at: (t: number) => (now = t) };
}

const back = `${origin}/?code=c&state=s`;
const signedIn = async (provider: Partial<Provider> = {}) => {
  const w = world(provider);
  await w.auth.start(back);
  return w;
};

describe('the beginning', () => {
  test('a first visit is signed out, at the address it asked for', async () => {
    const w = world();
    expect(await w.auth.start(`${origin}/books/x?q=1`)).toEqual({ state: 'out', to: '/books/x?q=1' });
    expect(w.visited).toEqual([]);
  });

  test('back from the provider it goes where it wanted to', async () => {
    const w = world();
    expect(await w.auth.start(back)).toEqual({ state: 'in', to: '/loans?x=1' });
    expect(w.hints.size).toBe(1);
    expect(await w.auth.token()).toBe('a1');
  });

  test('the storage gets a hint and never a token', async () => {
    const w = await signedIn();
    expect([...w.hints.values(), ...w.lasting.values()].join()).toBe('1,1');
  });

  test('a new tab of somebody who is signed in asks silently', async () => {
    const { lasting } = await signedIn();
    const w = world({}, false, lasting);
    expect(await w.auth.start(`${origin}/books/x`)).toEqual({ state: 'away' });
    expect(w.replaced).toEqual(['idp:silent:/books/x']);
  });

  test('one refused tab is enough: the next does not ask', async () => {
    const { lasting } = await signedIn();
    const no = { finish: () => Promise.reject(new Refusal('login_required', '', '/')) };
    await world(no, false, lasting).auth.start(`${origin}/?error=login_required&state=s`);
    const w = world({}, false, lasting);
    expect(await w.auth.start(`${origin}/`)).toEqual({ state: 'out', to: '/' });
    expect(w.replaced).toEqual([]);
  });

  test('a reload asks the provider silently, keeps the address and leaves no trace for the back button', async () => {
    const w = world({}, true);
    expect(await w.auth.start(`${origin}/loans#a`)).toEqual({ state: 'away' });
    expect(w.replaced).toEqual(['idp:silent:/loans#a']);
    expect(w.visited).toEqual([]);
    // A provider that says no, or nothing, is not asked again and again.
    expect(await w.auth.start(`${origin}/loans`)).toEqual({ state: 'out', to: '/loans' });
    expect(w.replaced).toHaveLength(1);
  });

  test('a provider that cannot be reached is reported, and asked again next time', async () => {
    const w = world({ signinAddress: () => Promise.reject(new TypeError()) }, true);
    expect(await w.auth.start(`${origin}/loans`)).toMatchObject({ state: 'out', to: '/loans', problem: { kind: 'provider' } });
    expect(w.hints.size).toBe(1);
  });

  test.each(['login_required', 'interaction_required', 'access_denied'])('%s is no error', async (error) => {
    const w = world({ finish: () => Promise.reject(new Refusal(error, '', '/loans')) });
    expect(await w.auth.start(`${origin}/?error=${error}&state=s`)).toEqual({ state: 'out', to: '/loans', problem: undefined });
  });

  test('another refusal is reported', async () => {
    const w = world({ finish: () => Promise.reject(new Refusal('invalid_scope', 'words', undefined)) });
    expect(await w.auth.start(back)).toMatchObject({ state: 'out', to: '/', problem: { kind: 'unexpected', code: 'invalid_scope' } });
  });

  test('a provider that is out of order is reported as such', async () => {
    const w = world({ finish: () => Promise.reject(new Refusal('temporarily_unavailable', '', '/loans')) });
    expect(await w.auth.start(back)).toMatchObject({ state: 'out', to: '/loans', problem: { kind: 'provider' } });
  });

  test('an answer that was used before starts over', async () => {
    const finish = () => Promise.reject(new Refusal(unknownState, '', undefined));
    const w = world({ finish }, true);
    expect(await w.auth.start(back)).toEqual({ state: 'away' });
    expect(w.replaced).toEqual(['idp:silent:/']);
    expect(await world({ finish }).auth.start(back)).toEqual({ state: 'out', to: '/' });
  });

  test('a provider that goes away in the middle is said so', async () => {
    const w = world({ finish: () => Promise.reject(new TypeError('Failed to fetch')) });
    expect(await w.auth.start(back)).toMatchObject({ state: 'out', problem: { kind: 'provider' } });
  });
});

describe('tokens', () => {
  test('are used while they are good for 20 seconds', async () => {
    const w = await signedIn();
    w.at(1279);
    expect(await w.auth.token()).toBe('a1');
    w.at(1281);
    expect(await w.auth.token()).toBe('a2');
  });

  test('requests at the same time share one renewal', async () => {
    const refresh = vi.fn(() => Promise.resolve(tokens({ access_token: 'a2' })));
    const w = await signedIn({ refresh });
    w.at(1290);
    expect(await Promise.all([w.auth.token(), w.auth.token(), w.auth.renew()])).toEqual(['a2', 'a2', 'a2']);
    expect(refresh).toHaveBeenCalledTimes(1);
    await w.auth.renew();
    expect(refresh).toHaveBeenCalledTimes(2);
  });

  test('a renewal that brings no new refresh token keeps the old one', async () => {
    const seen: (string | undefined)[] = [];
    const w = await signedIn({ refresh: (t) => (seen.push(t.refresh_token), Promise.resolve(tokens({ refresh_token: undefined }))) });
    await w.auth.renew();
    await w.auth.renew();
    expect(seen).toEqual(['r1', 'r1']);
  });

  test('a refused renewal ends the session', async () => {
    const w = await signedIn({ refresh: () => Promise.reject(new Refusal('invalid_grant', '', undefined)) });
    await expect(w.auth.renew()).rejects.toMatchObject({ kind: 'ended' });
    await expect(w.auth.token()).rejects.toMatchObject({ kind: 'ended' });
    expect(w.hints.size).toBe(0);
  });

  test.each(['temporarily_unavailable', 'server_error', ''])('a renewal that fails with "%s" does not end it', async (error) => {
    const w = await signedIn({ refresh: () => Promise.reject(new Refusal(error, '', undefined)) });
    await expect(w.auth.renew()).rejects.toMatchObject({ kind: 'provider' });
    expect(await w.auth.token()).toBe('a1');
    expect(w.hints.size).toBe(1);
  });

  test('a provider that cannot be reached does not end it', async () => {
    const w = await signedIn({ refresh: () => Promise.reject(new TypeError('Failed to fetch')) });
    await expect(w.auth.renew()).rejects.toMatchObject({ kind: 'provider' });
    expect(await w.auth.token()).toBe('a1');
  });

  test('without a refresh token there is no renewal', async () => {
    const w = await signedIn({ finish: () => Promise.resolve(tokens({ refresh_token: undefined })) });
    await expect(w.auth.renew()).rejects.toMatchObject({ kind: 'ended' });
  });
});

describe('signing out', () => {
  test('revokes the refresh token and goes to the provider', async () => {
    const revoke = vi.fn(() => Promise.resolve());
    const w = await signedIn({ revoke });
    await w.auth.signOut();
    expect(revoke).toHaveBeenCalledWith('r1');
    expect(w.visited).toEqual(['idp:out:i1']);
    expect(w.hints.size + w.lasting.size).toBe(0);
  });

  test('forgets the tokens even if the provider is away', async () => {
    const away = () => Promise.reject(new TypeError());
    const w = await signedIn({ revoke: away, signoutAddress: away });
    await expect(w.auth.signOut()).rejects.toMatchObject({ kind: 'provider' });
    await expect(w.auth.token()).rejects.toMatchObject({ kind: 'ended' });
  });
});

test.each<[unknown, string]>([
  ['/lib/loans?a=1#b', '/lib/loans?a=1#b'],
  [`${origin}/lib/`, '/lib/'],
  ['https://evil.test/lib/', '/lib/'],
  ['//evil.test/lib/', '/lib/'],
  ['\\\\evil.test/lib/', '/lib/'],
  ['javascript:alert(1)', '/lib/'],
  ['/elsewhere', '/lib/'],
  ['http://[', '/lib/'],
  [{ to: '/lib/' }, '/lib/'],
  [undefined, '/lib/'],
])('after signing in with state %j it goes to %s', (state, want) => expect(safeReturn(state, origin, '/lib/')).toBe(want));

test('a provider that could not be loaded is loaded again', async () => {
  let times = 0;
  const provider = lazyProvider(() => (times++ === 0 ? Promise.reject(new TypeError()) : Promise.resolve(world() && ({ signinAddress: () => Promise.resolve('x') } as unknown as Provider))));
  await expect(provider.signinAddress('', false)).rejects.toThrow(TypeError);
  expect(await provider.signinAddress('', false)).toBe('x');
  expect(await provider.signinAddress('', false)).toBe('x');
  expect(times).toBe(2);
});
