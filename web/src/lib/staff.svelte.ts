import de from '../messages/de.staff';
import en, { type StaffMessages } from '../messages/en.staff';
import { i18n } from './i18n.svelte';

/** The texts of the pages for curators and admins. */
export const staff = {
  get t(): StaffMessages {
    return i18n.language === 'de' ? de : en;
  },
};
