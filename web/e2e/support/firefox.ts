import { createRequire } from 'node:module';

/**
 * Playwright sets in every browser how pages look (light or dark, for one),
 * with a command of WebDriver BiDi that Debian's Firefox does not know yet, and
 * gives up when it is refused. Nothing here depends on it, so a command that
 * changes nothing is sent in its place.
 */
const unknown = 'emulation.setMediaFeaturesOverride';

interface Socket {
  prototype: { send: (data: unknown, ...rest: unknown[]) => void };
}
const { ws } = createRequire(createRequire(import.meta.url).resolve('@playwright/test'))('playwright-core/lib/utilsBundle') as { ws: Socket };
const send = ws.prototype.send;
ws.prototype.send = function (data, ...rest) {
  if (typeof data === 'string' && data.includes(`"method":"${unknown}"`)) {
    data = JSON.stringify({ ...(JSON.parse(data) as object), method: 'session.status', params: {} });
  }
  send.call(this, data, ...rest);
};
