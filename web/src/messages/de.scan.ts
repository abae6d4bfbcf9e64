import camera from './de.camera';
import type { ScanMessages } from './en.scan';

const de: ScanMessages = {
  camera,
  title: 'Scannen',
  lead: 'Halten Sie das Etikett der Bibliothek vor die Kamera.',
  label: 'Etikett oder ISBN',
  show: 'Anzeigen',
  yoursUntil: (day) => `Bis ${day} bei Ihnen`,
  returned: 'Zurückgegeben. Vielen Dank!',
  swapped: 'Eingetragen war ein anderes Exemplar. Das ist jetzt richtiggestellt.',
  waiting: 'Die Bibliothek antwortet noch nicht.',
  waitingBorrow: 'Sie leihen es aus, sobald die Bibliothek antwortet.',
  waitingReturn: 'Es wird zurückgegeben, sobald die Bibliothek antwortet.',
  looking: 'Einen Augenblick …',
  still: { one: '# Scan wartet auf eine Verbindung.', other: '# Scans warten auf eine Verbindung.' },
  tryAgain: 'Noch einmal versuchen',
  drop: 'Verwerfen',
  several: 'Die Bibliothek hat mehrere Exemplare dieses Buches. Scannen Sie das Etikett auf Ihrem.',
  which: 'Mehrere Bücher haben diese ISBN:',
  unknown: (code) => `Kein Buch hat hier das Etikett „${code}“.`,
  unknownHint: 'Suchen Sie das Etikett der Bibliothek. Der Barcode des Handels hilft nur, wenn die Bibliothek die ISBN kennt.',
  toBook: 'Über dieses Buch',
  earlier: 'Vorher gescannt',
  noReader: 'Um Bücher auszuleihen, brauchen Sie die Rolle „Leser/in“. Bitten Sie eine Administratorin oder einen Administrator darum.',
  no: {
    lent: 'Eingetragen ist es bei jemand anderem. Bringen Sie es zur Theke.',
    reserved: 'Es liegt für jemand anderen bereit. Bringen Sie es zur Theke.',
    none: 'Es wird nicht verliehen. Fragen Sie an der Theke.',
    waiting: 'Sie sind noch nicht an der Reihe. Bringen Sie es zur Theke.',
    deskBorrow: 'Ausgeliehen wird an der Theke.',
    deskReturn: 'Zurückgegeben wird an der Theke.',
  },
  ask: {
    title: 'Welches Exemplar haben Sie?',
    text: (title, count) => `Die Bibliothek hat ${count} Exemplare von „${title}“. Scannen Sie das Etikett auf Ihrem oder geben Sie die Nummer ein.`,
    label: 'Nummer auf dem Etikett',
    later: 'Ich habe es noch nicht in der Hand',
    elsewhere: (code, title) => `„${code}“ ist das Etikett von „${title}“.`,
    isbn: 'Das ist die ISBN, die bei allen Exemplaren gleich ist. Scannen Sie das Etikett der Bibliothek.',
    unknown: (code) => `Kein Buch hat hier das Etikett „${code}“.`,
  },
};

export default de;
