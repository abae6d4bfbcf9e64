/** What the server says about where everything is. */
export interface Config {
  issuer: string;
  /** The address of the API, with its base path and without a slash at the end. */
  api: string;
  clientId: string;
  /** Where this page lives: begins and ends with a slash. */
  basePath: string;
  scopes: string;
  /** What the library calls itself; '' if nobody has named it. */
  name: string;
  /** Everybody may read the catalogue, also before signing in. */
  publicCatalogue?: boolean;
}

/** Reads the configuration out of the text that the server put into the page. */
export function parseConfig(text: string, origin: string): Config {
  const given = JSON.parse(text || '{}') as Partial<Record<keyof Config, unknown>>;
  const word = (key: keyof Config, fallback: string): string => {
    const value = given[key];
    return typeof value === 'string' && value !== '' ? value : fallback;
  };
  const basePath = word('basePath', '/');
  return {
    issuer: word('issuer', 'http://localhost:8080/auth/realms/workshop'),
    api: new URL(word('api', 'http://localhost:9091/library-server'), origin).href.replace(/\/+$/, ''),
    clientId: word('clientId', 'library-web'),
    basePath: ('/' + basePath + '/').replace(/\/+/g, '/'),
    scopes: word('scopes', 'openid email profile'),
    name: word('name', ''),
    ...(given.publicCatalogue === true && { publicCatalogue: true }),
  };
}

export function readConfig(): Config {
  return parseConfig(document.getElementById('config')?.textContent ?? '', location.origin);
}
