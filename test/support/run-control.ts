import { expect } from 'vitest';
import { type Summary, summarySchema } from '../../src/report/summary.ts';
import type { Ended, Flow } from './flow.ts';

/** The id of the newest run. */
export async function newestRun(flow: Flow): Promise<string> {
  const { stdout } = await flow.onboard(['runs', '--json', '--limit', '1']);
  return JSON.parse(stdout).id;
}

/** The run in numbers, as the ledger has it now, with who reads its rows. */
export async function statusOf(flow: Flow, run: string): Promise<Summary & { readonly owner: string }> {
  const { stdout } = await flow.onboard(['status', run, '--json']);
  const status: unknown = JSON.parse(stdout);
  const { owner } = JSON.parse(stdout);
  return { ...summarySchema.parse(status), owner };
}

/** A command about a run that prints its summary, to its end; the control total holds, or the test fails. */
export async function summaryFrom(
  flow: Flow,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended & { readonly summary: Summary }> {
  const ended = await flow.onboard([...args, '--json'], env);
  const line = ended.stdout.trim().split('\n').at(-1) ?? '';
  expect(line, `no summary; stderr: ${ended.stderr}`).not.toBe('');
  const summary = summarySchema.parse(JSON.parse(line));
  expect(summary.controlTotal.holds, 'the control total').toBe(true);
  return { ...ended, summary };
}
