import { Redis } from 'ioredis';
import { type Summary, summarySchema } from '../../src/runs/report/summary.ts';
import { atTestEnd } from './at-test-end.ts';
import { type Ended, type Flow, withSummary } from './flow.ts';
import { setRecord, storedRun } from './stored.ts';

/** The id of the newest run. */
export async function newestRun(flow: Flow): Promise<string> {
  return JSON.parse(await flow.look(['runs', '--json', '--limit', '1'])).run;
}

/** The run in numbers, as the ledger has it now, with who reads its rows. */
export async function statusOf(flow: Flow, run: string): Promise<Summary & { readonly owner: string }> {
  const text = await flow.look(['status', run, '--json']);
  const status: unknown = JSON.parse(text);
  const { owner } = JSON.parse(text);
  return { ...summarySchema.parse(status), owner };
}

/** A command about a run that prints its summary, to its end; the control total holds, or the test fails. */
export async function summaryFrom(
  flow: Flow,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended & { readonly summary: Summary }> {
  return withSummary(await flow.onboard([...args, '--json'], env));
}

/** The run's record in Redis: as if it had been loaded on another machine. */
export async function fromElsewhere(flow: Flow, id: string) {
  const redis = new Redis(flow.redisUrl);
  atTestEnd(() => redis.disconnect());
  const k = await storedRun(redis, id);
  await setRecord(redis, k, { registeredBy: 'ann@elsewhere' });
  return { redis, lease: k.lease };
}
