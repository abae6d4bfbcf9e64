import type { Browser, Page } from '@playwright/test';

/** What a page has done, as Chromium traces it. */
export interface Traced {
  /** Milliseconds of the processor that the main thread has used. */
  work: number;
  /** Tasks of more than 50 ms of the processor, during which a finger is not followed. */
  long: number;
  /** Pictures that were decoded. */
  decoded: number;
}

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  /** Microseconds of the processor, which do not grow when other programs take their turn. */
  tdur?: number;
  args?: { name?: string };
}

const categories = ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'blink', 'cc', '__metadata'];

/** Traces a page during something. */
export async function traced(browser: Browser, page: Page, during: () => Promise<unknown>): Promise<Traced> {
  await browser.startTracing(page, { categories });
  await during();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const thread = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`;
  const mains = new Set(traceEvents.filter((e) => e.ph === 'M' && e.name === 'thread_name' && e.args?.name === 'CrRendererMain').map(thread));
  const tasks = traceEvents.filter((e) => e.name === 'RunTask' && mains.has(thread(e))).map(({ tdur = 0 }) => tdur / 1000);
  return {
    work: tasks.reduce((sum, task) => sum + task, 0),
    long: tasks.filter((task) => task > 50).length,
    decoded: traceEvents.filter((e) => ['Decode Image', 'ImageDecodeTask'].includes(e.name)).length,
  };
}
