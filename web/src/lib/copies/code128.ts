/** The widths of bars and spaces, alternately, of every symbol; 103 to 106 are the starts A, B, C and the stop. */
const symbols = (
  '212222222122222221121223121322131222122213122312132212221213221312231212112232122132122231113222123122123221223211221132' +
  '221231213212223112312131311222321122321221312212322112322211212123212321232121111323131123131321112313132113132311211313' +
  '231113231311112133112331132131113123113321133121313121211331231131213113213311213131311123311321331121312113312311332111' +
  '314111221411431111111224111422121124121421141122141221112214112412122114122411142112142211241211221114413111241112134111' +
  '111242121142121241114212124112124211411212421112421211212141214121412121111143111341131141114113114311411113411311113141' +
  '114131311141411131211412211214211232'
).match(/.{6}/g) as string[];
const stop = '2331112';
const toC = 99;
const toB = 100;
const startB = 104;
const startC = 105;

/** The symbols of a text of printable ASCII characters: pairs of digits share one, where that makes it shorter. */
function valuesOf(text: string): number[] {
  const digits = (at: number): number => /^\d*/.exec(text.slice(at))?.[0].length ?? 0;
  let pairs = digits(0) >= 4 || (text.length === 2 && digits(0) === 2);
  const values = [pairs ? startC : startB];
  for (let at = 0; at < text.length; ) {
    const run = digits(at);
    if (pairs && run >= 2) {
      values.push(Number(text.slice(at, at + 2)));
      at += 2;
    } else if (pairs) {
      values.push(toB);
      pairs = false;
    } else if (run % 2 === 0 && (run >= 6 || (run >= 4 && at + run === text.length))) {
      values.push(toC);
      pairs = true;
    } else values.push(text.charCodeAt(at++) - 32);
  }
  return values;
}

/** A text as Code 128: the widths of bars and spaces in modules, a bar first. The quiet zones are not part of it. */
export function code128(text: string): number[] {
  if (!/^[ -~]+$/.test(text)) throw new RangeError('Code 128 is for printable ASCII characters here');
  const values = valuesOf(text);
  const check = values.reduce((sum, value, at) => sum + value * Math.max(1, at), 0) % 103;
  const widths = [...values, check].map((value) => symbols[value]).join('') + stop;
  return [...widths].map(Number);
}

/** How many modules must be white on either side. */
export const quiet128 = 10;
