import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { archiveSegment } from './archive.ts';
import { syncFolder } from './folder.ts';
import type { Line } from './group-commit.ts';
import { createSegmentFile, type SegmentFile, segmentName } from './segment-file.ts';
import { createSegmentIndex } from './segment-index.ts';

/** The files of one journal: one grows, the full ones are archived, and what nobody needs goes. */
export type Segments = {
  /** All lines on the disk, or none; one call at a time. */
  commit(lines: readonly Line[]): Promise<void>;
  /** Archives what is full and deletes what nobody needs; never rejects. */
  tidy(): Promise<void>;
  /** No segment grows any more; answers whether anything is kept. */
  close(): Promise<'kept' | 'empty'>;
};

export type SegmentsOptions = {
  readonly folder: string;
  readonly segmentBytes: number;
  readonly onTrouble: (event: string, error: Error) => void;
};

export function createSegments({ folder, segmentBytes, onTrouble }: SegmentsOptions): Segments {
  const index = createSegmentIndex();
  const toArchive = new Set<number>();
  const onDisk = new Set<number>();
  let number = 0;
  let current: SegmentFile | null = null;
  let tidying = Promise.resolve();

  const open = async () => {
    // A number is used once, also where making its file failed half-way.
    number += 1;
    const file = await createSegmentFile(folder, number);
    current = file;
    index.opened(number);
    onDisk.add(number);
    return file;
  };
  const seal = async () => {
    await current?.close().catch(tell);
    if (current !== null) toArchive.add(number);
    current = null;
  };
  const tell = (error: unknown) =>
    onTrouble('the journal could not be tidied', error instanceof Error ? error : new Error(String(error)));
  const tidy = () => {
    tidying = tidying.then(() => archiveFull().then(sweep)).catch(tell);
    return tidying;
  };
  const archiveFull = async () => {
    for (const full of toArchive) {
      // Where the disk is too full for one, others and what nobody needs may make room: it is tried again.
      if (!index.isNeeded(full) || (await isArchived(full))) toArchive.delete(full);
    }
  };
  const isArchived = (full: number) =>
    archiveSegment(folder, full).then(
      () => true,
      (error: unknown) => {
        tell(error);
        return false;
      },
    );
  const sweep = async () => {
    // Asked anew in each round: a segment may have been opened meanwhile, of whose lines the index doesn't know yet.
    const deletable = () => index.deletable(current === null ? null : number);
    for (let gone = deletable(); gone.length > 0; gone = deletable()) {
      for (const segment of gone) await remove(segment);
      // The word that a run is forgotten must outlive what it speaks of.
      await syncFolder(folder);
    }
  };
  const remove = async (segment: number) => {
    for (const form of ['log', 'gz'] as const) {
      await rm(join(folder, segmentName(segment, form)), { force: true });
    }
    index.deleted(segment);
    onDisk.delete(segment);
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
      return onDisk.size === 0 ? 'empty' : 'kept';
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
