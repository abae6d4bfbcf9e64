import { mount } from 'svelte';
import App from './App.svelte';
import { readConfig } from './lib/config';
import { i18n } from './lib/i18n.svelte';
import { session } from './lib/session.svelte';
import { theme } from './lib/theme.svelte';
import './style.css';

theme.start();
const target = document.getElementById('app');
if (target) {
  // Both at once: the texts come over the network, and so does the session.
  const texts = i18n.start();
  const begun = session.start(readConfig());
  await texts;
  mount(App, { target });
  await begun;
}
