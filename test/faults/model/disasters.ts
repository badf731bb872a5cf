import { resolveRows } from '../../../src/engine/ledger/resolve.ts';
import { createRunStore } from '../../../src/engine/ledger/run-store.ts';
import type { Event } from './events.ts';
import { recordOf } from './journal-replay.ts';
import type { Snapshot } from './keyspace.ts';
import {
  type Disk,
  diskOf,
  factsOf,
  isInFlight,
  type Line,
  newDisk,
  SLOTS,
  type Slot,
  type State,
} from './state.ts';
import { Unanswered } from './torn-redis.ts';
import { look } from './view.ts';
import { type Bench, ledgerOf, NOW } from './world.ts';

/** The process in the slot is gone, with its memory; another one begins there. */
export async function crash(bench: Bench, death: Death): Promise<void> {
  die(bench, death);
  bench.state.crashes += 1;
  await bench.workers.replaced(death.slot);
}

type Death = Pick<Extract<Event, { kind: 'crash' }>, 'slot' | 'journal'>;

function die({ state, remembered }: Bench, { slot, journal }: Death): void {
  const disk = diskOf(state, slot);
  const gone = SLOTS.filter((other) => state.atWork[other].disk === state.atWork[slot].disk);
  for (const hand of gone.flatMap((other) => state.atWork[other].hand?.rows ?? [])) {
    if (isInFlight(hand)) factsOf(state, hand.row).mayDoubt = true;
  }
  if (journal === 'torn') tear(state, disk);
  if (journal === 'lost') lose(state, disk);
  if (state.away === slot) unread(state, disk);
  disk.fate = journal === 'lost' ? 'lost' : 'left';
  state.disks.push(newDisk(state.disks.length, [remembered]));
  for (const other of gone) {
    state.atWork[other].disk = state.disks.length - 1;
    state.atWork[other].hand = null;
  }
}

/** What was noted behind is gone; what was written before it went on is not. */
function tear(state: State, disk: Disk): void {
  const kept = disk.lines.findLastIndex(({ kind }) => kind === 'written') + 1;
  for (const row of disk.lines.slice(kept).flatMap(rowsIn)) {
    factsOf(state, row).mayDoubt = true;
  }
  disk.lines = disk.lines.slice(0, kept);
  state.torn = true;
}

function lose(state: State, disk: Disk): void {
  disk.lines = [];
  for (const facts of state.facts) facts.mayDoubt = true;
}

/** It died before it put back what Redis had lost: nobody reads its journal until Redis loses something again. */
function unread(state: State, disk: Disk): void {
  state.away = null;
  const others = state.disks.filter((other) => other !== disk);
  forgetUncovered(state, others);
}

function rowsIn(line: Line): number[] {
  const record = recordOf(line);
  if (record === null || !('rows' in record || 'entries' in record)) return [];
  if (record.kind === 'withdrawn') return record.rows.map(([, row]) => row);
  return ('rows' in record ? record.rows : record.entries).map(({ row }) => row);
}

/** The crash comes between Redis and the disk: one of the two has not heard. */
export async function crashAmid(
  bench: Bench,
  event: Extract<Event, { kind: 'crash-amid' }>,
  carryOut: () => Promise<unknown>,
): Promise<void> {
  const disk = diskOf(bench.state, event.slot);
  const facts = factsOf(bench.state, event.row);
  const lines = [...disk.lines];
  const { recorded } = facts;
  const { snapshot } = await bench.keyspace.dump();
  await carryOut();
  facts.mayDoubt = true;
  if (event.in === 'redis') disk.lines = lines;
  else {
    disk.lines = disk.lines.slice(0, lines.length + 1);
    facts.recorded = recorded;
    bench.state.torn = true;
    await bench.keyspace.restore(snapshot);
  }
  await crash(bench, { slot: event.slot, journal: 'kept' });
}

/**
 * Redis is torn within the command, and started twice. Who lives sends it again to a ledger that is verified anew; who dies
 * is not answered.
 */
export async function half(
  bench: Bench,
  { slot, writes, sender, first = 0 }: Extract<Event, { kind: 'half' }>,
  carryOut: () => Promise<unknown>,
): Promise<void> {
  const { state, workers, keys, run } = bench;
  const lines = diskOf(state, slot).lines.length;
  const slots = inOrder(first);
  let coming = Promise.resolve();
  state.halves += 1;
  bench.torn.tear({
    key: keys.run(run.id).chunk,
    writes,
    async after() {
      if (sender !== 'lives') return 'gone';
      expectLoss(state);
      coming = (await workers.comesBackAmid(slot, { lines, slots })).others;
      return 'again';
    },
  });
  try {
    await carryOut();
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error;
    await dieUnanswered(bench, { slot, slots, lines: sender === 'dies' ? lines + 1 : lines });
  } finally {
    bench.torn.tear(null);
    await coming;
  }
}

async function dieUnanswered(
  bench: Bench,
  { slot, slots, lines }: { readonly slot: Slot; readonly slots: readonly Slot[]; readonly lines: number },
): Promise<void> {
  const { state } = bench;
  const disk = diskOf(state, slot);
  disk.lines = disk.lines.slice(0, lines);
  for (const facts of state.facts) facts.mayDoubt = true;
  state.torn = true;
  await crash(bench, { slot, journal: 'kept' });
  await comeBack(bench, slots);
}

function inOrder(first: Slot): readonly Slot[] {
  return [first, first === 0 ? 1 : 0];
}

