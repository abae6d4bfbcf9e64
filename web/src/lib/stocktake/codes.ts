const time = /^(?=.*\d)(?=.*[:/.-])[\d:/.\-+,TZ "APMapm]*$/;

/** The codes in a file of a scanner with a memory: one on a line, or a code and the time, separated by a tab or a comma. */
export function codesIn(file: string): string[] {
  return file.replace(/^\ufeff/, '').split(/\r\n?|\n/).map(codeIn).filter((code) => code !== '');
}

function codeIn(line: string): string {
  const tab = line.indexOf('\t');
  const comma = line.indexOf(',');
  const end = tab >= 0 ? tab : comma >= 0 && time.test(line.slice(comma + 1)) ? comma : line.length;
  return line.slice(0, end).trim().replace(/^"+|"+$/g, '').trim().slice(0, 200);
}
