/**
 * Stages: where a run's rows can be when a process ends. Each stage that is passed is published on the diagnostics
 * channel `onboard:stage`, for tracing and for fault tests; without a subscriber that costs next to nothing.
 */
import { channel } from 'node:diagnostics_channel';

export type Stage =
  | 'claiming'
  | 'claimed'
  | 'adding'
  | 'added'
  | 'intending'
  | 'granted'
  | 'journaled'
  | 'sending'
  | 'headers'
  | 'answered'
  | 'settling'
  | 'settled'
  | 'closing'
  | 'closed'
  | 'reporting'
  | 'reported';

/** A message on the channel: row numbers or a chunk's number, no personal data. */
type Passed = {
  readonly stage: Stage;
  readonly rows: readonly number[];
  readonly chunk: number | null;
};

const stages = channel('onboard:stage');

/** Publishes a stage; `rows` is called only where somebody has subscribed. */
export function passStage(
  stage: Stage,
  rows: () => readonly number[] = () => [],
  chunk: number | null = null,
): void {
  if (stages.hasSubscribers) stages.publish({ stage, rows: rows(), chunk } satisfies Passed);
}

export function passRow(stage: Stage, row: number): void {
  if (stages.hasSubscribers) stages.publish({ stage, rows: [row], chunk: null } satisfies Passed);
}
