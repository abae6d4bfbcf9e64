import { mount } from 'svelte';
import App from './App.svelte';
import { readConfig } from './lib/session/config';
import { i18n } from './lib/text/i18n.svelte';
import { report } from './lib/session/reload';
import { session } from './lib/session/session.svelte';
import { theme } from './lib/shell/theme.svelte';
import './style.css';
import './controls.css';

// No `await` at the top: files that are loaded later import from this one, and
// would wait for it while it waits for them.
theme.start();
addEventListener('pageshow', (e) => e.persisted && session.restored());
const target = document.getElementById('app');
if (target) {
  // Both at once: the texts come over the network, and so does the session.
  const config = readConfig();
  i18n.named = config.name;
  void session.start(config);
  void i18n.start().then((problem) => {
    mount(App, { target });
    if (problem) report(problem);
  });
}
