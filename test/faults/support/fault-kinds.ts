/**
 * What may happen to a run, two workers and their Redis at any moment, in one table, and how faults follow each other: kinds, victims
 * and durations by the dice. A fault that is under way does not keep others from beginning, unless they would have the same victim.
 */

import { performance } from 'node:perf_hooks';
import { keepServerBusy } from '../../support/busy-redis.ts';
import type { RedisServer } from '../../support/redis-server.ts';
import { until } from '../../support/until.ts';
import type { Clock } from './clock.ts';
import type { KeptCommand } from './kept-command.ts';
import type { Dice } from './seed.ts';
import type { SmallDisk } from './small-disk.ts';
import { momentLater } from './times.ts';

export const FAULT_KINDS = [
  'kill',
  'term',
  'stop',
  'clock',
  'pause',
  'redis-kill',
  'redis-torn',
  'redis-full',
  'redis-stop',
  'redis-read-only',
  'redis-busy',
  'redis-clock',
  'home-full',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** What the faults strike. */
export type Targets = {
  readonly redis: RedisServer;
  /** `null`: clocks can't be changed on this machine. */
  readonly redisClock: Clock | null;
  /** A file system that can be filled up, on which the home is; `null`: that can't be had on this machine. */
  readonly disk: SmallDisk | null;
  readonly clocks: ReadonlyMap<string, Clock>;
  /** By how many seconds clocks may be off; the next jump of a clock is from one of these to another. */
  readonly offsetsSeconds: readonly number[];
  /** The run's command and the workers', by name. */
  readonly commands: Map<string, KeptCommand>;
  /** `onboard pause` in a process of its own; `false`: there was nothing to pause. */
  pause(): Promise<boolean>;
};

export type InjectOptions = {
  readonly dice: Dice;
  /** From one fault's begin to the next one's. */
  readonly gapMs: readonly [from: number, to: number];
  /** Of the durations in the table. */
  readonly scale: number;
};

/** One fault; times are `performance.now()`. */
export type Fault = {
  readonly kind: FaultKind;
  readonly victim: string;
  readonly seconds: number;
  readonly began: number;
  /** `null`: it is under way. */
  ended: number | null;
};

type Strike = {
  readonly victim: string;
  readonly seconds: number;
  /** What decides within the kind, in [0, 1). */
  readonly choice: number;
};
type Row = {
  /** How long it lasts; down for that long, or until it is taken back. */
  readonly seconds: readonly [from: number, to: number];
  readonly on: 'process' | 'run' | 'redis' | 'home';
  /** `false`: there was nothing to strike. */
  strike(targets: Targets, strike: Strike): Promise<boolean>;
};

const TABLE: Readonly<Record<FaultKind, Row>> = {
  kill: { seconds: [0, 0], on: 'process', strike: (targets, strike) => signal(targets, strike, 'SIGKILL') },
  term: { seconds: [0, 0], on: 'process', strike: (targets, strike) => signal(targets, strike, 'SIGTERM') },
  stop: {
    seconds: [1, 20],
    on: 'process',
    async strike(targets, strike) {
      if (!(await signal(targets, strike, 'SIGSTOP'))) return false;
      await pauseFor(strike.seconds);
      return signal(targets, strike, 'SIGCONT');
    },
  },
  clock: {
    seconds: [0, 0],
    on: 'process',
    strike: (targets, { victim, choice }) => jump(targets, targets.clocks.get(victim) ?? null, { choice }),
  },
  pause: {
    seconds: [0, 0],
    on: 'run',
    strike: (targets) => targets.pause(),
  },
  'redis-kill': {
    seconds: [0, 3],
    on: 'redis',
    strike: lasting(
      ({ redis }) => redis.kill(),
      ({ redis }) => redis.start(),
    ),
  },
  // Now and then it is killed a second time, as soon as others have written behind the torn end.
  'redis-torn': {
    seconds: [0, 3],
    on: 'redis',
    async strike({ redis }, { seconds, choice }) {
      await redis.kill();
      await redis.tearLog();
      await pauseFor(seconds);
      await redis.start();
      if (choice < 0.5) return true;
      await pauseFor(2 * (choice - 0.5) * seconds);
      await redis.kill();
      await redis.start();
      return true;
    },
  },
  'redis-full': {
    seconds: [1, 15],
    on: 'redis',
    strike: lasting(
      ({ redis }) => told(redis, 'CONFIG', 'SET', 'maxmemory', '1'),
      ({ redis }) => told(redis, 'CONFIG', 'SET', 'maxmemory', '0'),
    ),
  },
  'redis-stop': {
    seconds: [1, 20],
    on: 'redis',
    strike: lasting(
      ({ redis }) => redis.freeze(),
      ({ redis }) => redis.thaw(),
    ),
  },
  'redis-read-only': { seconds: [1, 15], on: 'redis', strike: refuseWrites },
  'redis-busy': { seconds: [1, 6], on: 'redis', strike: keepBusy },
  'redis-clock': {
    seconds: [0, 0],
    on: 'redis',
    // What a dead worker had is taken over later by as much as Redis' clock goes back (docs/guarantees.md).
    strike: (targets, { choice }) => jump(targets, targets.redisClock, { choice, mostBack: 5 }),
  },
  'home-full': {
    seconds: [1, 10],
    on: 'home',
    strike: lasting(
      ({ disk }) => disk?.fill(),
      ({ disk }) => disk?.clear(),
    ),
  },
};

const PROCESSES = ['run', 'work-1', 'work-2'];

/** Lets one fault of these kinds follow another until it is over; resolves when all of them have passed. */
export async function injectFaults(
  targets: Targets,
  kinds: readonly FaultKind[],
  { dice, gapMs, scale }: InjectOptions,
  { faults, isOver }: { readonly faults: Fault[]; readonly isOver: () => boolean },
): Promise<void> {
  const underWay: Array<Promise<void>> = [];
  const struck = new Set<string>();
  for (;;) {
    // All dice are thrown whatever comes of it: so a seed's faults are the same however fast the machine is.
    const [gap, kind, process] = [dice.between(...gapMs), dice.pick(kinds), dice.pick(PROCESSES)];
    const [length, choice] = [dice.next(), dice.next()];
    const { on, seconds, strike } = TABLE[kind];
    const lasts = scale * (seconds[0] + length * (seconds[1] - seconds[0]));
    await momentLater(gap, isOver);
    if (isOver()) break;
    const victim = on === 'process' ? process : on;
    if (struck.has(victim)) continue;
    struck.add(victim);
    const fault: Fault = { kind, victim, seconds: lasts, began: performance.now(), ended: null };
    faults.push(fault);
    underWay.push(
      strike(targets, { victim, seconds: lasts, choice }).then((hasStruck) => {
        struck.delete(victim);
        fault.ended = performance.now();
        if (!hasStruck) faults.splice(faults.indexOf(fault), 1);
      }),
    );
    // A failure is told below: it is not an unhandled one meanwhile.
    underWay.at(-1)?.catch(() => undefined);
  }
  await Promise.all(underWay);
}

/** It begins, lasts, and is taken back. */
function lasting(begin: (targets: Targets) => unknown, end: (targets: Targets) => unknown): Row['strike'] {
  return async (targets, { seconds }) => {
    await begin(targets);
    await pauseFor(seconds);
    await end(targets);
    return true;
  };
}

async function signal(targets: Targets, { victim }: Strike, name: NodeJS.Signals): Promise<boolean> {
  return (await targets.commands.get(victim)?.strike(name)) ?? false;
}

async function jump(
  { offsetsSeconds }: Targets,
  clock: Clock | null,
  { choice, mostBack = Number.POSITIVE_INFINITY }: { readonly choice: number; readonly mostBack?: number },
): Promise<boolean> {
  if (clock === null) return false;
  const to = offsetsSeconds[Math.floor(choice * offsetsSeconds.length)] ?? 0;
  await clock.setOff(Math.max(to, clock.off() - mostBack));
  return true;
}

/** A master without replicas that wants one, or a replica of nobody that answers: both refuse to write, in other words. */
async function refuseWrites({ redis }: Targets, { seconds, choice }: Strike): Promise<boolean> {
  const [refuse, take] =
    choice < 0.5
      ? [
          ['CONFIG', 'SET', 'min-replicas-to-write', '1'],
          ['CONFIG', 'SET', 'min-replicas-to-write', '0'],
        ]
      : [
          ['REPLICAOF', '127.0.0.1', '1'],
          ['REPLICAOF', 'NO', 'ONE'],
        ];
  await told(redis, ...refuse);
  await pauseFor(seconds);
  await told(redis, ...take);
  return true;
}

/** A script of somebody else's, which does not end: Redis answers BUSY to all others. */
async function keepBusy({ redis }: Targets, { seconds }: Strike): Promise<boolean> {
  const endScript = await keepServerBusy(redis);
  await pauseFor(seconds);
  await endScript();
  return true;
}

/** On a machine that is busy a script of the program's own keeps Redis from answering for a while, too. */
async function told({ redis }: Targets['redis'], ...command: readonly string[]): Promise<void> {
  const [name = '', ...args] = command;
  await until(async () => (await redis.call(name, ...args).catch(() => null)) === 'OK');
}

function pauseFor(seconds: number): Promise<void> {
  return momentLater(1000 * seconds);
}
