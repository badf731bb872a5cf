import { randomBytes } from 'node:crypto';
import { type LedgerEpoch, openEpoch } from '../../../src/engine/recovery/epoch.ts';
import { createReplay, recountRuns } from '../../../src/engine/recovery/replay.ts';
import { lastSequences } from '../../../src/engine/recovery/verification.ts';
import { quietEdges } from '../../support/epoch.ts';
import { enrol, keepEnrolled, makePossiblySent, restart, setEpoch } from '../../support/stored.ts';
import { recordOf, replayDisks } from './journal-replay.ts';
import { diskOf, type Line, SLOTS, type Slot } from './state.ts';
import type { World } from './world.ts';

/** The workers of the ledger, by their slots. */
export type Workers = {
  epoch(slot: Slot): LedgerEpoch;
  /** The process in the slot ended without a word, and another one begins there. */
  replaced(slot: Slot): Promise<void>;
  /** No process lives while Redis is given an older copy; then others begin. `noticed`: so says the program, where it isn't there. */
  replacedAll(copy: () => Promise<void>, noticed: boolean): Promise<void>;
  /** Redis has lost something: the workers in these slots look, replay and check in, in that order where it matters. */
  cameBack(slots: readonly Slot[], server: 'another' | 'same'): Promise<void>;
  /** It has lost something while the worker in that slot awaits an answer; the others come back besides. */
  comesBackAmid(slot: Slot, amid: Amid): Promise<{ readonly others: Promise<void> }>;
  close(): Promise<void>;
};

/** `lines`: of its journal before; `slots`: in the order in which they replay, where that can be told. */
type Amid = { readonly lines: number; readonly slots: readonly Slot[] };

/** Long enough for a worker that is there, on a machine that is busy. */
const GRACE_MS = 350;

/** Workers with the real epoch: it closes, waits for workers that are missing, and opens without the dead. */
export async function openWorkers(world: World): Promise<Workers> {
  const { redis, keys } = world;
  const epochs = new Map<number, LedgerEpoch>();
  const epochOf = (slot: Slot) => {
    const epoch = epochs.get(world.state.atWork[slot].disk);
    if (epoch === undefined) throw new Error(`nobody is at slot ${slot}`);
    return epoch;
  };
  const arrived = new Set<string>();
  const arrive = async (slot: Slot) => {
    const { disk } = world.state.atWork[slot];
    if (!epochs.has(disk)) epochs.set(disk, await join(world, slot, arrived));
  };
  for (const slot of SLOTS) await arrive(slot);
  const bury = async () => {
    for (const [disk, epoch] of epochs) {
      if (world.state.atWork.some((worker) => worker.disk === disk)) continue;
      await leaveUnsaid(world, epoch);
      epochs.delete(disk);
    }
  };
  return {
    epoch: epochOf,
    async replaced(slot) {
      await bury();
      await arrive(slot);
    },
    async replacedAll(copy) {
      await bury();
      await copy();
      // Nobody lives who has seen the others; the doubts over one that is lost go into the new ones' journals.
      arrived.clear();
      for (const slot of SLOTS) await arrive(slot);
      for (const { fate, worker } of world.state.disks) if (fate === 'lost') arrived.add(worker);
    },
    async cameBack(slots, server) {
      if (server === 'another' && (await redis.exists(keys.epoch)) === 1) await closeEpoch(world, arrived);
      await Promise.all(slots.map((slot) => epochOf(slot).verify()));
    },
    async comesBackAmid(slot) {
      await closeEpoch(world, arrived);
      return { others: epochOf(slot === 0 ? 1 : 0).verify() };
    },
    async close() {
      for (const epoch of epochs.values()) await epoch.close();
    },
  };
}

/** Another server run. Workers hear of each other every 2 s: a Redis from before one's arrival is not the only one to ask. */
async function closeEpoch({ redis, keys }: World, arrived: ReadonlySet<string>): Promise<void> {
  await restart(redis, keys);
  await enrol(redis, keys, arrived);
}

/** The registry still has a process that was killed. */
async function leaveUnsaid({ redis, keys }: World, epoch: LedgerEpoch): Promise<void> {
  const back = await keepEnrolled(redis, keys, epoch.worker);
  await epoch.close();
  await back();
}

