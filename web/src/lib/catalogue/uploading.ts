import type { Api } from '../api/api';
import { problemFrom } from '../api/problem';

const tries = 4;

/** Gives a book a cover. The library makes few at a time: when it has too many to make, the picture is sent again, later each time. */
export async function upload(api: Pick<Api, 'raw'>, book: string, picture: Blob, pause = 1000): Promise<void> {
  for (let tried = 1; ; tried++) {
    try {
      await api.raw(`/books/${book}/cover`, { method: 'PUT', headers: { 'Content-Type': picture.type }, body: picture });
      return;
    } catch (thrown) {
      if (problemFrom(thrown).kind !== 'busy' || tried === tries) throw thrown;
    }
    await new Promise((done) => setTimeout(done, pause * (tried + Math.random())));
  }
}
