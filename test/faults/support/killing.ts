/**
 * Processes that die: commands that are started again whenever they are killed, loops that kill them while they send, and programs that
 * run before the program itself and end or block it at a point of its own.
 */

import { performance } from 'node:perf_hooks';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Ended, Started } from '../../support/flow.ts';
import { until, watchEnd } from '../../support/until.ts';
import type { Dice } from './seed.ts';

/** A process that can be killed, and is started again at once. */
export type Victim = {
  readonly name: string;
  /** Requests of its present life that the service has received. */
  requests(): number;
  /** SIGKILL, and once it is gone the same command again. */
  kill(): Promise<void>;
};

/** A command that is started again whenever the test kills it. */
export type KeptProcess = Victim & {
  /** SIGKILL, or that signal; resolves once it is gone. Until `revive` it stays so, and its `ownEnd` is not that. */
  end(signal?: NodeJS.Signals): Promise<void>;
  /** Starts an ended one again. */
  revive(): void;
  signal(name: NodeJS.Signals): void;
  /** Resolves when it ends by itself. */
  readonly ownEnd: Promise<Ended>;
};

/** Starts it, and keeps it; `start` is called for every life, `sent` counts the requests of all of them. */
export function keepProcess(name: string, start: () => Started, sent: () => number): KeptProcess {
  let sentBefore = sent();
  let current = start();
  let restarted = Promise.resolve();
  let revive = () => {};
  const killed = new WeakSet<Started>();

  const end = async (signal: NodeJS.Signals = 'SIGKILL') => {
    const victim = current;
    killed.add(victim);
    restarted = new Promise((resolve) => {
      revive = () => {
        sentBefore = sent();
        current = start();
        resolve();
      };
    });
    victim.child.kill(signal);
    await victim.ended;
  };
  const ownEnd = async () => {
    for (;;) {
      const watched = current;
      const ended = await watched.ended;
      if (!killed.has(watched)) return ended;
      await restarted;
    }
  };

  return {
    name,
    requests: () => sent() - sentBefore,
    async kill() {
      await end();
      revive();
    },
    end,
    revive: () => revive(),
    signal: (signal) => void current.child.kill(signal),
    ownEnd: ownEnd(),
  };
}

type KillLoopOptions = {
  readonly victims: readonly Victim[];
  readonly kills: number;
  /** A victim dies after 1 to this many requests of its life: one that has sent nothing has nothing in flight. */
  readonly requestsMax: number;
  readonly dice: Dice;
  /** When it has settled there is nothing left to kill for. */
  readonly over: Promise<unknown>;
};

/** A victim that gets little to do is killed after this long with what it has sent; one that gets nothing lives, and another dies. */
const PATIENCE_MS = 1_000;

/** Kills one victim after the other, each chosen by the dice; answers how many, fewer than asked for where it was over before. */
export async function killLoop(options: KillLoopOptions): Promise<number> {
  const { victims, dice } = options;
  const isOver = watchEnd(options.over);
  let done = 0;
  while (done < options.kills) {
    const chosen = dice.pick(victims);
    const victim = await whoseTimeItIs(chosen, dice.between(1, options.requestsMax), {
      victims,
      isOver,
    });
    if (victim === null) break;
    await victim.kill();
    done += 1;
  }
  return done;
}

/** The victim to be killed right now, after a request of it has come in, so that something is in flight; `null`: it is over. */
async function whoseTimeItIs(
  chosen: Victim,
  requests: number,
  { victims, isOver }: { readonly victims: readonly Victim[]; readonly isOver: () => boolean },
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

/** The preloads beside this file. */
export type Preload = 'crash-point' | 'crash-at-rename' | 'crash-in-inbox' | 'block-on-signal';

/** The environment with which the program runs one of them before itself. */
export function preloadEnv(name: Preload): { readonly NODE_OPTIONS: string } {
  const path = fileURLToPath(new URL(`./${name}.mjs`, import.meta.url));
  return { NODE_OPTIONS: `--import=${pathToFileURL(path).href}` };
}
