import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a catalogue that answers as Open Library does says of a book. */
export interface Known {
  title: string;
  subtitle?: string;
  authors?: { name: string }[];
  publishers?: { name: string }[];
  publish_date?: string;
}

/** Runs another catalogue on this machine while something is done with its setting for `--lookup`. */
export async function withSource(know: (isbn: string) => Known | undefined, run: (setting: string) => Promise<void>): Promise<void> {
  const server = createServer((request, response) => {
    const asked = new URL(request.url ?? '/', 'http://source').searchParams.get('bibkeys')?.split(',') ?? [];
    const answers = asked.flatMap((key) => {
      const known = know(key.replace('ISBN:', ''));
      return known ? [[key, known]] : [];
    });
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(Object.fromEntries(answers)));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  try {
    await run(`openlibrary+http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
