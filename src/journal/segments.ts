/**
 * The files of one journal. A segment takes whole groups of lines, each on disk before it is
 * acknowledged, over zeros written ahead: a write that keeps the file's size and place costs one
 * write instead of two. A full segment without any remembered run is deleted. A failed write counts
 * for nothing; where it leaves the file uncertain the next group has another file.
 */

import { constants } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../lib/errors.ts';
import { syncFolder } from './folder.ts';
import type { Line } from './group-commit.ts';
import { HEAD_LINE } from './record.ts';

type Segments = {
  /** All lines on disk, or none; one call at a time. */
  commit(lines: readonly Line[]): Promise<void>;
  /** Deletes segments with nothing to keep; never rejects. */
  tidy(): Promise<void>;
  close(): Promise<void>;
};

type SegmentsOptions = {
  readonly folder: string;
  readonly segmentBytes: number;
  readonly onTrouble: (event: string, error: Error) => void;
};

export function createSegments({ folder, segmentBytes, onTrouble }: SegmentsOptions): Segments {
  const index = createSegmentIndex();
  let number = 0;
  let current: SegmentFile | null = null;
  let tidying = Promise.resolve();

  const open = async () => {
    // A number is used once, even where making its file failed half-way.
    number += 1;
    const file = await createSegmentFile(folder, { number, segmentBytes });
    current = file;
    index.opened(number);
    return file;
  };
  const seal = async () => {
    await current?.close().catch(tell);
    current = null;
  };
  const tell = (error: unknown) =>
    onTrouble('the journal could not be tidied', error instanceof Error ? error : new Error(String(error)));
  const tidy = () => {
    tidying = tidying.then(sweep).catch(tell);
    return tidying;
  };
  const sweep = async () => {
    // Each round anew: of a segment opened meanwhile the index doesn't know the lines yet.
    const deletable = () => index.deletable(current === null ? null : number);
    for (let gone = deletable(); gone.length > 0; gone = deletable()) {
      for (const segment of gone) await remove(segment);
      // The record that a run is forgotten must outlive that run's other records.
      await syncFolder(folder);
    }
  };
  const remove = async (segment: number) => {
    await rm(join(folder, segmentName(segment)), { force: true });
    index.deleted(segment);
  };
  const enter = (lines: readonly Line[]) => {
    for (const { kind, run } of lines) {
      if (kind === 'told') index.told(number, run);
      else if (kind === 'forgotten') index.forgotten(number, run);
    }
  };
  const append = async (lines: readonly Line[], text: string) => {
    const file = current ?? (await open());
    try {
      await file.append(text);
    } catch (error) {
      if (!file.isUsable()) await seal();
      throw new Error(`${lines.length} records could not be written to ${file.path}: ${messageOf(error)}`, {
        cause: error,
      });
    }
    enter(lines);
    return file.size() >= segmentBytes || index.isIdle();
  };

  return {
    async commit(lines) {
      const text = lines.map((line) => line.text).join('');
      if (text === '' || !(await append(lines, text))) return;
      await seal();
      void tidy();
    },
    tidy,
    async close() {
      await seal();
      await tidy();
    },
  };
}

type SegmentIndex = {
  opened(segment: number): void;
  told(segment: number, run: string): void;
  /** Nothing earlier of the run is kept; `segment` has the record of that. */
  forgotten(segment: number, run: string): void;
  isIdle(): boolean;
  /** Segments other than the current one that can be deleted now, all at once. */
  deletable(current: number | null): readonly number[];
  deleted(segment: number): void;
};

type Held = {
  /** Runs of which the segment holds something to keep. */
  readonly live: Set<string>;
  readonly mentioned: Set<string>;
  /** Runs that it records as forgotten. */
  readonly forgotten: Set<string>;
};

