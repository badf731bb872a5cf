import { randomBytes } from 'node:crypto';
import { type LedgerGate, openGate } from '../../../src/ledger/epoch.ts';
import { replayDisks } from './journal-replay.ts';
import { SEATS, type Seat } from './state.ts';
import type { World } from './world.ts';

/** The processes at the ledger's gate. */
export type Members = {
  gate(seat: Seat): LedgerGate;
  /** The process in the seat ended without a word, and another one begins there. */
  replaced(seat: Seat): Promise<void>;
  /** Redis has lost something: these look, replay and check in, in that order where it matters. */
  cameBack(seats: readonly Seat[]): Promise<void>;
  close(): Promise<void>;
};

/** Long enough for a member that is there, on a machine that is busy. */
const GRACE_MS = 350;

/** Members with the real gate: it closes, waits for those who are missing, and goes on without the dead. */
export async function openMembers(world: World): Promise<Members> {
  const { redis, keys } = world;
  const gates = new Map<number, LedgerGate>();
  const gateOf = (seat: Seat) => {
    const gate = gates.get(world.state.desks[seat].disk);
    if (gate === undefined) throw new Error(`nobody is at seat ${seat}`);
    return gate;
  };
  const arrived = new Set<string>();
  const arrive = async (seat: Seat) => {
    const { disk } = world.state.desks[seat];
    if (!gates.has(disk)) gates.set(disk, await join(world, seat, arrived));
  };
  for (const seat of SEATS) await arrive(seat);
  return {
    gate: gateOf,
    async replaced(seat) {
      for (const [disk, gate] of gates) {
        if (world.state.desks.some((desk) => desk.disk === disk)) continue;
        await leaveUnsaid(world, gate);
        gates.delete(disk);
      }
      await arrive(seat);
    },
    async cameBack(seats) {
      if ((await redis.exists(keys.gate)) === 1) await closeGate(world, arrived);
      await Promise.all(seats.map((seat) => gateOf(seat).verify()));
    },
    async close() {
      for (const gate of gates.values()) await gate.close();
    },
  };
}

/** Another server run. Members hear of each other every 2 s: a Redis from before one's arrival is not the only one to ask. */
async function closeGate({ redis, keys }: World, arrived: ReadonlySet<string>): Promise<void> {
  await redis.hset(keys.gate, 'server', 'an-earlier-one');
  await Promise.all([...arrived].map((member) => redis.hsetnx(keys.gate, `m:${member}`, '0')));
}

/** The gate still knows a process that was killed. */
async function leaveUnsaid({ redis, keys }: World, gate: LedgerGate): Promise<void> {
  const fields = [`m:${gate.member}`, `b:${gate.member}`];
  const values = await redis.hmget(keys.gate, ...fields);
  await gate.close();
  await redis.hdel(keys.gate, `l:${gate.member}`);
  await redis.hset(keys.gate, Object.fromEntries(fields.map((field, i) => [field, values[i] ?? '0'])));
}

function join(world: World, seat: Seat, arrived: Set<string>): Promise<LedgerGate> {
  const { redis, keys, run } = world;
  const own = world.state.desks[seat].disk;
  arrived.add(`m${own}`);
  return openGate({
    redis,
    key: keys.gate,
    member: `m${own}`,
    async replay(scope) {
      const { disks } = world.state;
      const left = disks.filter(({ fate }) => fate === 'left');
      await replayDisks(world, scope.own ? [...left, ...disks.slice(own, own + 1)] : left, scope);
      return left.map(({ member }) => member);
    },
    // The living have seen the dead.
    connected: async () => [...arrived],
    graceMs: GRACE_MS,
    unfinished: async () => [keys.run(run.id).record],
    isGone: () => false,
    onNotice: () => undefined,
    onTrouble: () => undefined,
  });
}

/** Members whose gate never closes: what it would bring about is done at once, so that states can be put back. */
export async function openSteadyMembers(world: World): Promise<Members> {
  const { redis, keys, run } = world;
  const gates = await Promise.all(SEATS.map(() => openSteady(world)));
  const [first, second] = gates;
  if (first === undefined || second === undefined) throw new Error('two seats have two gates');
  return {
    gate: (seat) => (seat === 0 ? first : second),
    replaced: async () => undefined,
    async cameBack(seats) {
      const { disks, desks } = world.state;
      const left = disks.filter(({ fate }) => fate === 'left');
      const [one = 0, other = 0] = seats.map((seat) => desks[seat].disk);
      // Each puts back what the dead have left and its own, one after the other.
      for (const own of [one, other]) {
        await replayDisks(world, [...left, ...disks.slice(own, own + 1)], { intents: true });
      }
      const lost = disks.some(({ fate }) => fate === 'lost');
      if (lost) await redis.hset(keys.run(run.id).record, 'suspect', '1');
    },
    async close() {
      for (const gate of gates) await gate.close();
    },
  };
}

function openSteady({ redis, keys }: World): Promise<LedgerGate> {
  return openGate({
    redis,
    key: keys.gate,
    member: `steady-${randomBytes(6).toString('hex')}`,
    replay: async () => [],
    connected: async () => [],
    unfinished: async () => [],
    isGone: () => false,
    onNotice: () => undefined,
    onTrouble: () => undefined,
  });
}
