import { defineConfig, type LaunchOptions } from '@playwright/test';
import './e2e/support/firefox';

// Debian's browsers: nothing is downloaded.
export const chromiumArgs = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
];
const chromium: LaunchOptions = { executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: chromiumArgs };
// The channel stands for WebDriver BiDi, which a Firefox of any maker speaks.
const firefox: LaunchOptions = { channel: 'moz-firefox', executablePath: process.env.FIREFOX ?? '/usr/bin/firefox-esr' };

/** A browser against the program: `make test-web` builds both and runs this. */
export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  globalSetup: './e2e/support/tools.ts',
  fullyParallel: true,
  forbidOnly: !!process.env.CI,
  workers: 2,
  retries: 1, // a browser on a busy machine can miss a time-out; it is reported as flaky
  timeout: 60_000,
  globalTimeout: 15 * 60_000,
  expect: { timeout: 10_000 },
  reporter: [['dot']],
  use: {
    locale: 'en-GB',
    timezoneId: 'UTC',
    viewport: { width: 1280, height: 800 },
    contextOptions: { reducedMotion: 'reduce' },
    actionTimeout: 10_000,
    navigationTimeout: 15_000,
    screenshot: 'only-on-failure',
  },
  projects: [
    { name: 'chromium', use: { browserName: 'chromium', launchOptions: chromium } },
    // The ways that people go most, so that it stays short. Tests that bend the network or
    // the look of a page are left out: over WebDriver BiDi that does not work well yet. Nor
    // are there pictures: they take a style that the page's policy forbids.
    { name: 'firefox', grep: /@everywhere/, use: { browserName: 'firefox', launchOptions: firefox, screenshot: 'off' } },
  ],
});
