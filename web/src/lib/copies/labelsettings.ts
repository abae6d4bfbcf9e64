import { onPaper, sheets, wrongMeasures, type Kind, type Sheet, type SheetName } from './labels';
import { browserStorage } from '../shell/storage';

const key = 'library.label-sheet';

/** How labels are printed here: the box of labels on the shelf does not change often. */
export interface LabelSettings {
  kind: Kind;
  /** The name of a sheet, or '' for measures of one's own. */
  name: SheetName | '';
  own: Sheet;
  /** Whether labels have the author. */
  author: boolean;
  /** A line of the library's own, or ''. */
  line: string;
}

export function readSettings(): LabelSettings {
  const usual: LabelSettings = { kind: 'code128', name: 'Avery L7160', own: { ...sheets['Avery L7160'] }, author: true, line: '' };
  try {
    const saved = JSON.parse(browserStorage.getItem(key) ?? '{}') as Partial<LabelSettings>;
    const own = { ...usual.own, ...saved.own };
    const good = (own.paper === 'a4' || own.paper === 'letter') && wrongMeasures(own).length === 0 && onPaper(own);
    const name = saved.name === '' || (saved.name !== undefined && saved.name in sheets) ? saved.name : usual.name;
    return { kind: saved.kind === 'qr' ? 'qr' : 'code128', name: name === '' && !good ? usual.name : name, own: good ? own : usual.own, author: saved.author !== false, line: typeof saved.line === 'string' ? saved.line : '' };
  } catch {
    return usual;
  }
}

export function writeSettings(settings: LabelSettings): void {
  browserStorage.setItem(key, JSON.stringify(settings));
}
