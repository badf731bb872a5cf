import type { ChildProcess } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { atTestEnd } from '../../support/at-test-end.ts';
import type { Ended, Started } from '../../support/flow.ts';

/** A command that is given again whenever its process has ended, whoever ended it, until nothing is left for it to do. */
export type KeptCommand = {
  readonly name: string;
  /** To the process that is there now; resolves when a deadly one has ended it. `false`: there is none. */
  strike(signal: NodeJS.Signals): Promise<boolean>;
  /** Rejects where `next` does. */
  readonly over: Promise<void>;
};

/** One process of such a command. */
export type Life = Ended & {
  /** The deadly signals that it was given. */
  readonly given: readonly NodeJS.Signals[];
  /** `performance.now()` */
  readonly began: number;
};

const DEADLY: readonly NodeJS.Signals[] = ['SIGKILL', 'SIGTERM'];

type Current = Started & { readonly given: NodeJS.Signals[]; readonly began: number; hasEnded: boolean };

/** Gives the command; `next` says how it is given again, when that may be, or `null` where it is not. */
export function keepCommand(
  name: string,
  first: readonly string[],
  parts: {
    start(args: readonly string[]): Started;
    next(life: Life): Promise<readonly string[] | null>;
  },
): KeptCommand {
  let current: Current | null = null;
  // Killed when the test ends: that is no end after which it is given again.
  let isOver = false;
  atTestEnd(() => {
    isOver = true;
  });
  const live = async () => {
    for (let args: readonly string[] | null = first; args !== null; ) {
      const process: Current = {
        ...parts.start(args),
        given: [],
        began: performance.now(),
        hasEnded: false,
      };
      current = process;
      const ended = await process.ended;
      process.hasEnded = true;
      if (isOver) break;
      args = await parts.next({ ...ended, given: process.given, began: process.began });
    }
    current = null;
  };
  return {
    name,
    async strike(signal) {
      const victim = current;
      if (victim === null || victim.hasEnded) return false;
      if (!DEADLY.includes(signal)) return victim.child.kill(signal);
      victim.given.push(signal);
      await endBy(victim.child, signal, victim.ended);
      return true;
    },
    over: live(),
  };
}

async function endBy(child: ChildProcess, signal: NodeJS.Signals, ended: Promise<unknown>): Promise<void> {
  child.kill(signal);
  await ended;
}
