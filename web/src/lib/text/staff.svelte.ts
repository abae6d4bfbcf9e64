import type { StaffMessages } from '../../messages/en.staff';
import { LateTexts } from './late.svelte';

/** The texts of the pages for curators and admins. */
class Staff extends LateTexts<StaffMessages> {
  /** Refusals by their code; none until `load` is done. */
  get codes(): Partial<Record<string, string>> {
    return (this.t as StaffMessages | undefined)?.codes ?? {};
  }
}

export const staff = new Staff({ en: () => import('../../messages/en.staff'), de: () => import('../../messages/de.staff') });
