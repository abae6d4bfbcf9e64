/** Languages that people choose most. The library takes every other code, too. */
const usual = 'ar bg bn ca cs da de el en es et eu fa fi fr ga he hi hr hu id is it ja ko la lt lv nl no pl pt ro ru sk sl sq sr sv ta th tr uk ur vi yi zh'.split(' ');

/** The name of a language; the code itself where nobody has one. */
export function languageName(code: string, language: string): string {
  if (code === '') return code;
  try {
    return new Intl.DisplayNames(language, { type: 'language' }).of(code) ?? code;
  } catch {
    return code; // this is no code
  }
}

/** Codes and names, in the order of the names. */
export function usualLanguages(language: string): [code: string, name: string][] {
  return usual.map((code): [string, string] => [code, languageName(code, language)]).sort(([, a], [, b]) => a.localeCompare(b, language));
}
