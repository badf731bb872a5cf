import { channel } from 'node:diagnostics_channel';

/** Where a run's rows can be when a process ends; each is passed on the channel `onboard:stage`, for tracing and for fault tests. */
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

/** What a subscriber is told: row numbers, or a chunk's number; no personal data. */
export type Passed = {
  readonly stage: Stage;
  readonly rows: readonly number[];
  readonly chunk: number | null;
};

const stages = channel('onboard:stage');

/** Tells those who listen; costs next to nothing where nobody does. `rows` is only called for a listener. */
export function passStage(
  stage: Stage,
  rows: () => readonly number[] = () => [],
  chunk: number | null = null,
): void {
  if (stages.hasSubscribers) stages.publish({ stage, rows: rows(), chunk } satisfies Passed);
}
