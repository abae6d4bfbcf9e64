import { reason } from '../text/complain';

/** What a press starts, and in words what went wrong with it. */
export class Work {
  busy = $state(false);
  error = $state('');

  async run(work: () => Promise<void>): Promise<void> {
    this.busy = true;
    this.error = '';
    try {
      await work();
    } catch (thrown) {
      this.error = reason(thrown);
    }
    this.busy = false;
  }
}
