/** A press of a button or a key. */
interface Press {
  key: string;
  x: number;
  y: number;
  timeStamp: number;
}

const moment = 600; // within which a second press belongs to the first, in milliseconds
const near = 32; // pixels: a finger does not hit the same place twice

let last: Press | undefined;
/** The press that has opened or closed a dialog. */
let turned: Press | undefined;

/** Opens or closes a dialog. The second half of a double click, or of a key pressed twice, then hits nothing. */
export function modal(dialog: HTMLDialogElement | undefined, open: boolean): void {
  turned = last;
  if (open) dialog?.showModal();
  else dialog?.close();
}

function pressed(event: MouseEvent | KeyboardEvent): void {
  const { key = '', repeat = false, x = 0, y = 0, detail, timeStamp } = event as KeyboardEvent & MouseEvent;
  if (key ? key !== 'Enter' && key !== ' ' : detail === 0) {
    if (key) last = undefined; // something is typed: no key is pressed twice
    return; // or a click that a key has made
  }
  if (last && last === turned && last.key === key && Math.hypot(x - last.x, y - last.y) < near && (repeat || timeStamp - last.timeStamp < moment)) {
    event.preventDefault();
    event.stopImmediatePropagation();
  } else last = { key, x, y, timeStamp };
}

/** Watches what is pressed, until the returned function is called. */
export function watchPresses(): () => void {
  const types = ['mousedown', 'click', 'keydown', 'keyup'] as const;
  for (const type of types) addEventListener(type, pressed, true);
  return () => {
    for (const type of types) removeEventListener(type, pressed, true);
  };
}
