import type { Role } from '../lib/api/api';
import type { Route } from '../lib/shell/router';

interface StaffPage {
  role: Role | 'staff';
  /** There is none where no mails are sent. */
  mail?: true;
  load: () => Promise<{ default: unknown }>;
}

/** The pages that only some people may open. */
export const staffPages: Partial<Record<Route['name'], StaffPage>> = {
  addBook: { role: 'LIBRARY_CURATOR', load: () => import('./BookForm.svelte') },
  scan: { role: 'LIBRARY_CURATOR', load: () => import('./Scan.svelte') },
  editBook: { role: 'LIBRARY_CURATOR', load: () => import('./BookForm.svelte') },
  desk: { role: 'LIBRARY_CURATOR', load: () => import('./Desk.svelte') },
  lending: { role: 'staff', load: () => import('./Lending.svelte') },
  overdue: { role: 'staff', load: () => import('./Overdue.svelte') },
  claimed: { role: 'staff', load: () => import('./Claimed.svelte') },
  holds: { role: 'staff', load: () => import('./Holds.svelte') },
  readers: { role: 'LIBRARY_CURATOR', load: () => import('./Readers.svelte') },
  reader: { role: 'staff', load: () => import('./Reader.svelte') },
  copies: { role: 'staff', load: () => import('./AllCopies.svelte') },
  stocktakes: { role: 'staff', load: () => import('./textpages').then((pages) => pages.stocktakes()) },
  stocktake: { role: 'staff', load: () => import('./textpages').then((pages) => pages.stocktake()) },
  class: { role: 'LIBRARY_CURATOR', load: () => import('./textpages').then((pages) => pages.classSet()) },
  labels: { role: 'staff', load: () => import('./Labels.svelte') },
  import: { role: 'LIBRARY_CURATOR', load: () => import('./Import.svelte') },
  users: { role: 'LIBRARY_ADMIN', load: () => import('./Users.svelte') },
  addUser: { role: 'LIBRARY_ADMIN', load: () => import('./UserForm.svelte') },
  importUsers: { role: 'LIBRARY_ADMIN', load: () => import('./ImportUsers.svelte') },
  editUser: { role: 'LIBRARY_ADMIN', load: () => import('./UserForm.svelte') },
  editRules: { role: 'LIBRARY_ADMIN', load: () => import('./textpages').then((pages) => pages.edit()) },
  notices: { role: 'LIBRARY_ADMIN', mail: true, load: () => import('./textpages').then((pages) => pages.notices()) },
  statistics: { role: 'staff', load: () => import('./Statistics.svelte') },
};
