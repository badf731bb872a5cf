import { REPLIES, type ReplyKind, SLOTS, type Slot } from './state.ts';

/** What can happen. `heard: false`: the command is carried out and its reply lost, so it is sent again later. */
export type Event =
  | { readonly kind: 'take'; readonly slot: Slot }
  | { readonly kind: 'intend'; readonly slot: Slot; readonly row: number; readonly heard: boolean }
  | { readonly kind: 'send'; readonly slot: Slot; readonly row: number; readonly reply: ReplyKind }
  /** What the answer, or the plan, makes of the row is recorded: settled or withdrawn. */
  | { readonly kind: 'finish'; readonly slot: Slot; readonly row: number; readonly heard: boolean }
  /** The chunk may be lost: what was granted is not sent. */
  | { readonly kind: 'stand-back'; readonly slot: Slot; readonly row: number }
  | { readonly kind: 'give-up'; readonly slot: Slot; readonly row: number }
  /** The end of a take: the chunk is closed, or put back. */
  | { readonly kind: 'close'; readonly slot: Slot; readonly heard: boolean }
  /** `torn`: what the journal was to write behind is gone; `lost`: the whole machine is. */
  | { readonly kind: 'crash'; readonly slot: Slot; readonly journal: 'kept' | 'torn' | 'lost' }
  /** A crash between the two places into which an intent, or a settlement, goes at once. */
  | { readonly kind: 'crash-amid'; readonly slot: Slot; readonly row: number; readonly in: 'redis' | 'disk' }
  /**
   * Redis is torn and started twice: the first writes of the command that the row (0: the close) is due for are carried out
   * at the second start. `sender`: it lives and sends it again, or has died with or without a line in its journal.
   */
  | {
      readonly kind: 'half';
      readonly slot: Slot;
      readonly row: number;
      readonly writes: number;
      readonly sender: 'lives' | 'dies' | 'dies-unwritten';
      /** Who replays first, where that can be told. */
      readonly first?: Slot;
    }
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' }
  /** Forgotten at the service: what a value of an idempotency header once made. */
  | { readonly kind: 'forget' }
  | { readonly kind: 'save' }
  | { readonly kind: 'back-to-saved'; readonly first: Slot }
  /**
   * Redis is as it was so many events ago, and these notice at once. `same`: the server run is the one that the ledger was
   * verified for before another was: a former master that lived on is used again.
   */
  | {
      readonly kind: 'back';
      readonly events: number;
      readonly noticed: 'both' | Slot;
      readonly server: 'another' | 'same';
    }
  | { readonly kind: 'emptied'; readonly first: Slot }
  /**
   * An older copy is put into the same running server while no process lives: as Redis was so many events ago, or (0) when it
   * was saved. `lost`: the journal of that slot's process is not at hand. `noticed`: where it isn't the program that tells.
   */
  | {
      readonly kind: 'copied';
      readonly events: number;
      readonly lost: Slot | null;
      readonly noticed?: boolean;
    }
  | { readonly kind: 'resolve'; readonly row: number; readonly decision: 'created' | 'not-created' };

/** One of a row in a worker's hand. */
export type RowEvent = Exclude<Extract<Event, { slot: unknown; row: unknown }>, { kind: 'half' }>;
/** Whose command it is, and whether its reply comes. */
export type Command = { readonly slot: Slot; readonly heard: boolean };

const byRows = new Map<number, readonly Event[]>();

/** Every event for so many rows. */
export function allEvents(rows: number): readonly Event[] {
  const events = byRows.get(rows) ?? eventsOf(rows);
  byRows.set(rows, events);
  return events;
}

function eventsOf(rows: number): readonly Event[] {
  const numbers = Array.from({ length: rows }, (_, i) => i + 1);
  return [
    ...SLOTS.flatMap((slot) => [...seatEvents(slot), ...numbers.flatMap((row) => rowEvents(slot, row))]),
    ...numbers.flatMap((row) => [
      { kind: 'resolve', row, decision: 'created' } as const,
      { kind: 'resolve', row, decision: 'not-created' } as const,
    ]),
    { kind: 'pause' },
    { kind: 'resume' },
    { kind: 'forget' },
    { kind: 'save' },
    ...SLOTS.map((first) => ({ kind: 'back-to-saved', first }) as const),
    ...SLOTS.map((first) => ({ kind: 'emptied', first }) as const),
    ...[0, 1, 2, 4, 8, 16].flatMap((events) =>
      ([null, 0, 1] as const).map((lost) => ({ kind: 'copied', events, lost }) as const),
    ),
    ...[1, 2, 4, 8, 16].flatMap((events) =>
      (['both', 0, 1] as const).flatMap((noticed) =>
        (['another', 'same'] as const).map((server) => ({ kind: 'back', events, noticed, server }) as const),
      ),
    ),
  ];
}

function seatEvents(slot: Slot): Event[] {
  return [
    { kind: 'take', slot },
    { kind: 'close', slot, heard: true },
    { kind: 'close', slot, heard: false },
    ...(['kept', 'torn', 'lost'] as const).map((journal) => ({ kind: 'crash', slot, journal }) as const),
    ...halves(slot, 0),
  ];
}

/** More writes than the model's commands have are a whole one. */
const WRITES = [1, 2, 3, 4, 6];

function halves(slot: Slot, row: number): Event[] {
  return WRITES.flatMap((writes) =>
    (['lives', 'dies', 'dies-unwritten'] as const).map(
      (sender) => ({ kind: 'half', slot, row, writes, sender }) as const,
    ),
  );
}

function rowEvents(slot: Slot, row: number): Event[] {
  return [
    ...[true, false].flatMap((heard) => [
      { kind: 'intend', slot, row, heard } as const,
      { kind: 'finish', slot, row, heard } as const,
    ]),
    ...REPLIES.map((reply) => ({ kind: 'send', slot, row, reply }) as const),
    { kind: 'stand-back', slot, row },
    { kind: 'give-up', slot, row },
    ...(['redis', 'disk'] as const).map((place) => ({ kind: 'crash-amid', slot, row, in: place }) as const),
    ...halves(slot, row),
  ];
}

/** The event in a line, for a sequence that somebody is to read. */
export function describeEvent(event: Event): string {
  const parts = Object.entries(event).map(([name, value]) =>
    name === 'kind' ? String(value) : `${name}=${value}`,
  );
  return parts.join(' ');
}
