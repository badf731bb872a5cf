import { performance } from 'node:perf_hooks';
import { until } from '../../support/until.ts';
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

/** A victim that gets little to do is killed after this long with what it has sent; one that gets nothing lives, and another dies. */
const PATIENCE_MS = 1_000;

/** Kills one victim after the other, each chosen by the dice; answers the kills, fewer than asked for where it was over before. */
export async function killLoop(options: KillLoopOptions): Promise<Kill[]> {
  const { victims, dice } = options;
  const done: Kill[] = [];
  while (done.length < options.kills) {
    const chosen = dice.pick(victims);
    const victim = await whoseTimeItIs(chosen, dice.between(1, options.requestsMax), options);
    if (victim === null) break;
    done.push({ name: victim.name, at: performance.now(), requests: victim.requests() });
    await victim.kill();
  }
  return done;
}

/** The victim to be killed right now, after a request of it has come in, so that something is in flight; `null`: it is over. */
async function whoseTimeItIs(
  chosen: Victim,
  requests: number,
  { victims, isOver }: KillLoopOptions,
): Promise<Victim | null> {
  const began = performance.now();
  const seen = new Map(victims.map((victim) => [victim, victim.requests()]));
  let found: Victim | null = null;
  await until(() => {
    const fresh = victims.filter((victim) => victim.requests() > (seen.get(victim) ?? 0));
    for (const victim of fresh) seen.set(victim, victim.requests());
    const isLate = performance.now() - began > PATIENCE_MS;
    if (fresh.includes(chosen) && (isLate || chosen.requests() >= requests)) found = chosen;
    else if (isLate) found = fresh[0] ?? null;
    return found !== null || isOver();
  });
  return isOver() ? null : found;
}
