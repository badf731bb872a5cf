/** What a note beside a file says; no cell values. */
export type Note = {
  /** One sentence: what became of the file. */
  readonly headline: string;
  /** Names and their values, in order. */
  readonly facts: ReadonlyArray<readonly [string, string]>;
  /** Sentences and commands: why, and what to do next. */
  readonly lines: readonly string[];
};

/** The text of a note. */
export function renderNote({ headline, facts, lines }: Note): string {
  const width = Math.max(0, ...facts.map(([name]) => name.length));
  const table = facts.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`);
  return [headline, '', ...table, ...(lines.length === 0 ? [] : ['', ...lines]), ''].join('\n');
}

/** How large a file was when it was put away and when it was written last, as a note records it. */
export type Written = { readonly bytes: number; readonly ms: number };

/** The value of the note's line about it. */
export function writtenWords({ bytes, ms }: Written): string {
  return `${bytes} bytes, last written ${new Date(ms).toISOString()}`;
}

const WRITTEN = /(\d+) bytes, last written (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)/;

/** What a note records of it; `null`: nothing. */
export function writtenIn(note: string): Written | null {
  const found = WRITTEN.exec(note);
  return found === null ? null : { bytes: Number(found[1]), ms: Date.parse(found[2] ?? '') };
}
