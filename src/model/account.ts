/**
 * The account of a delivery: of each row of a first file whether it is at the service, written off
 * or open, over all that came of it: reruns, corrected files, resolutions, later files.
 */
import { z } from 'zod';
import type { Kind } from './outcome.ts';

/** Where a row that is not at the service stands: the row that stands for it last. */
export type Standing = {
  readonly run: string;
  readonly row: number;
  /** 0: unknown. */
  readonly line: number;
  readonly key: string;
  readonly keyDigest?: string | undefined;
  readonly outcome: Kind;
  readonly code: string;
  readonly isWrittenOff: boolean;
  /** Its cells are gone. */
  readonly isPurged: boolean;
};

const count = z.number().int();

export const accountSchema = z.object({
  /** The first file's run. */
  delivery: z.string(),
  /** That run and all that have rows of it. */
  runs: z.array(z.string()),
  /** Of the first file, without those that stand for rows of an earlier one. */
  rows: count,
  atService: count,
  writtenOff: count,
  /** Of an adoption: their keys are known no more, and nothing was lost. */
  takenBack: count,
  open: count,
  /** Of the open ones; `pending`: without an outcome yet. */
  inDoubt: count,
  pending: count,
  /** Of the open ones: their run was cancelled before them. */
  notSent: count,
  /** Of the open ones that can be corrected: their cells are gone. */
  purgedRows: count,
  /** `false` is a defect: a row was lost or counted twice. */
  holds: z.boolean(),
});
export type Account = z.infer<typeof accountSchema>;

/** Rows that somebody must see to, but for those in doubt: they are settled in their own run. */
export function toSeeTo({ open, inDoubt, pending }: Account): number {
  return open - inDoubt - pending;
}

export function toCorrect(account: Account): number {
  return toSeeTo(account) - account.notSent;
}

/** No row of the file was taken up, written off or taken back: its report tells of all of them. */
export function isUntouched({ runs, writtenOff, takenBack }: Account): boolean {
  return runs.length === 1 && writtenOff + takenBack === 0;
}
