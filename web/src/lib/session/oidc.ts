import { ErrorResponse, OidcClient, WebStorageStateStore, type OidcClientSettings } from 'oidc-client-ts';
import { Refusal, unknownState, type Provider } from './auth';
import type { Config } from './config';
import { askLibrary, scopesFor } from './library';
import { load } from '../shell/load';
import type { Proofs } from './proof';
import { stationDatabase, stationMark } from './stationplace';

/**
 * The provider, by way of oidc-client-ts. Its `UserManager` would bring frames,
 * pop-ups, timers and a store for tokens, none of which is wanted here.
 */
export async function newProvider(config: Config, station = false): Promise<Provider> {
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
    prompt: station ? 'login' : undefined, // whoever sets a station up is signed in as somebody else
    resource,
    extraQueryParams: audience ? { audience } : {},
    extraTokenParams: resource ? { resource } : {},
    stateStore,
    loadUserInfo: false,
    // Some providers answer a revocation in plain text, which would hang the log-out.
    revokeTokenAdditionalContentTypes: ['text/plain'],
  };
  let client = new OidcClient(settings);
  if (station && (await offers(client, 'offline_access'))) {
    // Only a station stays signed in without a person. OpenID Connect asks for the prompt.
    settings.scope += ' offline_access';
    settings.prompt = 'login consent';
    client = new OidcClient(settings);
  }
  let proofs: Proofs | undefined;
  if (library.dpop) {
    const metadata = await client.metadataService.getMetadata();
    const offered: unknown = (metadata as Record<string, unknown>)['dpop_signing_alg_values_supported'];
    if (Array.isArray(offered) && offered.includes('ES256')) {
      const bound = await load(() => import('./bound'));
      const store = new bound.KeyStore(station ? stationDatabase : undefined);
      client = new OidcClient({ ...settings, metadata, dpop: { store } });
      proofs = new bound.Proofs(async () => (await store.get(config.clientId)).keys);
    }
  }
  return {
    async signinAddress(to, silent) {
      await client.clearStaleState();
      return (await client.createSigninRequest({ state: to, prompt: silent ? 'none' : settings.prompt, url_state: station ? stationMark : undefined, ui_locales: document.documentElement.lang })).url;
    },
    async finish(address) {
      const [state = ''] = (new URL(address).searchParams.get('state') ?? '').split(';');
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

async function offers(client: OidcClient, scope: string): Promise<boolean> {
  const { scopes_supported: scopes }: { scopes_supported?: unknown } = await client.metadataService.getMetadata();
  return Array.isArray(scopes) && scopes.includes(scope);
}

function refuse(thrown: unknown): never {
  if (!(thrown instanceof ErrorResponse)) throw thrown;
  throw new Refusal(thrown.error ?? '', thrown.message, thrown.state);
}
