import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { runFile, runsIn } from '../../../../src/engine/recovery/journal/folder.ts';
import { type Journal, openJournal } from '../../../../src/engine/recovery/journal/journal.ts';
import { type Damage, type Replayed, readRun } from '../../../../src/engine/recovery/journal/read-journal.ts';
import type { IntendedRow, SettleEntry } from '../../../../src/engine/recovery/journal/record.ts';
import { newWorkerId } from '../../../../src/lib/worker-id.ts';
import { ownFolder } from '../../../support/folder.ts';

export type OwnJournal = {
  /** What `<ONBOARD_HOME>/journal` is. */
  readonly folder: string;
  readonly path: string;
  readonly journal: Journal;
  readonly troubles: string[];
  /** The file of the run `r1`. */
  readonly file: string;
  files(): Promise<string[]>;
};

/** A place for the journals of a home of the test's own. */
export const journalFolder = async () => join(await ownFolder(), 'journal');

/** How the run `r1` is restored. */
export const RUN = {
  kind: 'run',
  run: 'r1',
  fields: { state: 'running', rows: '9' },
} as const;

/** A journal of the test's own, which knows no run. */
export async function emptyJournal(): Promise<OwnJournal> {
  const folder = await journalFolder();
  const worker = newWorkerId();
  const troubles: string[] = [];
  const journal = await openJournal({
    folder,
    worker,
    onTrouble: (event, error) => troubles.push(`${event}: ${error.message}`),
  });
  onTestFinished(() => journal.close());
  const path = join(folder, worker);
  const file = runFile(path, 'r1');
  return { folder, path, journal, troubles, file, files: async () => (await readdir(path)).sort() };
}

/** A journal of the test's own that remembers the run `r1`. */
export async function ownJournal(): Promise<OwnJournal> {
  const own = await emptyJournal();
  await own.journal.write(RUN);
  return own;
}

export type Read = {
  readonly kinds: string[];
  readonly runs: Map<string, Readonly<Record<string, string>>>;
  readonly added: Map<string, number>;
  /** By `<run> <chunk> <row>`; the last one read. */
  readonly settled: Map<string, SettleEntry>;
  readonly intended: Map<string, IntendedRow>;
  readonly damage: Damage[];
  readonly largest: number;
};

/** All that a worker's journal replays. */
export async function readAll(folder: string, worker: string): Promise<Read> {
  const damage: Damage[] = [];
  const parts: Replayed[] = [];
  for (const run of await runsIn(join(folder, worker))) {
    for await (const part of readRun(folder, { worker, run }, (d) => damage.push(d))) parts.push(part);
  }
  const entries = parts.flatMap((part) =>
    part.kind === 'settled' ? part.entries.map((e) => [`${part.run} ${e.chunk} ${e.row}`, e] as const) : [],
  );
  const intents = parts.flatMap((part) =>
    part.kind === 'intended' ? part.rows.map((i) => [`${part.run} ${i.chunk} ${i.row}`, i] as const) : [],
  );
  return {
    kinds: parts.map((part) => part.kind).filter((kind, i, kinds) => kind !== kinds[i - 1]),
    runs: new Map(parts.flatMap((p) => (p.kind === 'run' ? [[p.run, p.fields]] : []))),
    added: new Map(parts.flatMap((p) => (p.kind === 'added' ? [[p.run, p.chunk]] : []))),
    settled: new Map(entries),
    intended: new Map(intents),
    damage,
    largest: Math.max(0, ...parts.map(sizeOf)),
  };
}

function sizeOf(part: Replayed): number {
  if (part.kind === 'settled') return part.entries.length;
  return part.kind === 'intended' ? part.rows.length : 1;
}

/** A row's intent, its mark in its bucket's place. */
export function intent(chunk: number, row: number, mark = 'i a 1'): IntendedRow {
  return { chunk, row, mark, key: { bucket: 'bucket', digest: 'digest' } };
}

/** Rows that are about to be sent by themselves. */
export function intended(run: string, ...rows: readonly IntendedRow[]) {
  return { kind: 'intended', run, next: JSON.stringify({ ranges: [], rows }) } as const;
}

/** Rows that ended, as far as a journal looks at them. */
export function settled(
  run: string,
  ...rows: ReadonlyArray<readonly [chunk: number, row: number, outcome: string]>
) {
  const entries = rows.map(([chunk, row, outcome]) => ({ chunk, row, outcome }));
  return { kind: 'settled', run, ended: JSON.stringify({ together: [], rows: entries }) } as const;
}
