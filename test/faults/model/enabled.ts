import type { Command, Event, RowEvent } from './events.ts';
import { diskOf, factsOf, handRow, type RowHand, type State } from './state.ts';

/** How often the rare events may happen in one sequence. */
export type Limits = {
  readonly crashes: number;
  readonly losses: number;
  /** Times that an older copy is put in while no process lives. */
  readonly copies: number;
  readonly decisions: number;
  /** Attempts of one take at a row. */
  readonly attempts: number;
  /** Commands may be sent twice. */
  readonly resends: boolean;
  /** Times that Redis carries a command out in part. */
  readonly halves: number;
  readonly pauses: number;
  /** The service may forget the values of an idempotency header. */
  readonly forgets?: boolean;
};

/** Whether the event can happen in that state. */
export function isEnabled(state: State, event: Event, limits: Limits): boolean {
  switch (event.kind) {
    case 'take':
      return state.atWork[event.slot].hand === null && state.view?.closed !== true;
    case 'close':
      return mayClose(state, event) && (event.heard || limits.resends);
    case 'crash':
      return state.crashes < limits.crashes && (event.journal !== 'torn' || canTear(state, event.slot));
    case 'half':
      return mayBeHalved(state, event, limits);
    case 'pause':
      return state.pauses < limits.pauses && state.view?.record.state === 'running';
    case 'resume':
      return state.view?.record.state === 'paused';
    case 'forget':
      return limits.forgets === true && !state.forgotten;
    case 'save':
      return state.saved === null && (state.losses < limits.losses || state.copies < limits.copies);
    case 'back-to-saved':
      return state.saved !== null && state.losses < limits.losses;
    case 'copied':
      return state.copies < limits.copies && mayBeCopied(state, event);
    case 'back':
    case 'emptied':
      return state.losses < limits.losses && state.away === null;
    case 'resolve':
      return state.decisions < limits.decisions && isResolvable(state, event);
    default:
      return isRowEventEnabled(state, event, limits);
  }
}

/** A process whose journal is lost must be one that the copy knows: one that came before any event. */
function mayBeCopied(
  { saved, away, atWork, disks, firstDisks }: State,
  { events, lost }: Extract<Event, { kind: 'copied' }>,
): boolean {
  if (away !== null || (events === 0) !== (saved !== null)) return false;
  if (disks.some(({ fate }, n) => fate === 'lost' && n >= firstDisks)) return false;
  return lost === null || (atWork[lost].disk < firstDisks && atWork[0].disk !== atWork[1].disk);
}

function mayBeHalved(state: State, event: Extract<Event, { kind: 'half' }>, limits: Limits): boolean {
  if (state.halves >= limits.halves || state.losses >= limits.losses || state.away !== null) return false;
  if (event.sender !== 'lives' && state.crashes >= limits.crashes) return false;
  if (event.row === 0) return mayClose(state, event);
  const hand = handRow(state, event.slot, event.row);
  if (hand === undefined) return false;
  if (hand.phase === 'planned') return hand.made < limits.attempts;
  return hand.phase === 'ending' || (hand.phase === 'answered' && hand.reply !== 'not-sent');
}

function isRowEventEnabled(state: State, event: RowEvent, limits: Limits): boolean {
  const hand = handRow(state, event.slot, event.row);
  if (hand === undefined) return false;
  switch (event.kind) {
    case 'intend':
      return hand.phase === 'planned' && hand.made < limits.attempts && mayBeLost(hand, event, limits);
    case 'send':
      return hand.phase === 'granted';
    case 'finish':
      return (hand.phase === 'answered' || hand.phase === 'ending') && mayBeLost(hand, event, limits);
    case 'stand-back':
      return hand.phase === 'granted';
    case 'give-up':
      return hand.phase === 'planned' && hand.made > 0 && !hand.unheard;
    case 'crash-amid':
      return state.crashes < limits.crashes && isBetween(hand, event);
    default:
      return event satisfies never;
  }
}

/** A reply is lost once, not again and again. */
function mayBeLost(hand: RowHand, { heard }: Command, { resends }: Limits): boolean {
  return heard || (resends && !hand.unheard);
}

/**
 * Both an intent and a settlement go to Redis and to the disk; to Redis first that of a row that was given up, or that was not
 * accepted and that others may send too.
 */
function isBetween(
  { phase, reply, end, expected, first }: RowHand,
  event: Extract<Event, { kind: 'crash-amid' }>,
): boolean {
  const isUnsent = phase === 'ending' && expected === '' && end?.outcome !== 'in-doubt';
  const isShared = first !== null && phase !== 'planned' && reply !== 'accepted';
  if ((isUnsent || isShared) && event.in === 'disk') return false;
  return phase === 'planned' || phase === 'ending' || (phase === 'answered' && reply !== 'not-sent');
}

function mayClose(state: State, { slot }: Pick<Command, 'slot'>): boolean {
  const { hand } = state.atWork[slot];
  return hand?.rows.every(({ phase }) => phase === 'ended' || phase === 'let-go') ?? false;
}

function canTear(state: State, slot: Extract<Event, { kind: 'crash' }>['slot']): boolean {
  return diskOf(state, slot).lines.at(-1)?.kind === 'noted';
}

/** A person who says that a row was created has found it. */
function isResolvable(state: State, { row, decision }: Extract<Event, { kind: 'resolve' }>): boolean {
  const seen = state.view?.rows[row - 1];
  if (seen?.kind !== 'settled' || seen.settlement.outcome !== 'in-doubt') return false;
  return factsOf(state, row).entities.length > 0 === (decision === 'created');
}