function join(world: World, slot: Slot, arrived: Set<string>): Promise<LedgerEpoch> {
  const { redis, keys, run } = world;
  const own = world.state.atWork[slot].disk;
  arrived.add(`m${own}`);
  /** Journals at hand that are not put back yet, and the last sequence numbers of their workers that Redis has. */
  const left = async () => {
    const disks = world.state.disks.filter(({ fate }) => fate === 'left');
    const lasts = await lastSequences(
      world,
      disks.map(({ worker }) => worker),
    );
    const all = disks.map((disk, i) => ({ disk, last: lasts[i] ?? -1 }));
    return all.filter(({ last }) => last !== Number.POSITIVE_INFINITY);
  };
  return openEpoch({
    ...quietEdges,
    redis,
    keys,
    worker: `m${own}`,
    async hasOlderJournal(epoch) {
      const killed = world.bend.believesRedis ? [] : await left();
      return killed.some(({ disk: { known }, last }) => known.epoch !== epoch || known.sequence > last);
    },
    knows(known) {
      const disk = world.state.disks[own];
      if (disk !== undefined) disk.known = known;
    },
    async replay(scope) {
      const { disks } = world.state;
      const killed = (await left()).map(({ disk }) => disk);
      const isKeptOut = scope.isWhole && world.bend.believesRedis ? () => true : scope.isKeptOut;
      await replayDisks(world, scope.own ? [...killed, ...disks.slice(own, own + 1)] : killed, isKeptOut);
      return disks.flatMap(({ fate, worker }) => (fate === 'left' ? [worker] : []));
    },
    recount: () => recountRuns(redis, keys),
    // The living have seen the dead.
    connected: async () => [...arrived],
    graceMs: GRACE_MS,
    doubt: () => createReplay(redis, keys).possiblySent([run.id]),
  });
}

/** Workers whose epoch never closes: what it would bring about is done at once, so that states can be put back. */
export async function openSteadyWorkers(world: World): Promise<Workers> {
  const { redis, keys, run } = world;
  const epochs = await Promise.all(SLOTS.map(() => openSteady(world)));
  const [first, second] = epochs;
  if (first === undefined || second === undefined) throw new Error('two slots have two epochs');
  await setEpoch(redis, keys, { opened: 'o0' });
  const leftDisks = () => world.state.disks.filter(({ fate }) => fate === 'left');
  /** Claims of before may be gone. */
  const openAnew = () => setEpoch(redis, keys, { opened: `o${world.state.losses}` });
  const verify = async () => {
    await recountRuns(redis, keys);
    const lost = world.state.disks.some(({ fate }) => fate === 'lost');
    if (lost) await makePossiblySent(redis, keys.run(run.id));
  };
  const replayAll = async (slots: readonly Slot[], isKeptOut: (mark: string) => boolean) => {
    const { disks, atWork } = world.state;
    await openAnew();
    const [one = 0, other = 0] = slots.map((slot) => atWork[slot].disk);
    // Each puts back what the dead have left and its own, one after the other.
    for (const own of [one, other]) {
      await replayDisks(world, [...leftDisks(), ...disks.slice(own, own + 1)], isKeptOut);
    }
    await verify();
  };
  return {
    epoch: (slot) => (slot === 0 ? first : second),
    replaced: () => replayDisks(world, leftDisks(), () => false),
    async replacedAll(copy, noticed) {
      await copy();
      if (noticed) await openAnew();
      await replayDisks(world, leftDisks(), () => false);
      if (noticed) await verify();
    },
    cameBack: (slots) => replayAll(slots, () => false),
    async comesBackAmid(slot, { lines, slots }) {
      const unanswered = diskOf(world.state, slot).lines.slice(lines);
      const held = unanswered.flatMap(marksIn);
      await replayAll(slots, (mark) => held.includes(mark));
      return { others: Promise.resolve() };
    },
    async close() {
      for (const epoch of epochs) await epoch.close();
    },
  };
}

function marksIn(line: Line): string[] {
  const record = recordOf(line);
  return record?.kind === 'intended' ? record.rows.map(({ mark }) => mark) : [];
}

function openSteady({ redis, keys }: World): Promise<LedgerEpoch> {
  return openEpoch({
    redis,
    keys,
    worker: `steady-${randomBytes(6).toString('hex')}`,
    ...quietEdges,
  });
}
