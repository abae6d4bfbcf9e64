import type { Reporter, Suite, TestCase } from '@playwright/test/reporter';

const most = 10;

/** Says at the end which tests took longest. */
export default class Slowest implements Reporter {
  #root: Suite | undefined;

  onBegin(_: unknown, root: Suite): void {
    this.#root = root;
  }

  onEnd(): void {
    const took = (test: TestCase): number => test.results.reduce((sum, { duration }) => sum + duration, 0);
    const all = (this.#root?.allTests() ?? []).filter((test) => test.results.length > 0).sort((a, b) => took(b) - took(a));
    console.log(`\n  The slowest of ${all.length} tests:`);
    for (const test of all.slice(0, most)) {
      console.log(`  ${(took(test) / 1000).toFixed(1).padStart(6)} s  ${test.location.file.split('/').at(-1)}:${test.location.line} ${test.title}`);
    }
  }

  printsToStdio(): boolean {
    return false;
  }
}
