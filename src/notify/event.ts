/**
 * What people are told of: an event in the form of Standard Webhooks, which is thin and holds no
 * key and no cell. The same event has the same id, whoever tells it.
 */
import { shortDigest } from '../lib/digest.ts';

type EventType =
  | 'run.finished'
  | 'run.paused'
  | 'run.stopped'
  | 'run.cancelled'
  | 'rows.in_doubt'
  | 'file.refused'
  | 'service.away'
  | 'service.back';

type EventData = Readonly<Record<string, unknown>> & {
  readonly target: string;
  /** The run that it is about: beside its report is noted that it was told. */
  readonly run?: string;
};

export type NotifiedEvent = {
  readonly id: string;
  readonly type: EventType;
  readonly at: Date;
  readonly data: EventData;
};

/** A way to tell somebody. */
export type Channel = {
  readonly name: 'webhook' | 'command';
  /** One try; rejects with why it failed, in words without event and secret. */
  tell(event: NotifiedEvent, stop: AbortSignal): Promise<void>;
};

const ID_CHARACTERS = 24;

/** `about`: what tells it from others of its type. */
export function newEvent(
  type: EventType,
  about: readonly string[],
  data: EventData,
  at = new Date(),
): NotifiedEvent {
  const digest = shortDigest([type, ...about].join('\n'), ID_CHARACTERS);
  return { id: `msg_${digest}`, type, at, data };
}

/** The event as it is told: one JSON text. */
export function eventBody({ type, at, data }: NotifiedEvent): string {
  return JSON.stringify({ type: `onboard.${type}`, timestamp: at.toISOString(), data });
}
