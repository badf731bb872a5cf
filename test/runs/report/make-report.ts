import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { noOutcomes, type Outcome, REMAINDER } from '../../../src/model/outcome.ts';
import type { Row } from '../../../src/model/row.ts';
import type { Run } from '../../../src/model/run.ts';
import type { LedgerView, SettledChunk, Settlement } from '../../../src/model/settlement.ts';
import type { SourceInfo } from '../../../src/model/source.ts';
import { createDigestTally, type Digest } from '../../../src/runs/report/digest.ts';
import { writeReport } from '../../../src/runs/report/report.ts';
import { type Summary, summarize, withWritten } from '../../../src/runs/report/summary.ts';
import { sampleRun } from '../../faces/cli/sample-run.ts';
import { ownFolder } from '../../support/folder.ts';
import { endedRow } from '../../support/settled-row.ts';
import { csvSource } from '../../support/source.ts';

export const NOW = () => new Date('2026-03-01T10:00:10.000Z');

/** What a test's ledger holds, by row number. */
export type Held = {
  readonly settlements: readonly Settlement[];
  readonly sources?: readonly Row[];
  /** Of refusals, whole. */
  readonly bodies?: ReadonlyMap<number, string>;
  readonly documents?: ReadonlyMap<number, string>;
};

/** A finished run whose counters are what the settlements say, unless told otherwise. */
export function makeRun(
  settlements: readonly Settlement[],
  given: Partial<Omit<Run, 'source'>> & { readonly source?: Partial<SourceInfo> } = {},
): Run {
  const outcomes = noOutcomes();
  for (const { outcome } of settlements) outcomes[outcome] += 1;
  return sampleRun({
    id: 'run-1',
    target: 'sandbox',
    file: 'samples/partner.csv',
    rows: settlements.length,
    state: 'finished',
    outcomes,
    closedChunks: 1,
    createdAt: '2026-03-01T10:00:00.000Z',
    startedAt: '2026-03-01T10:00:00.000Z',
    finishedAt: '2026-03-01T10:00:04.000Z',
    ...given,
    source: csvSource({ columns: ['externalId', 'details.name'], ...given.source }),
  });
}

export function settled(row: number, outcome: Outcome, given: Partial<Settlement> = {}): Settlement {
  return endedRow(row, outcome, { key: `k${row}`, ms: 12, ...given });
}

export function cells(row: number, ...values: readonly string[]): Row {
  return { kind: 'cells', row, line: row + 1, cells: [...values] };
}

export function makeView({
  settlements,
  sources = [],
  bodies = new Map(),
  documents = new Map(),
}: Held): LedgerView {
  const byRow = new Map(sources.map((source) => [source.row, source]));
  return {
    async *chunks() {
      for (let at = 0; at < settlements.length; at += 100)
        yield asChunk(settlements.slice(at, at + 100), { chunk: at / 100 + 1 });
    },
    sources: async (rows) => pick(byRow, rows),
    bodies: async (rows) =>
      new Map([...pick(bodies, rows)].map(([row, text]) => [row, { text, restBytes: 0 }])),
    documents: async (rows) => pick(documents, rows),
  };
}

/** The rows as a chunk that was closed a second after the run began. */
export function asChunk(
  settlements: readonly Settlement[],
  given: Partial<Omit<SettledChunk, 'settlements'>> = {},
): SettledChunk {
  return { chunk: 1, closedAt: Date.parse('2026-03-01T10:00:01.000Z'), ...given, settlements };
}

type ReportOptions = Parameters<typeof writeReport>[0];

/** Writes the report of a run of which nothing is known but its rows, unless told otherwise. */
export function reportOf(
  given: Partial<ReportOptions> & Pick<ReportOptions, 'run' | 'view' | 'directory'>,
): Promise<Summary> {
  return writeReport({
    now: NOW,
    fields: new Set(),
    definition: null,
    story: async () => [],
    notes: async () => new Map(),
    knownCauses: async () => null,
    command: 'onboard',
    account: async () => null,
    audit: async () => null,
    followed: [],
    ...given,
  });
}

/** What these rows come to. */
export function digestOf(
  settlements: readonly Settlement[],
  given: Parameters<typeof makeRun>[1] & { readonly bodies?: ReadonlyMap<number, string> } = {},
): Digest {
  const { bodies, ...over } = given;
  const run = makeRun(settlements, over);
  const advising = { operation: run.operation, extension: 'csv' } as const;
  const tally = createDigestTally({ run, fields: new Set(), advising, definition: null });
  tally.add(asChunk(settlements));
  for (const settlement of settlements) {
    if (REMAINDER[settlement.outcome] === 'none') continue;
    const text = bodies?.get(settlement.row);
    const body = text === undefined ? null : { text, restBytes: 0 };
    tally.addUnsuccessful({ settlement, source: null, body });
  }
  return tally.digest();
}

/** The summary of a report of these rows. */
export function summaryOf(
  settlements: readonly Settlement[],
  given: Parameters<typeof digestOf>[1] = {},
): Summary {
  const { bodies: _, ...over } = given;
  const summary = summarize(makeRun(settlements, over), NOW());
  return withWritten(summary, { digest: digestOf(settlements, given), files: [], kept: [], written: [] });
}

function pick<T>(all: ReadonlyMap<number, T>, rows: readonly number[]): ReadonlyMap<number, T> {
  return new Map([...all].filter(([row]) => rows.includes(row)));
}

export const temporaryDirectory = async () => join(await ownFolder(), 'run-1');

/** Every file of a folder with its text, by name; where a text names the folder, it is `<folder>`. */
export async function filesOf(directory: string): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir(directory)).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')));
  return Object.fromEntries(
    names.map((name, i) => [name, texts[i]?.replaceAll(directory, '<folder>') ?? '']),
  );
}

/** The records of a CSV text, header included, as csv-parse reads them with nothing but the dialect given. */
export function csvRecords(
  text: string | undefined,
  dialect: { delimiter?: string; quote?: string } = {},
): string[][] {
  return parse(text ?? '', { bom: true, escape: dialect.quote ?? '"', ...dialect });
}
