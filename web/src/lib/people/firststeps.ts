import { browserStorage } from '../shell/storage';

/** What a new library needs before anybody can borrow. */
export interface Beginning {
  curator: boolean;
  timeZone: string;
  books: number;
  /** With the admin. */
  people: number;
  mail: boolean;
}

export type FirstStep = 'role' | 'rules' | 'books' | 'people' | 'mail';

/** The first steps in their order, and whether each is done. */
function firstSteps({ curator, timeZone, books, people, mail }: Beginning): [FirstStep, boolean][] {
  return [
    ['role', curator],
    ['rules', timeZone !== 'UTC'],
    ['books', books > 0],
    ['people', people > 1],
    ['mail', mail],
  ];
}

const hiddenKey = 'library.first-steps';

/** Keeps the first steps off the page, in this browser. */
export const hideFirstSteps = (): void => browserStorage.setItem(hiddenKey, 'hidden');

/** Reports whether a library with so many books may still be new, and nobody has hidden its first steps. */
export const mayBeNew = (books: number): boolean => books < 20 && browserStorage.getItem(hiddenKey) === null;

/** The first steps of a library that is new and has some before it; none otherwise. Without books it is new; with a few it is if the admin is alone. */
export function stepsOfNew(given: Beginning): [FirstStep, boolean][] {
  const steps = firstSteps(given);
  const isNew = mayBeNew(given.books) && (given.books === 0 || given.people === 1);
  return isNew && steps.some(([, done]) => !done) ? steps : [];
}
