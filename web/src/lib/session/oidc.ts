import { ErrorResponse, OidcClient, WebStorageStateStore, type OidcClientSettings } from 'oidc-client-ts';
import { Refusal, unknownState, type Provider } from './auth';
import type { Config } from './config';
import { askLibrary, scopesFor } from './library';
import { load } from '../shell/load';
import type { Proofs } from './proof';

/**
 * The provider, by way of oidc-client-ts. Its `UserManager` would bring frames,
 * pop-ups, timers and a store for tokens, none of which is wanted here.
 */
export async function newProvider(config: Config): Promise<Provider> {
  const here = location.origin + config.basePath;
  const stateStore = new WebStorageStateStore({ store: sessionStorage });
  const library = await askLibrary(config.basePath);
  const { resource, audience } = library;
  const settings: OidcClientSettings = {
    authority: config.issuer,
    client_id: config.clientId,
    redirect_uri: here,
    post_logout_redirect_uri: here,
    response_type: 'code',
    scope: scopesFor(config.scopes, library),
    resource,
    extraQueryParams: audience ? { audience } : {},
    extraTokenParams: resource ? { resource } : {},
    stateStore,
    loadUserInfo: false,
    // Some providers answer a revocation in plain text, which would hang the log-out.
    revokeTokenAdditionalContentTypes: ['text/plain'],
  };
  let client = new OidcClient(settings);
  let proofs: Proofs | undefined;
  if (library.dpop) {
    const metadata = await client.metadataService.getMetadata();
    const offered: unknown = (metadata as Record<string, unknown>)['dpop_signing_alg_values_supported'];
    if (Array.isArray(offered) && offered.includes('ES256')) {
      const bound = await load(() => import('./bound'));
      const store = new bound.KeyStore();
      client = new OidcClient({ ...settings, metadata, dpop: { store } });
      proofs = new bound.Proofs(async () => (await store.get(config.clientId)).keys);
    }
  }
  return {
    async signinAddress(to, silent) {
      await client.clearStaleState();
      return (await client.createSigninRequest({ state: to, prompt: silent ? 'none' : undefined, ui_locales: document.documentElement.lang })).url;
    },
    async finish(address) {
      const state = new URL(address).searchParams.get('state') ?? '';
      if ((await stateStore.get(state)) === null) throw new Refusal(unknownState, '', undefined);
      return client.processSigninResponse(address).catch(refuse);
    },
    refresh: ({ refresh_token = '', id_token, session_state, scope, profile }) =>
      client
        .useRefreshToken({ state: { refresh_token, id_token, session_state, scope, profile, data: undefined }, timeoutInSeconds: 15 })
        .catch(refuse),
    proofs,
    revoke: (token) => client.revokeToken(token, 'refresh_token'),
    signoutAddress: async (id_token_hint) =>
      (await client.createSignoutRequest({ id_token_hint, client_id: config.clientId })).url,
  };
}

function refuse(thrown: unknown): never {
  if (!(thrown instanceof ErrorResponse)) throw thrown;
  throw new Refusal(thrown.error ?? '', thrown.message, thrown.state);
}
