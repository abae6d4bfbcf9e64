const fromRight = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** Keeps a quoted title that is written from right to left from pulling the sentence around it along. */
export function isolate(sentence: string): string {
  if (!fromRight.test(sentence)) return sentence;
  return sentence.replace(/([“„])(.+)([”“])/s, '$1\u2068$2\u2069$3');
}