function createSegmentIndex(): SegmentIndex {
  const segments = new Map<number, Held>();
  const held = (segment: number): Held => {
    const known = segments.get(segment) ?? { live: new Set(), mentioned: new Set(), forgotten: new Set() };
    segments.set(segment, known);
    return known;
  };
  const isNeeded = (segment: number) => (segments.get(segment)?.live.size ?? 0) > 0;
  /** Without that record an earlier segment's records of the run would count. */
  const guardsEarlier = (segment: number, { forgotten }: Held) =>
    [...segments].some(
      ([other, { mentioned }]) => other < segment && [...forgotten].some((run) => mentioned.has(run)),
    );

  return {
    opened: (segment) => void held(segment),
    told(segment, run) {
      const { live, mentioned } = held(segment);
      live.add(run);
      mentioned.add(run);
    },
    forgotten(segment, run) {
      for (const { live } of segments.values()) live.delete(run);
      held(segment).forgotten.add(run);
    },
    isIdle: () => [...segments.values()].every(({ live }) => live.size === 0),
    deletable: (current) =>
      [...segments]
        .filter(([segment, h]) => segment !== current && !isNeeded(segment) && !guardsEarlier(segment, h))
        .map(([segment]) => segment),
    deleted: (segment) => void segments.delete(segment),
  };
}

type SegmentFile = {
  readonly path: string;
  /** Bytes in whole groups. */
  size(): number;
  /** Resolves when the text is on disk; after a rejection nothing of it counts. */
  append(text: string): Promise<void>;
  /** False: a failure left what can't be taken back, so nothing more may be appended. */
  isUsable(): boolean;
  /** Takes the unused zeros back. */
  close(): Promise<void>;
};

export function segmentName(number: number): string {
  return `${String(number).padStart(6, '0')}.log`;
}

/** One call for a write and its sync. Not every system has it. */
const { O_DSYNC = 0, O_WRONLY, O_CREAT, O_EXCL } = constants;

/** Zeros a write takes along, so that later ones have their place on disk; more is no cheaper. */
const AHEAD_BYTES = 256 * 1024;

type SegmentPlace = { readonly number: number; readonly segmentBytes: number };

/** Durably, for its owner alone. */
async function createSegmentFile(
  folder: string,
  { number, segmentBytes }: SegmentPlace,
): Promise<SegmentFile> {
  const path = join(folder, segmentName(number));
  const handle = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_DSYNC, 0o600);
  let size = 0;
  let prepared = 0;
  let usable = true;
  try {
    await syncFolder(folder);
  } catch (error) {
    await handle.close();
    throw error;
  }

  return {
    path,
    size: () => size,
    isUsable: () => usable,
    async append(text) {
      const lines = Buffer.from(size === 0 ? HEAD_LINE + text : text);
      const end = size + lines.length;
      const zeros = end > prepared ? Math.min(AHEAD_BYTES, Math.max(0, segmentBytes - end)) : 0;
      try {
        const reached = await writeLines(handle, size, { lines, zeros });
        if (O_DSYNC === 0) await handle.datasync();
        prepared = Math.max(prepared, reached);
      } catch (error) {
        prepared = size;
        // After a failed sync unwritten pages may count as written; only a full disk took nothing.
        usable = (await isTruncated(handle, size)) && isFull(error);
        throw error;
      }
      size = end;
    },
    async close() {
      try {
        if (prepared > size) await handle.truncate(size);
      } finally {
        await handle.close();
      }
    },
  };
}

function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && FULL.has(error.code);
}

const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

type LinesToWrite = { readonly lines: Buffer; readonly zeros: number };

/** The lines, and as many zeros as there is room for; answers where they end. */
async function writeLines(
  handle: FileHandle,
  position: number,
  { lines, zeros }: LinesToWrite,
): Promise<number> {
  const bytes = zeros === 0 ? lines : Buffer.concat([lines], lines.length + zeros);
  let written = 0;
  while (written < lines.length) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, position + written);
    written += bytesWritten;
  }
  return position + written;
}

async function isTruncated(handle: FileHandle, size: number): Promise<boolean> {
  try {
    await handle.truncate(size);
    return true;
  } catch {
    return false;
  }
}
