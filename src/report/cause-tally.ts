/**
 * Counts the causes of rows that did not succeed, with where in the file they are and the first rows of each. Each row is in one
 * cause, so that causes add up to those rows; beyond a bound, rows with other texts are one cause that is not told, and memory
 * does not grow with what a service says.
 */
import { shortDigest } from '../lib/digest.ts';
import { newChunkBits, setChunk } from '../model/chunk-bits.ts';
import { type NamedRow, partsOf, UNTOLD } from '../model/digest.ts';
import type { Outcome } from '../model/outcome.ts';
import { type CauseTerms, causeOf, tellable } from './cause.ts';
import type { RemainderRow } from './remainder.ts';
import type { Cause } from './summary.ts';

/** Rows with the same outcome, code and text; `where` by part of the file, `bits` by chunk. */
export type CountedCause = {
  readonly outcome: Outcome;
  readonly code: string;
  readonly text: string;
  readonly count: number;
  readonly first: number;
  readonly last: number;
  readonly examples: readonly NamedRow[];
  readonly where: Uint32Array;
  readonly bits: Uint8Array;
};

type Counting = { -readonly [K in keyof CountedCause]: CountedCause[K] };

/** Where a service says something else of each row, memory must not grow with them. */
const MAX_CAUSES = 1_000;
const ROWS_NAMED = 3;
const TOP = 20;

export function createCauseTally(
  terms: CauseTerms,
  { rows, chunks }: { readonly rows: number; readonly chunks: number },
) {
  const causes = new Map<string, Counting>();
  const parts = partsOf(rows);
  return {
    /** Counts the row and answers what its cause is, which tells once all rows are counted. */
    add(row: RemainderRow, chunk: number, named: () => NamedRow): CountedCause {
      const { outcome, code, row: number } = row.settlement;
      const said = causeOf(row, terms);
      const isNew = !causes.has(markOf({ outcome, code, text: said }));
      const text = isNew && causes.size >= MAX_CAUSES ? UNTOLD : said;
      const mark = markOf({ outcome, code, text });
      const known = causes.get(mark) ?? begin({ outcome, code, text }, number, { parts, chunks });
      causes.set(mark, known);
      known.count += 1;
      known.first = Math.min(known.first, number);
      known.last = Math.max(known.last, number);
      if (known.examples.length < ROWS_NAMED) known.examples = [...known.examples, named()];
      const part = Math.floor(((number - 1) * parts) / Math.max(rows, number));
      known.where[part] = (known.where[part] ?? 0) + 1;
      setChunk(known.bits, chunk, chunks);
      return known;
    },
    /** Every cause by what can be told of it, commonest first. */
    told: (): readonly CountedCause[] => told([...causes.values()]),
    /** The commonest of which something can be told, as the summary has them. */
    top(): readonly Cause[] {
      return told([...causes.values()])
        .filter(({ text }) => text !== UNTOLD && text !== '')
        .slice(0, TOP)
        .map(({ outcome, code, text, count, examples }) => ({
          outcome,
          code,
          text,
          count,
          rows: examples.map(({ row }) => row),
        }));
    },
  };
}

type Head = Pick<CountedCause, 'outcome' | 'code' | 'text'>;

function begin(
  head: Head,
  row: number,
  { parts, chunks }: { readonly parts: number; readonly chunks: number },
): Counting {
  const where = new Uint32Array(parts);
  return { ...head, count: 0, first: row, last: row, examples: [], where, bits: newChunkBits(chunks) };
}

/** Names a cause, by what can be told of it: the same in every run. */
export function causeId({ outcome, code, text }: Head): string {
  return shortDigest(`${outcome} ${code} ${text}`, 12);
}

/**
 * Which of a digest's causes the row is in; `null`: in none of those that are told. Where there are more than that, one whose
 * text is not told may also be named for a row of the others.
 */
export function causeAmong(row: RemainderRow, ids: ReadonlySet<string>, terms: CauseTerms): string | null {
  const { outcome, code } = row.settlement;
  const text = causeOf(row, terms);
  const texts = [text, toldText({ outcome, text, count: 1 }), UNTOLD];
  return texts.map((one) => causeId({ outcome, code, text: one })).find((id) => ids.has(id)) ?? null;
}

function markOf({ outcome, code, text }: Head): string {
  return `${outcome} ${code} ${text}`;
}

/** What can be told of a cause: this program's own words, and the service's where enough rows have them. */
export function toldText({ outcome, text, count }: Pick<CountedCause, 'outcome' | 'text' | 'count'>): string {
  return outcome === 'rejected' && text !== '' ? tellable(text, count) : text;
}

/** The causes by what can be told of them: those of which that is the same are one. */
function told(causes: readonly CountedCause[]): readonly CountedCause[] {
  const byText = new Map<string, CountedCause>();
  for (const cause of causes) {
    const text = toldText(cause);
    const mark = markOf({ ...cause, text });
    const known = byText.get(mark);
    byText.set(mark, known === undefined ? { ...cause, text } : together(known, cause));
  }
  return [...byText.values()].sort((a, b) => b.count - a.count || a.first - b.first);
}

function together(one: CountedCause, other: CountedCause): CountedCause {
  return {
    ...one,
    count: one.count + other.count,
    first: Math.min(one.first, other.first),
    last: Math.max(one.last, other.last),
    examples: [...one.examples, ...other.examples].sort((a, b) => a.row - b.row).slice(0, ROWS_NAMED),
    where: one.where.map((rows, part) => rows + (other.where[part] ?? 0)),
    bits: one.bits.map((byte, i) => byte | (other.bits[i] ?? 0)),
  };
}
