import { damaged, tooLarge } from './workbook-error.ts';
import { placeOf } from './workbook-place.ts';
import { readXmlText } from './workbook-xml.ts';
import type { Zip } from './workbook-zip.ts';

/** Cells that are shown as one; only the first of them holds a value. Rows from 1, columns from 0, all inclusive. */
export type Merge = {
  readonly reference: string;
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
};

/** What a sheet says about its cells as a whole; merges stand behind the cells, so it takes a reading of its own. */
export type SheetLayout = {
  /** From top to bottom. */
  readonly merges: readonly Merge[];
  readonly hasHidden: boolean;
};

/** A sheet with more has no rows of one kind. */
const MAX_MERGES = 100_000;
/** Rows and columns have a few short attributes. */
const MAX_TAG_CHARS = 4096;

/** Tags in a sheet that say something of its layout; the first group is the place of merged cells. */
const TAGS =
  /<(?:[\w.-]+:)?(?:mergeCell\s[^>]*?\bref\s*=\s*["']([^"']*)["']|(?:row|col)\s[^>]*?\bhidden\s*=\s*["'](?:1|true)["'])/g;

/** Searches a sheet for its layout alone: as text, since parsing the cells twice would take twice as long. */
export async function readLayout(zip: Zip, part: string): Promise<SheetLayout> {
  const merges: Merge[] = [];
  let hasHidden = false;
  let cut = ''; // the start of a tag whose end is in the next block
  for await (const text of readXmlText(zip.read(part))) {
    const whole = cut + text;
    cut = whole.slice(whole.lastIndexOf('<')).slice(0, MAX_TAG_CHARS);
    if (!whole.includes('mergeCell') && !whole.includes('hidden')) continue;
    for (const [, reference] of whole.slice(0, whole.length - cut.length).matchAll(TAGS)) {
      if (reference === undefined) hasHidden = true;
      else if (merges.push(mergeOf(reference)) > MAX_MERGES) {
        throw tooLarge(`it has more than ${MAX_MERGES} merged cells`);
      }
    }
  }
  return { merges: merges.toSorted((a, b) => a.top - b.top), hasHidden };
}

function mergeOf(reference: string): Merge {
  const [first = '', last = first] = reference.split(':');
  const from = placeOf(first);
  const to = placeOf(last);
  if (from === null || to === null) throw damaged('it merges cells that do not exist');
  return { reference, top: from.line, bottom: to.line, left: from.column };
}

/** The merge that a row lies in, if it reaches into the first `columns` columns; to be asked row by row downwards. */
export function mergeFinder(layout: SheetLayout, columns: number): (line: number) => Merge | undefined {
  let next = 0;
  let open: readonly Merge[] = [];
  return (line) => {
    const started: Merge[] = [];
    for (let merge = layout.merges[next]; merge !== undefined && merge.top <= line; ) {
      started.push(merge);
      next += 1;
      merge = layout.merges[next];
    }
    if (started.length + open.length === 0) return undefined;
    open = [...open, ...started].filter(({ bottom }) => bottom >= line);
    return open.find(({ left }) => left < columns);
  };
}
