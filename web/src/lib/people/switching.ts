import type { User } from '../api/api';
import { nameOf } from './name';
import { switchUser, untieUser } from './people';
import { confirmDialog } from '../shell/dialog.svelte';
import { complain } from '../text/complain';
import { i18n } from '../text/i18n.svelte';
import { staff } from '../text/staff.svelte';
import { toasts } from '../shell/toasts.svelte';

/** Switches somebody off or on and says so, or says why not. `changed` is called whenever it is done, also when it is undone. */
export async function switchPerson(user: User, active: boolean, changed: (active: boolean) => unknown): Promise<void> {
  const { identifier } = user;
  if (!(await tried(() => switchUser(identifier, active), identifier))) return;
  const t = staff.t.users;
  const undo = { label: i18n.t.lending.undo, run: () => void switchPerson(user, !active, changed) };
  toasts.show((active ? t.switchedOn : t.switchedOff)(nameOf(user)), undo, identifier);
  await changed(active);
}

/** Unties somebody from the account at the sign-in service, after a question: whoever comes next with the address gets the record. */
export async function untiePerson(user: User, changed: () => unknown): Promise<void> {
  const { identifier } = user;
  const name = nameOf(user);
  const t = staff.t.users;
  const sure = await confirmDialog.ask({ title: t.untieTitle(name), text: t.untieText, yes: t.untie, no: i18n.t.cancel, danger: true });
  if (!sure || !(await tried(() => untieUser(identifier), identifier))) return;
  toasts.show(staff.t.users.untied(name), undefined, identifier);
  await changed();
}

/** Does something, or says why it was not done. */
async function tried(work: () => Promise<void>, topic: string): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (thrown) {
    complain(thrown, topic);
    return false;
  }
}
