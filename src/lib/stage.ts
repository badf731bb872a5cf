/**
 * Stages that a run's rows pass, published on the diagnostics channel `onboard:stage` for tracing
 * and fault tests; almost free without a subscriber.
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

/** Row numbers or a chunk's number, no personal data. */
type Passed = {
  readonly stage: Stage;
  readonly rows: readonly number[];
  readonly chunk: number | null;
};

const stages = channel('onboard:stage');

/** `rows` is called only for a subscriber. */
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
