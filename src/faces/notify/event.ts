/**
 * An event in the form of Standard Webhooks, small, without keys and cells. The same event has the
 * same id, whoever sends it.
 */
import { shortDigest } from '../../lib/digest.ts';

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
  /** Its run: a note beside its report records the event. */
  readonly run?: string;
};

export type NotifiedEvent = {
  readonly id: string;
  readonly type: EventType;
  readonly at: Date;
  readonly data: EventData;
};

export type Channel = {
  readonly name: 'webhook' | 'command';
  /** One try; rejects with the reason, in words without event and secret. */
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

/** As one JSON text. */
export function eventBody({ type, at, data }: NotifiedEvent): string {
  return JSON.stringify({ type: `onboard.${type}`, timestamp: at.toISOString(), data });
}
