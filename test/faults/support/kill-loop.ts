import { performance } from 'node:perf_hooks';
import { until } from '../../support/flow.ts';
import type { Dice } from './seed.ts';

/** A process that can be killed, and is started again at once. */
export type Victim = {
  readonly name: string;
  /** Requests of its present life that the service has received. */
  requests(): number;
  kill(): Promise<void>;
};

export type Kill = {
  readonly name: string;
  /** `performance.now()` */
  readonly at: number;
  /** What it had sent in its life. */
  readonly requests: number;
};

export type KillLoopOptions = {
  readonly victims: readonly Victim[];
  readonly kills: number;
  /** A victim dies after 1 to this many requests of its life: one that has sent nothing has nothing in flight. */
  readonly requestsMax: number;
  readonly dice: Dice;
  /** Whether there is nothing left to kill for. */
  readonly isOver: () => boolean;
};

/** A victim that gets little to do is killed after this long with what it has sent. */
const PATIENCE_MS = 3_000;

/** Kills one victim after the other, each chosen by the dice; answers the kills, fewer than asked for where it was over before. */
export async function killLoop(options: KillLoopOptions): Promise<Kill[]> {
  const { victims, dice } = options;
  const done: Kill[] = [];
  while (done.length < options.kills) {
    const victim = dice.pick(victims);
    await untilItsTime(victim, dice.between(1, options.requestsMax), options.isOver);
    if (options.isOver()) break;
    done.push({ name: victim.name, at: performance.now(), requests: victim.requests() });
    await victim.kill();
  }
  return done;
}

/** Right after a request has come in, so that something is in flight. */
async function untilItsTime(victim: Victim, requests: number, isOver: () => boolean): Promise<void> {
  const began = performance.now();
  let seen = victim.requests();
  await until(() => {
    const sent = victim.requests();
    const isFresh = sent > seen;
    seen = sent;
    return isOver() || (isFresh && (sent >= requests || performance.now() - began > PATIENCE_MS));
  });
}
