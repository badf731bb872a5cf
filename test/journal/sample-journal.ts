import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Journal, openJournal } from '../../src/journal/journal.ts';
import { type Damage, type Replayed, readJournal } from '../../src/journal/read-journal.ts';
import type { IntendedRow, SettleEntry } from '../../src/journal/record.ts';
import { newWorkerId } from '../../src/journal/worker-registry.ts';
import { ownFolder } from '../support/folder.ts';

export type OwnJournal = {
  /** What `<ONBOARD_HOME>/journal` is. */
  readonly folder: string;
  readonly path: string;
  readonly journal: Journal;
  readonly troubles: string[];
  files(): Promise<string[]>;
};

/** A place for the journals of a home of the test's own. */
export const journalFolder = async () => join(await ownFolder(), 'journal');

/** A journal of the test's own; a small `segmentBytes` makes many segments. */
export async function ownJournal(segmentBytes?: number): Promise<OwnJournal> {
  const folder = await journalFolder();
  const worker = newWorkerId();
  const troubles: string[] = [];
  const journal = await openJournal({
    folder,
    worker,
    onTrouble: (event, error) => troubles.push(`${event}: ${error.message}`),
    ...(segmentBytes === undefined ? {} : { segmentBytes }),
  });
  onTestFinished(() => journal.close());
  const path = join(folder, worker);
  return { folder, path, journal, troubles, files: async () => (await readdir(path)).sort() };
}

/** What was written to a segment, without the zeros that the file is prepared with. */
export async function writtenIn(file: string): Promise<Buffer> {
  const bytes = await readFile(file);
  return bytes.subarray(0, bytes.findLastIndex((byte) => byte !== 0) + 1);
}

/** Puts a text behind what was written to a segment, as its process would, and ends the file there. */
export async function appendWritten(file: string, text: string): Promise<void> {
  await writeFile(file, Buffer.concat([await writtenIn(file), Buffer.from(text)]));
}

export type Read = {
  readonly kinds: string[];
  readonly runs: Map<string, { readonly target: string; readonly fields: Readonly<Record<string, string>> }>;
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
  for await (const part of readJournal(folder, worker, (d) => damage.push(d))) parts.push(part);
  const entries = parts.flatMap((part) =>
    part.kind === 'settled' ? part.entries.map((e) => [`${part.run} ${e[0]} ${e[1]}`, e] as const) : [],
  );
  const intents = parts.flatMap((part) =>
    part.kind === 'intended' ? part.rows.map((i) => [`${part.run} ${i[0]} ${i[1]}`, i] as const) : [],
  );
  return {
    kinds: parts.map((part) => part.kind).filter((kind, i, kinds) => kind !== kinds[i - 1]),
    runs: new Map(
      parts.flatMap((p) => (p.kind === 'run' ? [[p.run, { target: p.target, fields: p.fields }]] : [])),
    ),
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
  return [chunk, row, mark, 'bucket', 'digest'];
}

/** Settle entries as the ledger's script takes them, more or less. */
export function settled(run: string, ...rows: ReadonlyArray<readonly [number, number, string]>) {
  return { kind: 'settled', run, entries: JSON.stringify(rows) } as const;
}
