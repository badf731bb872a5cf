import { openLog } from '../cli/open-log.ts';
import { type Environment, readEnvironment } from '../config/environment.ts';
import { didYouMean } from '../lib/did-you-mean.ts';
import { createReleasers } from '../lib/releasers.ts';
import type { Io } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Run } from '../model/run.ts';
import { type Ledger, openLedger } from '../session.ts';

const RUNS_FOR_SUGGESTIONS = 200;

/** Does something with the ledger of this home, and closes it after. */
export async function withLedger<T>(
  io: Io,
  work: (ledger: Ledger, env: Environment) => Promise<T>,
): Promise<T> {
  const releasers = createReleasers();
  try {
    const env = readEnvironment(io.env);
    return await work(await openLedger(env, openLog(env, io, undefined), releasers), env);
  } finally {
    await releasers.release();
  }
}

/** The run of that id, whatever its target; a UsageError says which ones there are like it. */
export async function findRun(ledger: Ledger, id: string): Promise<Run> {
  const target = await ledger.index.targetOf(id);
  const run = target === null ? null : await ledger.of(target).store.get(id);
  if (run !== null) return run;
  const known = await ledger.index.latest(RUNS_FOR_SUGGESTIONS);
  const hint = didYouMean(
    id,
    known.map((k) => k.run),
  );
  throw new UsageError(`There is no run "${id}" in this ledger.${hint} \`onboard runs\` lists them.`);
}
