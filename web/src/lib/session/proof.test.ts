import { expect, test } from 'vitest';
import { scopesFor } from './library';
import { Proofs } from './proof';

const keys = crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify']);
const decode = (text = ''): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));
const part = (text?: string): Record<string, unknown> => JSON.parse(new TextDecoder().decode(decode(text))) as Record<string, unknown>;

async function read(proof: string): Promise<{ header: Record<string, unknown>; claims: Record<string, unknown> }> {
  const [header, claims, signature] = proof.split('.');
  const good = await crypto.subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, (await keys).publicKey, decode(signature), new TextEncoder().encode(`${header}.${claims}`));
  expect(good).toBe(true);
  return { header: part(header), claims: part(claims) };
}

const refused = (error: string, headers: Record<string, string>): Response =>
  new Response('', { status: 401, headers: { 'WWW-Authenticate': `DPoP error="${error}", algs="ES256"`, ...headers } });

test('a proof is for one request and one token, and has no private key in it', async () => {
  const proofs = new Proofs(() => keys, () => 1000);
  const { header, claims } = await read(await proofs.make('POST', 'https://library.test/api/books?q=1#x', 'token'));
  expect(header).toMatchObject({ typ: 'dpop+jwt', alg: 'ES256', jwk: { kty: 'EC', crv: 'P-256' } });
  expect(Object.keys(header['jwk'] as object)).toEqual(['kty', 'crv', 'x', 'y']);
  expect(claims).toMatchObject({ htm: 'POST', htu: 'https://library.test/api/books', iat: 1000, ath: 'PEaenWxYddN6Q_NT1PiOYfz4EsZu7jRXRlpAsNpBU-A' });
  expect(claims).not.toHaveProperty('nonce');
  const next = await read(await proofs.make('POST', 'https://library.test/api/books', 'token'));
  expect(next.claims['jti']).not.toBe(claims['jti']);
});

test('a nonce is used as soon as it is known, and a new one is worth another try', async () => {
  const proofs = new Proofs(() => keys);
  expect(proofs.learn(refused('use_dpop_nonce', { 'DPoP-Nonce': 'a' }))).toBe(true);
  expect((await read(await proofs.make('GET', 'https://library.test/', 't'))).claims).toMatchObject({ nonce: 'a' });
  expect(proofs.learn(refused('use_dpop_nonce', { 'DPoP-Nonce': 'a' }))).toBe(false);
  expect(proofs.learn(new Response('', { headers: { 'DPoP-Nonce': 'b' } }))).toBe(false);
  expect((await read(await proofs.make('GET', 'https://library.test/', 't'))).claims).toMatchObject({ nonce: 'b' });
});

test('a wrong clock is corrected by the library, once', async () => {
  const proofs = new Proofs(() => keys, () => 1000);
  const date = { Date: new Date(9000_000).toUTCString() };
  expect(proofs.learn(new Response('', { headers: date }))).toBe(false);
  expect(proofs.learn(refused('invalid_dpop_proof', {}))).toBe(false);
  expect(proofs.learn(refused('invalid_dpop_proof', date))).toBe(true);
  expect(proofs.learn(refused('invalid_dpop_proof', date))).toBe(false);
  expect((await read(await proofs.make('GET', 'https://library.test/', 't'))).claims).toMatchObject({ iat: 9000 });
});

test('what the library wants is asked for, too', () => {
  expect(scopesFor('openid email', {})).toBe('openid email');
  expect(scopesFor('openid email', { scopes: ['email', 'library'] })).toBe('openid email library');
});
