import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answered, core, expect, signIn, test } from './support/fixtures';
import { borrow, card } from './support/elements';

/** A proxy that calls the service by another name than browsers do. */
async function proxyTo(target: string): Promise<Server> {
  const { host, hostname, port } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    const onward = request(
      { host: hostname.endsWith('.localhost') ? '127.0.0.1' : hostname, port, method: incoming.method, path: incoming.url, headers: { ...incoming.headers, host } },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return server;
}

test('tokens are bound to a key of the browser, behind a proxy with another name, too', core, async ({ page, stack, consoleErrors }) => {
  consoleErrors.expect(answered(401)); // the first proof has no nonce yet
  const proxy = await proxyTo(stack.api);
  try {
    const api = `http://public.localhost:${(proxy.address() as AddressInfo).port}/library-server`;
    await stack.reset(
      '--dpop', 'required', '--dpop-nonce', '--resource-metadata', '--public-api-url', api,
      '--web', '--web-addr', `127.0.0.1:${new URL(stack.web).port}`, '--web-api', api,
    );
    const sent: Record<string, string>[] = [];
    page.on('request', (asked) => void (asked.url().startsWith(api) && asked.method() !== 'OPTIONS' && sent.push(asked.headers())));
    const granted = page.waitForResponse((answer) => answer.url().endsWith('/protocol/openid-connect/token') && answer.request().method() === 'POST');
    await signIn(page, 'bwayne');
    expect(((await (await granted).json()) as { token_type: string }).token_type).toBe('DPoP');
    const lent = page.waitForResponse((answer) => answer.url().endsWith('/borrow') && answer.request().method() === 'POST' && answer.ok());
    await borrow(page, 'Clean Code').click();
    await lent;
    await expect(card(page, 'Clean Code')).toContainText('Yours');
    expect(sent.length).toBeGreaterThan(1);
    for (const headers of sent) expect(headers['authorization']).toMatch(/^DPoP /);
    expect(new Set(sent.map((headers) => headers['dpop'])).size).toBe(sent.length);
    await page.reload(); // the key is still there, the token is not
    await expect(card(page, 'Clean Code')).toContainText('Yours');
    await page.goto('about:blank');
  } finally {
    proxy.closeAllConnections();
    proxy.close();
  }
});
