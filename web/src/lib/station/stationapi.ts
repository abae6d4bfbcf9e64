import type { Answer } from '../api/request';
import type { Api } from '../api/api';
import { within } from '../desk/deskapi';

export type Visitor = Answer<'post', '/station/readers'>;

/** What a station asks of the library. A refusal is thrown as a `Problem`. */
export class StationApi {
  constructor(private readonly api: Api) {}

  async visitor(card: string): Promise<Visitor> {
    return (await within((signal) => this.api.ask('post', '/station/readers', { body: { card }, signal }))).data;
  }

  async lend(card: string, barcode: string): Promise<Answer<'post', '/station/loans'>> {
    return (await within((signal) => this.api.ask('post', '/station/loans', { body: { card, barcode }, signal }))).data;
  }

  async takeBack(barcode: string): Promise<Answer<'post', '/station/returns'>> {
    return (await within((signal) => this.api.ask('post', '/station/returns', { body: { barcode }, signal }))).data;
  }
}
