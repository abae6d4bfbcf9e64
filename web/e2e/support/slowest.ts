import { appendFileSync } from 'node:fs';
import type { Reporter, Suite, TestCase } from '@playwright/test/reporter';

const most = 10;

/** Says at the end which tests took longest, and in the summary of several targets which failed or passed at the second try alone. */
export default class Slowest implements Reporter {
  #root: Suite | undefined;

  onBegin(_: unknown, root: Suite): void {
    this.#root = root;
  }

  onEnd(): void {
    const took = (test: TestCase): number => test.results.reduce((sum, { duration }) => sum + duration, 0);
    const all = (this.#root?.allTests() ?? []).filter((test) => test.results.length > 0).sort((a, b) => took(b) - took(a));
    const named = (test: TestCase): string => `${test.location.file.split('/').at(-1)}:${test.location.line} ${test.title}`;
    const lines = [`The slowest of ${all.length} tests:`];
    for (const test of all.slice(0, most)) lines.push(`${(took(test) / 1000).toFixed(1).padStart(6)} s  ${named(test)}`);
    for (const test of all.filter((test) => test.outcome() === 'flaky')) lines.push(`FLAKY: ${named(test)} passed at the second try`);
    for (const test of all.filter((test) => test.outcome() === 'unexpected')) lines.push(`FAILED: ${named(test)}`);
    const text = lines.map((line) => `  ${line}\n`).join('');
    console.log(`\n${text}`);
    const project = all[0]?.titlePath()[1] ?? '';
    if (process.env.TEST_SUMMARY) appendFileSync(process.env.TEST_SUMMARY, `\nplaywright (${project})\n${text}`);
  }

  printsToStdio(): boolean {
    return false;
  }
}
