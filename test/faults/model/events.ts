import { REPLIES, type ReplyKind, SEATS, type Seat } from './state.ts';

/** What can happen. `heard: false`: the command is carried out and its reply lost, so it is sent again later. */
export type Event =
  | { readonly kind: 'take'; readonly seat: Seat }
  | { readonly kind: 'intend'; readonly seat: Seat; readonly row: number; readonly heard: boolean }
  | { readonly kind: 'send'; readonly seat: Seat; readonly row: number; readonly reply: ReplyKind }
  /** What the answer, or the plan, makes of the row is recorded: settled or withdrawn. */
  | { readonly kind: 'finish'; readonly seat: Seat; readonly row: number; readonly heard: boolean }
  /** The chunk may be lost: what was granted is not sent. */
  | { readonly kind: 'stand-back'; readonly seat: Seat; readonly row: number }
  | { readonly kind: 'give-up'; readonly seat: Seat; readonly row: number }
  /** The end of a take: the chunk is closed, or put back. */
  | { readonly kind: 'close'; readonly seat: Seat; readonly heard: boolean }
  /** `torn`: what the journal was to write behind is gone; `lost`: the whole machine is. */
  | { readonly kind: 'crash'; readonly seat: Seat; readonly journal: 'kept' | 'torn' | 'lost' }
  /** A crash between the two places into which an intent, or a settlement, goes at once. */
  | { readonly kind: 'crash-amid'; readonly seat: Seat; readonly row: number; readonly in: 'redis' | 'disk' }
  | { readonly kind: 'save' }
  | { readonly kind: 'back-to-saved'; readonly first: Seat }
  /** Redis is as it was so many events ago, and these notice at once. */
  | { readonly kind: 'back'; readonly events: number; readonly noticed: 'both' | Seat }
  | { readonly kind: 'emptied'; readonly first: Seat }
  | { readonly kind: 'resolve'; readonly row: number; readonly decision: 'created' | 'not-created' };

/** Every event for so many rows. */
export function allEvents(rows: number): readonly Event[] {
  const numbers = Array.from({ length: rows }, (_, i) => i + 1);
  return [
    ...SEATS.flatMap((seat) => [...seatEvents(seat), ...numbers.flatMap((row) => rowEvents(seat, row))]),
    ...numbers.flatMap((row) => [
      { kind: 'resolve', row, decision: 'created' } as const,
      { kind: 'resolve', row, decision: 'not-created' } as const,
    ]),
    { kind: 'save' },
    ...SEATS.map((first) => ({ kind: 'back-to-saved', first }) as const),
    ...SEATS.map((first) => ({ kind: 'emptied', first }) as const),
    ...[1, 2, 4, 8, 16].flatMap((events) =>
      (['both', 0, 1] as const).map((noticed) => ({ kind: 'back', events, noticed }) as const),
    ),
  ];
}

function seatEvents(seat: Seat): Event[] {
  return [
    { kind: 'take', seat },
    { kind: 'close', seat, heard: true },
    { kind: 'close', seat, heard: false },
    ...(['kept', 'torn', 'lost'] as const).map((journal) => ({ kind: 'crash', seat, journal }) as const),
  ];
}

function rowEvents(seat: Seat, row: number): Event[] {
  return [
    ...[true, false].flatMap((heard) => [
      { kind: 'intend', seat, row, heard } as const,
      { kind: 'finish', seat, row, heard } as const,
    ]),
    ...REPLIES.map((reply) => ({ kind: 'send', seat, row, reply }) as const),
    { kind: 'stand-back', seat, row },
    { kind: 'give-up', seat, row },
    ...(['redis', 'disk'] as const).map((place) => ({ kind: 'crash-amid', seat, row, in: place }) as const),
  ];
}

/** The event in a line, for a sequence that somebody is to read. */
export function describeEvent(event: Event): string {
  const parts = Object.entries(event).map(([name, value]) =>
    name === 'kind' ? String(value) : `${name}=${value}`,
  );
  return parts.join(' ');
}
