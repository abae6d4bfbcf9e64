/** Where a station keeps its key and its refresh token. */
export const stationDatabase = 'library.station';

/** What the request of a station is known by when the provider answers it: the answer arrives at the front page. */
export const stationMark = 'station';

/** Reports whether an address is of the page of a station, or an answer of the provider to it. */
export function isStation({ pathname, search }: { pathname: string; search: string }, basePath: string): boolean {
  const state = new URLSearchParams(search).get('state') ?? '';
  return pathname.replace(/\/$/, '') === basePath + 'station' || (pathname === basePath && state.endsWith(';' + stationMark));
}
