import { defineConfig, type LaunchOptions } from '@playwright/test';
import './e2e/support/firefox';
import { chromiumPath } from './e2e/support/tools';

// Debian's browsers: nothing is downloaded.
export const chromiumArgs = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
  '--disable-site-isolation-trials', // a process for each tab and not for each site: a tenth less work
  '--in-process-gpu', // nothing is drawn by a GPU, so its process only passes on: about a twentieth less work
];
const chromium: LaunchOptions = { executablePath: chromiumPath, args: chromiumArgs };
// The channel stands for WebDriver BiDi, which a Firefox of any maker speaks.
const firefox: LaunchOptions = { channel: 'moz-firefox', executablePath: process.env.FIREFOX ?? '/usr/bin/firefox-esr' };

/** A browser against the program: `make test-chromium` builds both and runs this. */
export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  globalSetup: './e2e/support/tools.ts',
  fullyParallel: true,
  forbidOnly: !!process.env.CI,
  workers: 3,
  retries: 1, // a browser on a busy machine can miss a time-out; it is reported as flaky
  // A wait ends with what it waits for, or with its test: on a busy machine a bound of its own would fail first.
  timeout: 120_000,
  expect: { timeout: 120_000 },
  globalTimeout: 90 * 60_000,
  reporter: [['dot'], ['./e2e/support/slowest.ts']],
  use: {
    locale: 'en-GB',
    timezoneId: 'UTC',
    viewport: { width: 1280, height: 800 },
    contextOptions: { reducedMotion: 'reduce' },
    screenshot: 'only-on-failure',
  },
  projects: [
    { name: 'chromium', grepInvert: /@measured/, use: { browserName: 'chromium', launchOptions: chromium } },
    { name: 'measured', grep: /@measured/, use: { browserName: 'chromium', launchOptions: chromium } },
    // The ways that people go most, so that it stays short. Tests that bend the network or
    // the look of a page are left out: over WebDriver BiDi that does not work well yet. Nor
    // are there pictures: they take a style that the page's policy forbids.
    { name: 'firefox', grep: /@everywhere/, use: { browserName: 'firefox', launchOptions: firefox, screenshot: 'off' } },
  ],
});
