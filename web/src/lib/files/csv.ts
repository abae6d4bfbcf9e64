/** What a cell can hold. Numbers stay numbers. */
export type Cell = string | number;

// Also after spaces, and the wide forms: spreadsheets take them for the others.
const formula = /^[\s\u00a0]*[=+\-@\t\r\n＝＋－＠]/;

/** A table for a spreadsheet: it knows the characters by the mark at the beginning, and runs no cell as a formula. */
export function spreadsheet(rows: readonly (readonly Cell[])[], separator: ',' | ';'): string {
  const write = (cell: Cell): string => {
    if (typeof cell === 'number') return String(cell);
    const safe = formula.test(cell) ? `'${cell}` : asText(cell);
    return /[",;\r\n\t]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return '\ufeff' + rows.map((row) => row.map(write).join(separator) + '\r\n').join('');
}

/** A long number, or one that begins with zeros, would lose digits: it is written so that it stays a text. */
function asText(cell: string): string {
  return /^(0\d+|\d{16,})$/.test(cell) ? `="${cell}"` : cell;
}
