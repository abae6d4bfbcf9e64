/** What the library wants to be signed in to with; each part may be missing. */
export interface Library {
  /** It takes tokens that are bound to a key. */
  dpop?: boolean;
  /** What it calls itself at the provider. */
  resource?: string;
  audience?: string;
  scopes?: string[];
}

/** Asks the server of this page, which knows the library. Without an answer there is nothing special. */
export async function askLibrary(basePath: string): Promise<Library> {
  try {
    const response = await fetch(basePath + 'library.json');
    return response.ok ? ((await response.json()) as Library) : {};
  } catch {
    return {};
  }
}

/** The scopes to ask for: those of this client, and what the library adds. */
export function scopesFor(own: string, library: Library): string {
  return [...new Set([...own.split(' '), ...(library.scopes ?? [])])].join(' ');
}
