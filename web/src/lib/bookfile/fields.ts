/** What a column can be: the name of a field, which is a heading that the library knows. */
export type Meaning = string;
/** What each column of a file is; undefined for nothing. */
export type Meanings = (Meaning | undefined)[];

/** What the columns of a kind of files can be. */
export interface Fields {
  /** The headings of each field that the library knows, without what is neither letter nor digit. A test compares them with the documents. */
  known: Record<Meaning, string>;
  /** The field that several columns can have. */
  several: Meaning;
  /** What the library takes each column for. */
  guess(headings: readonly string[]): Meanings;
  /** The headings with which the library takes each column for what is chosen. */
  name(chosen: Readonly<Meanings>, headings: readonly string[]): string[];
}

/** The name of a column that means nothing, and which one it was. */
const unused = 'unused ';
const unusedAt = (i: number): string => unused + (i + 1);
export const unusedColumn = (heading: string): number | undefined => (heading.startsWith(unused) ? Number(heading.slice(unused.length)) - 1 : undefined);

/** A heading as the library compares it. */
const plain = (heading: string): string => heading.normalize('NFD').replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();

const fieldOf = (known: Record<Meaning, string>, name: string): Meaning | undefined => Object.keys(known).find((field) => known[field]?.split(' ').includes(name));

/** Files of books; docs/formats.md has their headings. */
export const bookFields: Fields = {
  known: {
    title: 'title titel name booktitle buchtitel',
    authors: 'authors author autor autoren autorinnen creator creators verfasser',
    isbn: 'isbn isbn13 isbn10 ean',
    subtitle: 'subtitle untertitel',
    publisher: 'publisher verlag herausgeber',
    published: 'published year jahr erscheinungsjahr publicationyear yearpublished pubdate publishdate',
    series: 'series reihe serie',
    volume: 'volume band bandnummer',
    language: 'language languages sprache sprachen',
    subjects: 'subjects subject schlagwort schlagworte schlagworter thema themen',
    description: 'description beschreibung summary notes',
    kind: 'kind medienart',
    copies: 'copies exemplare numberofcopies',
    barcode: 'barcode barcodes strichcode strichcodes',
    shelf: 'shelf regal standort',
    identifier: 'identifier id uuid kennung',
  },
  several: 'authors',
  guess: (headings) => headings.map((heading) => fieldOf(bookFields.known, plain(heading)) ?? fieldOf({ authors: bookFields.known.authors ?? '' }, plain(heading).replace(/\d+$/, ''))),
  name(chosen) {
    let authors = 0;
    return chosen.map((meaning, i) => (meaning === 'authors' ? `author${++authors}` : (meaning ?? unusedAt(i))));
  },
};

/** Headings of people that count if no other column has the field. */
const spares: Record<Meaning, string> = { lastName: 'name', card: 'identifier', group: 'grades' };
/** OneRoster's own: they say that the file also has people who have left. */
const oneRoster: Record<string, Meaning | undefined> = { sourcedid: undefined, enableduser: 'active' };

/** Files of people; docs/rosters.md has their headings. */
export const personFields: Fields = {
  known: {
    email: 'email mail emailaddress mailaddress emailadresse mailadresse',
    firstName: 'firstname givenname forename vorname vornamen rufname',
    lastName: 'lastname familyname surname nachname familienname zuname',
    card: 'card cardnumber librarycard ausweisnummer ausweis kartennummer',
    group: 'group class department gruppe klasse klassenbezeichnung abteilung',
    category: 'category kategorie',
    roles: 'roles rollen',
    locale: 'locale language sprache',
    reminders: 'reminders erinnerungen',
    active: 'active aktiv enableduser status',
  },
  several: 'active',
  guess(headings) {
    const names = headings.map(plain);
    const is = names.some((name) => name in oneRoster);
    const first: Meanings = names.map((name) => fieldOf(personFields.known, name));
    const once = first.map((field, i) => (field === 'active' || first.indexOf(field) === i ? field : undefined));
    return once.map((field, i) => {
      const spare = fieldOf(spares, names[i] ?? '');
      return field ?? (spare && !once.includes(spare) && !(is && spare === 'lastName') ? spare : undefined);
    });
  },
  name: (chosen, headings) =>
    chosen.map((meaning, i) => {
      const name = plain(headings[i] ?? '');
      if (name in oneRoster && oneRoster[name] === meaning) return name;
      // Without a column of first names, one of names has both.
      return meaning === 'lastName' && !chosen.includes('firstName') ? 'name' : (meaning ?? unusedAt(i));
    }),
};

/** One column less has this meaning, unless there can be several. */
export function choose({ several }: Fields, chosen: Readonly<Meanings>, column: number, meaning: Meaning | undefined): Meanings {
  return chosen.map((other, i) => (i === column ? meaning : other === meaning && meaning !== several ? undefined : other));
}

/** A pattern of addresses with the names that its columns have got. */
export function renamed(pattern: string, headings: readonly string[], names: readonly string[]): string {
  return pattern.replace(/\{([^{}]*)\}/g, (all, name: string) => {
    const at = headings.findIndex((heading) => plain(heading) === plain(name));
    return at < 0 ? all : `{${names[at]}}`;
  });
}
