import type { RowEnd } from '../../../src/delivery/row-task.ts';
import type { FirstIntent } from '../../../src/engine/ledger/mark.ts';
import type { Outcome } from '../../../src/model/outcome.ts';
import type { Snapshot } from './keyspace.ts';
import type { View } from './view.ts';

/** Two slots, in each of which a worker takes the one chunk. */
export const SLOTS = [0, 1] as const;
export type Slot = (typeof SLOTS)[number];

/** What becomes of a request: it is answered, cut off with or without the entity made, or proven unsent. */
export const REPLIES = ['accepted', 'refused', 'cut-made', 'cut-unmade', 'not-sent'] as const;
export type ReplyKind = (typeof REPLIES)[number];

/** A row in a worker's memory. */
export type RowHand = {
  readonly row: number;
  phase: 'planned' | 'granted' | 'answered' | 'ending' | 'ended' | 'let-go';
  readonly foundMark: string;
  readonly possiblySent: boolean;
  /** The mark that the next intent replaces, and the one that the present one has replaced. */
  expected: string;
  before: string;
  /** Of a request with an idempotency header; `null`: it has none. */
  first: FirstIntent | null;
  /** What the row is unless it is accepted. */
  doubt: RowEnd | null;
  made: number;
  /** The command was carried out, and its reply is lost: it is to be sent again. */
  unheard: boolean;
  reply: ReplyKind | null;
  end: RowEnd | null;
};

export type Hand = {
  readonly fencingToken: string;
  /** How far the chunk's order had come when it was taken. */
  readonly seen: string;
  /** The row up to which this take has come in order; 0: it has not begun. */
  last: number;
  /** The claims have to be looked at: each row goes by itself. */
  isOutOfOrder: boolean;
  readonly rows: RowHand[];
};

/** `noted`: written behind, so a crash may lose it. */
export type Line = { readonly kind: 'written' | 'noted'; readonly text: string };

/** One process's journal, and what it last knew of the ledger. `left`: the process is gone and the journal at hand. */
export type Disk = {
  readonly worker: string;
  fate: 'in-use' | 'left' | 'lost';
  lines: Line[];
  known: LastKnown;
};
type LastKnown = { readonly epoch: string; readonly sequence: number };

export function newDisk(n: number, lines: Line[] = []): Disk {
  return { worker: `m${n}`, fate: 'in-use', lines, known: { epoch: '', sequence: -1 } };
}

/** The worker in a slot: which journal is its own, and what it has in hand. */
export type AtWork = { disk: number; hand: Hand | null };

/** What is true of a row, whatever the ledger says. */
export type Facts = {
  /** Marks that a worker was told it may send under, and that are not withdrawn by proof. */
  open: string[];
  /** What the service has made. */
  entities: string[];
  /** How many of them it has forgotten the values of. */
  forgotten: number;
  withdrawals: number;
  /** Something happened that excuses a row in doubt. */
  mayDoubt: boolean;
  /** What the ledger said it had recorded. */
  recorded: { readonly outcome: Outcome; readonly id: string; readonly decided: boolean } | null;
};

export type State = {
  readonly atWork: readonly [AtWork, AtWork];
  readonly disks: Disk[];
  /** Disks of processes that came before any event: every copy knows them. */
  readonly firstDisks: number;
  /** The hours of the idempotency header are over, and the service has forgotten all values. */
  forgotten: boolean;
  readonly facts: Facts[];
  takes: number;
  /** Times that Redis lost something. */
  losses: number;
  /** Of those, by a copy while no process lived. */
  copies: number;
  crashes: number;
  decisions: number;
  halves: number;
  pauses: number;
  /** A worker that has not noticed yet that Redis has lost something. */
  away: Slot | null;
  /** A journal's end was torn off. */
  torn: boolean;
  saved: { readonly text: string; readonly snapshot: Snapshot } | null;
  /** What the ledger said after the last event. */
  view: View | null;
};

/** Rows from 1; `processes` 1: both workers are in one process, with one journal. */
export function newState(rows: number, processes: 1 | 2): State {
  return {
    atWork: [
      { disk: 0, hand: null },
      { disk: processes - 1, hand: null },
    ],
    disks: Array.from({ length: processes }, (_, n) => newDisk(n)),
    firstDisks: processes,
    facts: Array.from({ length: rows }, () => ({
      open: [],
      entities: [],
      forgotten: 0,
      withdrawals: 0,
      mayDoubt: false,
      recorded: null,
    })),
    forgotten: false,
    takes: 0,
    losses: 0,
    copies: 0,
    crashes: 0,
    decisions: 0,
    halves: 0,
    pauses: 0,
    away: null,
    torn: false,
    saved: null,
    view: null,
  };
}

export function cloneState(state: State): State {
  const [first, second] = state.atWork;
  return {
    ...state,
    atWork: [cloneAtWork(first), cloneAtWork(second)],
    disks: state.disks.map((disk) => ({ ...disk, lines: [...disk.lines] })),
    facts: state.facts.map((facts) => ({
      ...facts,
      open: [...facts.open],
      entities: [...facts.entities],
    })),
  };
}

function cloneAtWork({ disk, hand }: AtWork): AtWork {
  return { disk, hand: hand === null ? null : { ...hand, rows: hand.rows.map((row) => ({ ...row })) } };
}

export function factsOf(state: State, row: number): Facts {
  const facts = state.facts[row - 1];
  if (facts === undefined) throw new Error(`there is no row ${row}`);
  return facts;
}

/** It may be on its way to the service, or its outcome to the ledger. */
export function isInFlight({ phase, unheard }: RowHand): boolean {
  return phase === 'granted' || phase === 'answered' || unheard;
}

/** The process' name, by its journal. */
export function processOf(disk: number): string {
  return `p${disk}`;
}

export function diskOf(state: State, slot: Slot): Disk {
  const disk = state.disks[state.atWork[slot].disk];
  if (disk === undefined) throw new Error(`slot ${slot} has no disk`);
  return disk;
}

/** The ledger as it was looked at last. */
export function viewOf({ view }: State): View {
  if (view === null) throw new Error('nobody has looked at the ledger');
  return view;
}

export function handRow(state: State, slot: Slot, row: number): RowHand | undefined {
  return state.atWork[slot].hand?.rows.find((hand) => hand.row === row);
}
