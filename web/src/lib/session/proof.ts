const wrongClock = 30; // seconds from which on a clock is believed to be wrong

const encode = (data: ArrayBuffer | Uint8Array): string =>
  btoa(String.fromCharCode(...new Uint8Array(data))).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** Proofs that the sender of a token has the key that it is bound to (RFC 9449). */
export class Proofs {
  #nonce: string | undefined;
  #ahead = 0; // seconds that the library's clock is ahead of ours

  constructor(
    /** The keys of this browser, of which nobody can read the private one. */
    private readonly keys: () => Promise<CryptoKeyPair>,
    private readonly now: () => number = () => Date.now() / 1000,
  ) {}

  /** A proof for one request with that token. */
  async make(method: string, address: string, token: string): Promise<string> {
    const { privateKey, publicKey } = await this.keys();
    const { kty, crv, x, y } = await crypto.subtle.exportKey('jwk', publicKey);
    const { origin, pathname } = new URL(address);
    const claims = {
      jti: crypto.randomUUID(),
      htm: method,
      htu: origin + pathname,
      iat: Math.round(this.now() + this.#ahead),
      ath: encode(await crypto.subtle.digest('SHA-256', utf8(token))),
      nonce: this.#nonce,
    };
    const signed = [{ typ: 'dpop+jwt', alg: 'ES256', jwk: { kty, crv, x, y } }, claims].map((part) => encode(utf8(JSON.stringify(part)))).join('.');
    return `${signed}.${encode(await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, utf8(signed)))}`;
  }

  /** Takes what an answer says about proofs. True if the same request is worth another try because of it. */
  learn({ status, headers }: Response): boolean {
    const problem = status === 401 ? /\berror="(use_dpop_nonce|invalid_dpop_proof)"/.exec(headers.get('WWW-Authenticate') ?? '')?.[1] : undefined;
    const nonce = headers.get('DPoP-Nonce');
    const isNew = nonce !== null && nonce !== this.#nonce;
    if (isNew) this.#nonce = nonce;
    if (problem === 'use_dpop_nonce') return isNew;
    const ahead = Date.parse(headers.get('Date') ?? '') / 1000 - this.now();
    if (problem === undefined || !(Math.abs(ahead - this.#ahead) > wrongClock)) return false;
    this.#ahead = ahead;
    return true;
  }
}
