import { mount } from 'svelte';
import App from './App.svelte';
import { readConfig, type Config } from './lib/session/config';
import { i18n } from './lib/text/i18n.svelte';
import { isStation } from './lib/session/stationplace';
import { load } from './lib/shell/load';
import { report } from './lib/session/reload';
import { session } from './lib/session/session.svelte';
import { theme } from './lib/shell/theme.svelte';
import './style.css';
import './controls.css';

// No `await` at the top: files that are loaded later import from this one, and
// would wait for it while it waits for them.
theme.start();
const target = document.getElementById('app');
if (target) {
  // Both at once: the texts come over the network, and so does the session.
  const config = readConfig();
  i18n.named = config.name;
  if (isStation(location, config.basePath)) void startStation(config, target);
  else start(config, target);
}

function start(config: Config, target: HTMLElement): void {
  addEventListener('pageshow', (e) => e.persisted && session.restored());
  void session.start(config);
  void i18n.start().then((problem) => {
    mount(App, { target });
    if (problem) report(problem);
  });
}

/** Shows the page of a station, which has nothing in common with the others. It tries again until it can be loaded: nobody is there who would. */
async function startStation(config: Config, target: HTMLElement): Promise<void> {
  try {
    await i18n.start();
    const { default: Station } = await load(() => import('./views/Station.svelte'));
    mount(Station, { target, props: { config } });
  } catch {
    setTimeout(() => location.reload(), 20_000);
  }
}
