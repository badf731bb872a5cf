import { performance } from 'node:perf_hooks';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Summary, summarySchema } from '../../../src/report/summary.ts';
import type { Ended, Flow, Started } from '../../support/flow.ts';
import { until } from '../../support/until.ts';
import type { Dice } from './seed.ts';

/** A command that is started again whenever the test kills it. */
export type KeptProcess = {
  /** SIGKILL, and once it is gone the same command again. */
  kill(): Promise<void>;
  /** SIGKILL, or that signal; resolves once it is gone. Until `revive` it stays so, and its `ownEnd` is not that. */
  end(signal?: NodeJS.Signals): Promise<void>;
  /** Starts an ended one again. */
  revive(): void;
  /** Its present life. */
  current(): Started;
  /** Resolves when it ends by itself. */
  readonly ownEnd: Promise<Ended>;
};

/** Starts it, and keeps it; `start` is called for every life. */
export function keepProcess(start: () => Started): KeptProcess {
  let current = start();
  let restarted = Promise.resolve();
  let revive = () => {};
  const killed = new WeakSet<Started>();

  const end = async (signal: NodeJS.Signals = 'SIGKILL') => {
    const victim = current;
    killed.add(victim);
    restarted = new Promise((resolve) => {
      revive = () => {
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
    async kill() {
      await end();
      revive();
    },
    end,
    revive: () => revive(),
    current: () => current,
    ownEnd: ownEnd(),
  };
}

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

/** The tokens of a sandbox of which each process has its own: so the service knows who sent what. The first is the flow's. */
export const PAIR_TOKENS = ['flow-token', 'token-of-one', 'token-of-other'] as const;

export type KilledPairOptions = {
  readonly flow: Flow;
  /** The commands; each is started again whenever it was killed. */
  readonly commands: readonly [one: readonly string[], other: readonly string[]];
  readonly kills: number;
  readonly requestsMax: number;
  readonly dice: Dice;
  /** Comes before the first kill. */
  readonly begin?: () => Promise<void>;
};

/**
 * Two processes of one home, killed in turns by SIGKILL while they send; resolves when the commands that end by themselves have:
 * `onboard work` goes on until the test ends.
 */
export async function killedPair(options: KilledPairOptions): Promise<{
  readonly ended: readonly Ended[];
  readonly kills: readonly Kill[];
}> {
  const { flow, commands, kills, requestsMax, dice } = options;
  const pair = commands.map((args, i) => startVictim(flow, args, i + 1));
  let isOver = false;
  const ending = Promise.all(pair.flatMap(({ args, ownEnd }) => (args[0] === 'work' ? [] : [ownEnd])));
  const over = ending.finally(() => {
    isOver = true;
  });
  await options.begin?.();
  const done = await killLoop({ victims: pair, kills, requestsMax, dice, isOver: () => isOver });
  return { ended: await over, kills: done };
}

type PairVictim = Victim & { readonly args: readonly string[]; readonly ownEnd: Promise<Ended> };

function startVictim(flow: Flow, args: readonly string[], token: number): PairVictim {
  const sent = () => flow.sandbox.stats().tokens[token]?.requests ?? 0;
  let sentBefore = 0;
  const kept = keepProcess(() => {
    sentBefore = sent();
    return flow.start(args, { MSB_TOKEN: PAIR_TOKENS[token] ?? '' });
  });
  const name = args.slice(0, 2).join(' ');
  return { name, args, requests: () => sent() - sentBefore, kill: kept.kill, ownEnd: kept.ownEnd };
}

/** The summary that the command printed last; an Error where it printed none. */
export function summaryIn({ stdout, stderr, exitCode }: Ended): Summary {
  const line = stdout.trim().split('\n').at(-1) ?? '';
  if (line === '') throw new Error(`no summary, exit status ${exitCode}; stderr: ${stderr}`);
  return summarySchema.parse(JSON.parse(line));
}

/** The preloads beside this file. */
export type Preload = 'crash-point' | 'crash-at-rename' | 'block-on-signal';

/** The environment with which the program runs one of them before itself. */
export function preloadEnv(name: Preload): { readonly NODE_OPTIONS: string } {
  const path = fileURLToPath(new URL(`./${name}.mjs`, import.meta.url));
  return { NODE_OPTIONS: `--import=${pathToFileURL(path).href}` };
}
