/** How long a barcode or the number of a card may be. A test compares it with the contract file. */
export const longestCode = 40;

/** Whether the library takes this for a barcode or the number of a card: both have to fit the path of an address. */
export function isCode(code: string): boolean {
  return code.length <= longestCode && /^[!-~]+$/.test(code) && !/[/;%?#]|\.\./.test(code) && code !== '.';
}
