import type { User } from '../api/api';
import { nameOf } from './name';
import { switchUser } from './people';
import { problemFrom } from '../api/problem';
import { explain } from '../text/explain';
import { i18n } from '../text/i18n.svelte';
import { staff } from '../text/staff.svelte';
import { toasts } from '../shell/toasts.svelte';

/** Switches somebody off or on and says so, or says why not. `changed` is called whenever it is done, also when it is undone. */
export async function switchPerson(user: User, active: boolean, changed: (active: boolean) => unknown): Promise<void> {
  const { identifier } = user;
  try {
    await switchUser(identifier, active);
  } catch (thrown) {
    const problem = problemFrom(thrown);
    if (problem.kind !== 'ended') toasts.error(explain(problem), identifier);
    return;
  }
  const t = staff.t.users;
  const undo = { label: i18n.t.lending.undo, run: () => void switchPerson(user, !active, changed) };
  toasts.show((active ? t.switchedOn : t.switchedOff)(nameOf(user)), undo, identifier);
  await changed(active);
}
