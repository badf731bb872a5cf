import { type Summary, summarySchema } from '../../../src/report/summary.ts';
import type { Ended, Flow } from '../../support/flow.ts';
import { keepProcess } from './kept-process.ts';
import { type Kill, killLoop, type Victim } from './kill-loop.ts';
import type { Dice } from './seed.ts';

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