export async function pause(
  { state, redis, keys, run }: Bench,
  { kind }: Extract<Event, { kind: 'pause' | 'resume' }>,
): Promise<void> {
  state.pauses += kind === 'pause' ? 1 : 0;
  const store = createRunStore(redis, keys, () => NOW);
  await store.transition(run.id, kind === 'pause' ? 'paused' : 'running', null);
}

export async function save(bench: Bench): Promise<void> {
  const { text, snapshot } = await look(bench);
  bench.state.saved = { text, snapshot };
}

/** Redis is as it was before; those who notice replay their journals. */
export async function goBack(
  bench: Bench,
  event: Extract<Event, { kind: 'back' | 'back-to-saved' }>,
): Promise<void> {
  const { state } = bench;
  const snapshot = leavePast(bench, event.kind === 'back' ? event.events : 0);
  if (event.kind === 'back' && event.server === 'same') await bench.workers.cameBack(SLOTS, 'another');
  await bench.keyspace.restore(snapshot);
  if (event.kind === 'back-to-saved') return comeBack(bench, inOrder(event.first));
  const isOne = state.atWork[0].disk === state.atWork[1].disk;
  if (event.noticed === 'both' || isOne) return comeBack(bench, SLOTS, event.server);
  await comeBack(bench, [event.noticed], event.server);
  state.away = event.noticed === 0 ? 1 : 0;
  // Who doesn't check in may have sent anything.
  for (const facts of state.facts) facts.mayDoubt = true;
}

/** What Redis goes back to. What it went back behind is no past of its own any more: no Redis comes back with it. */
function leavePast({ state, history }: Bench, events: number): Snapshot {
  const at = Math.max(0, history.length - 1 - events);
  const snapshot = events > 0 ? history[at] : state.saved?.snapshot;
  if (snapshot === undefined) throw new Error('there is nothing to go back to');
  state.saved = null;
  if (events > 0) history.length = at + 1;
  return snapshot;
}

/** Nobody lives who could notice it by himself. */
export async function copied(
  bench: Bench,
  { events, lost, noticed = false }: Extract<Event, { kind: 'copied' }>,
): Promise<void> {
  const { state, workers, keyspace } = bench;
  // Its heartbeat has told the other one of a command since.
  if (lost !== null) await ledgerOf(bench, lost === 0 ? 1 : 0).reserve(1, 1);
  const snapshot = leavePast(bench, events);
  const slots = state.atWork[0].disk === state.atWork[1].disk ? [0 as const] : SLOTS;
  for (const slot of slots) die(bench, { slot, journal: slot === lost ? 'lost' : 'kept' });
  state.copies += 1;
  expectLoss(state);
  const isLost = state.disks.some(({ fate }) => fate === 'lost');
  await workers.replacedAll(() => keyspace.restore(snapshot), noticed || isLost);
}

export async function emptied(bench: Bench, first: Slot): Promise<void> {
  bench.state.saved = null;
  await bench.keyspace.empty();
  await comeBack(bench, inOrder(first));
}

async function comeBack(
  bench: Bench,
  slots: readonly Slot[],
  server: 'another' | 'same' = 'another',
): Promise<void> {
  expectLoss(bench.state);
  await bench.workers.cameBack(slots, server);
}

function expectLoss(state: State): void {
  state.losses += 1;
  forgetUncovered(state, state.disks);
  for (const facts of state.facts) {
    // A journal doesn't take back an intent that was withdrawn and is there again.
    if (facts.withdrawals > 0) facts.mayDoubt = true;
  }
}

/** What is in no journal may be lost with Redis; so may a person's decision, which is in none. */
function forgetUncovered(state: State, disks: readonly Disk[]): void {
  state.facts.forEach((facts, i) => {
    const { recorded } = facts;
    if (recorded === null) return;
    if (recorded.decided || !disks.some((disk) => isIn(disk, i + 1, recorded.outcome))) facts.recorded = null;
  });
}

function isIn({ lines }: Disk, row: number, outcome: string): boolean {
  return lines.some((line) => {
    const record = recordOf(line);
    if (record?.kind !== 'settled') return false;
    return record.entries.some((entry) => entry.row === row && entry.outcome === outcome);
  });
}

/** A person looked at the service and says what is there. */
export async function resolveRow(bench: Bench, event: Extract<Event, { kind: 'resolve' }>): Promise<void> {
  const { redis, keys, run, state } = bench;
  const facts = factsOf(state, event.row);
  const id = facts.entities.at(-1) ?? '';
  const created = event.decision === 'created';
  const decision = created ? ({ kind: 'created', id } as const) : ({ kind: 'not-created' } as const);
  const options = { run, by: 'somebody', at: NOW, decisions: [{ row: event.row, decision }] };
  state.decisions += 1;
  // The second time is the command that was sent again after a lost reply.
  for (const expected of ['resolved', 'unchanged']) {
    const [answer] = await resolveRows(redis, keys, options);
    // A worker that was away says by its own beat what became of the row.
    if (answer?.kind === 'not-in-doubt' && state.away !== null) return;
    const isExpected = answer?.kind === expected || (expected === 'unchanged' && answer?.kind === 'resolved');
    if (!isExpected) throw new Error(`row ${event.row}: a decision was answered ${answer?.kind}`);
  }
  facts.recorded = { outcome: created ? 'created' : 'failed', id, decided: true };
}
