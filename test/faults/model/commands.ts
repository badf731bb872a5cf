import fc from 'fast-check';
import { applyEvent } from './apply-event.ts';
import { isEnabled, type Limits } from './enabled.ts';
import { allEvents, type Event } from './events.ts';
import { viewOf } from './state.ts';
import type { Bench } from './world.ts';

/** What was run: sequences, and the events that happened in them by kind. */
export type Tally = {
  sequences: number;
  /** The lane in which something went wrong first. */
  failedIn: number | null;
  readonly events: Map<string, number>;
};

const MAX_EVENTS = 200;
const LIMITS: Limits = {
  crashes: 4,
  losses: 3,
  copies: 3,
  decisions: 3,
  attempts: 3,
  resends: true,
  halves: 2,
  pauses: 2,
};
/** What leads a row on comes often, what befalls it seldom. */
const WEIGHTS: Readonly<Record<Event['kind'], number>> = {
  take: 12,
  intend: 24,
  send: 24,
  finish: 24,
  'stand-back': 1,
  'give-up': 12,
  close: 6,
  crash: 1,
  'crash-amid': 1,
  half: 1,
  pause: 1,
  resume: 6,
  forget: 0,
  save: 0,
  'back-to-saved': 0,
  back: 1,
  emptied: 1,
  copied: 1,
  resolve: 3,
};

/** `isOver`: another lane's sequence went wrong, and nobody waits for this one. */
type Commands = { readonly tally: Tally; readonly isOver: () => boolean };

/** An event of one kind, wherever it can happen just then. */
class EventCommand implements fc.AsyncCommand<Bench, Bench> {
  readonly kind: Event['kind'];
  readonly pick: number;
  readonly of: Commands;
  constructor(kind: Event['kind'], pick: number, of: Commands) {
    this.kind = kind;
    this.pick = pick;
    this.of = of;
  }
  check(bench: Readonly<Bench>): boolean {
    return !this.of.isOver() && this.possible(bench).length > 0;
  }
  async run(bench: Bench): Promise<void> {
    const possible = this.possible(bench);
    const event = possible[this.pick % possible.length];
    if (event === undefined) throw new Error(`no ${this.kind} can happen`);
    await applyEvent(bench, event);
    bench.history.push(viewOf(bench.state).snapshot);
    const { events } = this.of.tally;
    events.set(this.kind, (events.get(this.kind) ?? 0) + 1);
  }
  toString(): string {
    return `${this.kind} ${this.pick}`;
  }
  private possible({ state, rows }: Readonly<Bench>): readonly Event[] {
    return allEvents(rows).filter((event) => event.kind === this.kind && isEnabled(state, event, LIMITS));
  }
}

/** Sequences of up to 200 commands, of which those happen that can. */
export function commandsFor(of: Commands) {
  const kinds = [...new Set(allEvents(1).map(({ kind }) => kind))].filter((kind) => WEIGHTS[kind] > 0);
  const commands = fc
    .tuple(
      fc.oneof(...kinds.map((kind) => ({ weight: WEIGHTS[kind], arbitrary: fc.constant(kind) }))),
      fc.nat({ max: 1_000 }),
    )
    .map(([kind, pick]) => new EventCommand(kind, pick, of));
  return fc.commands([commands], { maxCommands: MAX_EVENTS, size: 'max' });
}
