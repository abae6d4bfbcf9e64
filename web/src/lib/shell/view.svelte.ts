import { browserStorage } from './storage';

const key = 'library.view';

/** How this browser shows the catalogue: as covers, or as a list. */
class View {
  list = $state(browserStorage.getItem(key) === 'list');

  choose(list: boolean): void {
    this.list = list;
    browserStorage.setItem(key, list ? 'list' : 'covers');
  }
}

export const view = new View();
