import { ErrorResponse, OidcClient, WebStorageStateStore } from 'oidc-client-ts';
import { Refusal, unknownState, type Provider } from './auth';
import type { Config } from './config';

/**
 * The provider, by way of oidc-client-ts. Its `UserManager` would bring frames,
 * pop-ups, timers and a store for tokens, none of which is wanted here.
 */
export function newProvider(config: Config): Provider {
  const here = location.origin + config.basePath;
  const stateStore = new WebStorageStateStore({ store: sessionStorage });
  const client = new OidcClient({
    authority: config.issuer,
    client_id: config.clientId,
    redirect_uri: here,
    post_logout_redirect_uri: here,
    response_type: 'code',
    scope: config.scopes,
    stateStore,
    loadUserInfo: false,
    // Some providers answer a revocation in plain text, which would hang the log-out.
    revokeTokenAdditionalContentTypes: ['text/plain'],
  });
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
    revoke: (token) => client.revokeToken(token, 'refresh_token'),
    signoutAddress: async (id_token_hint) =>
      (await client.createSignoutRequest({ id_token_hint, client_id: config.clientId })).url,
  };
}

function refuse(thrown: unknown): never {
  if (!(thrown instanceof ErrorResponse)) throw thrown;
  throw new Refusal(thrown.error ?? '', thrown.message, thrown.state);
}
