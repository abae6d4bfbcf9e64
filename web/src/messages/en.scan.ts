import camera from './en.camera';

/** The texts of scanning with one's own phone. `#` stands for the number. */
const en = {
  camera,
  title: 'Scan',
  lead: 'Hold the library’s label of a book up to the camera.',
  label: 'Label or ISBN',
  show: 'Show',
  yoursUntil: (day: string) => `Yours until ${day}`,
  returned: 'Returned. Thank you!',
  swapped: 'It was another copy by the records. That has been put right.',
  waiting: 'The library does not answer yet.',
  waitingBorrow: 'You will borrow it as soon as the library answers.',
  waitingReturn: 'It will be returned as soon as the library answers.',
  looking: 'Just a moment …',
  still: { one: '# scan is waiting for a connection.', other: '# scans are waiting for a connection.' },
  tryAgain: 'Try again',
  drop: 'Forget it',
  several: 'The library has several copies of this book. Scan the label on yours.',
  which: 'Several books have this ISBN:',
  unknown: (code: string) => `No book here has the label “${code}”.`,
  unknownHint: 'Look for the library’s own label. The barcode of the shop works only if the library knows its ISBN.',
  toBook: 'About this book',
  earlier: 'Scanned before',
  noReader: 'To borrow books you need the role “Reader”. Ask an admin to give it to you.',
  /** Why there is nothing to press. */
  no: {
    lent: 'By the records somebody else has it. Take it to the desk.',
    reserved: 'It is set aside for somebody else. Take it to the desk.',
    none: 'It cannot be borrowed. Ask at the desk.',
    waiting: 'It is not your turn yet. Take it to the desk.',
    deskBorrow: 'Books are borrowed at the desk.',
    deskReturn: 'Books are returned at the desk.',
  },
  ask: {
    title: 'Which copy do you have?',
    text: (title: string, count: string) => `The library has ${count} copies of “${title}”. Scan the label on yours, or type its number.`,
    label: 'Number on the label',
    later: 'I don’t have it in my hand yet',
    elsewhere: (code: string, title: string) => `“${code}” is the label of “${title}”.`,
    isbn: 'That is the ISBN, which is the same on all copies. Scan the library’s label.',
    unknown: (code: string) => `No book here has the label “${code}”.`,
  },
};

export type ScanMessages = typeof en;
export default en;
