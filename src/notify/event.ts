/**
 * What people are told of: a run that ended, paused or stopped, rows in doubt, a file that was refused, the service away and back. An event
 * is thin, in the form of Standard Webhooks, and holds no key and no cell; what it is about has a place where it can be looked up. The same
 * event has the same id, whoever sees it and however often it is told.
 */
import { shortDigest } from '../lib/digest.ts';
import type { Outcome } from '../model/outcome.ts';
import type { Reason, RunState } from '../model/run.ts';

export const EVENT_TYPES = [
  'run.finished',
  'run.paused',
  'run.stopped',
  'run.cancelled',
  'rows.in_doubt',
  'file.refused',
  'service.away',
  'service.back',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** What is told of a run; `causes` and `report` are there where its report lies on the machine that tells it. */
export type RunData = {
  readonly run: string;
  readonly job: string;
  readonly target: string;
  readonly state: RunState;
  readonly reason: Reason | null;
  readonly rows: number;
  /** Without those that no row has. */
  readonly outcomes: Partial<Record<Outcome, number>>;
  readonly open: number;
  readonly controlTotal: boolean;
  readonly exitCode: number;
  readonly causes: ReadonlyArray<{ readonly text: string; readonly count: number }>;
  readonly report: string | null;
  /** Its page, where it is known where browsers see it. */
  readonly url?: string;
};

export type EventData =
  | RunData
  | {
      readonly run: string;
      readonly job: string;
      readonly target: string;
      readonly inDoubt: number;
      readonly url?: string;
    }
  | { readonly target: string; readonly file: string; readonly note: string | null }
  | { readonly target: string; readonly since: string; readonly cause: string | null }
  | { readonly target: string; readonly since: string };

/** `id`: the same for the same event. */
export type TellingEvent = {
  readonly id: string;
  readonly type: EventType;
  readonly at: Date;
  readonly data: EventData;
};

const ID_CHARACTERS = 24;

/** The id of an event: by what it is about, and what tells it from others of its type. */
export function eventId(type: EventType, ...about: readonly string[]): string {
  return `msg_${shortDigest([type, ...about].join('\n'), ID_CHARACTERS)}`;
}

const CAUSES = 5;
/** With everything else well below 20 kB. */
const TEXT_CHARACTERS = 300;

/** The event as it is told: one JSON text. */
export function eventBody({ type, at, data }: TellingEvent): string {
  return JSON.stringify({ type: `onboard.${type}`, timestamp: at.toISOString(), data: shortened(data) });
}

function shortened(data: EventData): EventData {
  if (!('causes' in data)) return data;
  const causes = data.causes.slice(0, CAUSES);
  return {
    ...data,
    causes: causes.map(({ text, count }) => ({ text: text.slice(0, TEXT_CHARACTERS), count })),
  };
}
