import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { accountSchema } from '../../src/model/account.ts';
import { createJob, type Flow, startFlow } from '../support/flow.ts';
import { truthOf } from '../support/front.ts';
import { newestRun } from '../support/run-control.ts';
import { until } from '../support/until.ts';
import { createDice, type Dice, SEED, shareOf } from './support/seed.ts';
import { LONG, TIMEOUT_MS, TIMES } from './support/times.ts';
import { duplicateProblems } from './support/truth.ts';

const [CHAINS, STEPS] = LONG ? [shareOf(60), 14] : [2, 7];
const ROWS_MAX = 12;

const SERVICE: readonly (readonly string[])[] = [
  [],
  ['404=every:3'],
  ['403=every:5'],
  ['reset-before=every:4'],
  ['reset-after-create=every:3'],
];

const toldSchema = accountSchema.extend({
  openRows: z.array(
    z.object({ row: z.number(), last: z.object({ run: z.string(), row: z.number(), outcome: z.string() }) }),
  ),
});
type Told = z.infer<typeof toldSchema>;

type Line = Record<string, string>;

/** Files of rows of which some have no key yet; a row's name is the key that it gets. */
function createChain(flow: Flow, dice: Dice, job: string) {
  const deliveries = new Map<string, readonly Line[]>();
  const names = new Set<string>();
  const newName = (word: string) => {
    names.add(`${word}-${names.size}.csv`);
    return [...names].at(-1) ?? '';
  };

  const told = async (run: string): Promise<Told> =>
    toldSchema.parse(JSON.parse(await flow.look(['account', run, '--json'])));
  const idsOf = (lines: readonly Line[]) =>
    flow.file(newName('file'), stringify([...lines], { header: true }));
  const anyRun = async () => {
    const runs = (await flow.look(['runs', '--json'])).trim().split('\n');
    return z.object({ run: z.string() }).parse(JSON.parse(dice.pick(runs))).run;
  };
  const some = <T>(items: readonly T[]) => items.filter(() => dice.next() < 0.6);

  /** To its end, however often its process is killed. */
  async function take(args: readonly string[]): Promise<void> {
    if (dice.next() < 0.7) return void (await flow.onboard(args));
    const before = flow.sandbox.stats().requests;
    const process = flow.start(args);
    const isOver = process.ended.then(() => true);
    const isSent = () => JSON.stringify(flow.sandbox.stats().requests) !== JSON.stringify(before);
    await Promise.race([isOver, until(isSent)]);
    process.child.kill('SIGKILL');
    await process.ended;
    const id = await newestRun(flow).catch(() => null);
    if (id !== null) await flow.onboard(['resume', id]);
  }

  async function deliver(lines: readonly Line[]): Promise<void> {
    const before = await newestRun(flow).catch(() => null);
    await take(['run', '--job-file', job, await idsOf(lines)]);
    const id = await newestRun(flow);
    // A file that was loaded before, or is refused, begins none: the newest may be a correction's.
    if (id !== before) deliveries.set(id, lines);
  }

  const newLines = (): Line[] => {
    const rows = Array.from({ length: dice.between(1, ROWS_MAX) }, (_, i) => `D${deliveries.size}R${i + 1}`);
    return rows.map((name) => ({ externalId: dice.next() < 0.3 ? '' : name, 'details.name': name }));
  };

  /** New rows that say they were others, with keys that are right, or rows that were none. */
  async function loadAsOthers(run: string): Promise<void> {
    const lines: Line[] = [];
    for (const line of newLines()) {
      const row = dice.between(1, ROWS_MAX + 2);
      const { key = 'none', code = '' } = (await lineOf(run, row)) ?? {};
      const isOther = key !== '' && !code.includes('key');
      lines.push({ ...line, onboard_run: isOther ? run : '', onboard_row: isOther ? String(row) : '' });
    }
    await deliver(lines);
  }

  /** Rows of another delivery in a file of their own, written off or not. */
  async function loadAgain(): Promise<void> {
    const keyed = dice.pick([...deliveries.values()]).filter(({ externalId }) => externalId !== '');
    const lines = some(keyed).map(({ externalId = '' }) => ({ externalId, 'details.name': externalId }));
    if (lines.length > 0) await deliver(lines);
  }

  async function correct(run: string): Promise<void> {
    const { delivery } = await told(run);
    const path = join(flow.home, newName('open'));
    // Where nothing can be corrected it says so, and writes no file.
    if ((await flow.onboard(['account', delivery, '--open', path])).exitCode !== 0) return;
    const open: Line[] = parse(await readFile(path, 'utf8'), { columns: true, bom: true });
    await rm(path);
    const lines = some(open).map((line) => ({
      ...line,
      externalId: line.externalId || (dice.next() < 0.8 ? (line['details.name'] ?? '') : ''),
    }));
    if (lines.length > 0) await take(['run', '--job-file', job, await idsOf(lines)]);
  }

  async function resolve(run: string): Promise<void> {
    const truth = truthOf(flow.sandbox);
    const { openRows } = await told(run);
    for (const { run: id, row } of openRows
      .map(({ last }) => last)
      .filter(({ outcome }) => outcome === 'in-doubt')) {
      const name = (await lineOf(id, row))?.key ?? '';
      const [made] = truth.get(name) ?? [];
      await flow.onboard([
        'resolve',
        id,
        String(row),
        ...(made === undefined ? ['--not-created'] : ['--created', made]),
      ]);
    }
  }

  async function lineOf(run: string, row: number): Promise<Line | undefined> {
    const lines: Line[] = parse(await flow.report({ run }, 'results.csv'), { columns: true });
    return lines.find((line) => line.row === String(row));
  }

  async function writeOff(run: string): Promise<void> {
    const { delivery, openRows } = await told(run);
    if (openRows.length > 0)
      await flow.onboard(['write-off', delivery, String(dice.pick(openRows).row), '--reason', 'closed']);
  }

  /** The sum, against what the service has. */
  async function check(isSettled: boolean): Promise<void> {
    const truth = truthOf(flow.sandbox);
    const namesOf = (lines: readonly Line[]) => lines.map((line) => line['details.name'] ?? '');
    const all = [...deliveries.values()].flatMap(namesOf);
    for (const [run, lines] of deliveries) {
      const rows = namesOf(lines);
      const account = await told(run);
      expect(account).toMatchObject({ delivery: run, rows: rows.length, holds: true });
      const { atService, writtenOff, open, inDoubt } = account;
      expect(atService + writtenOff + open).toBe(rows.length);
      const made = rows.filter((name) => truth.has(name)).length;
      expect(atService).toBeLessThanOrEqual(made);
      // Another delivery may have it in doubt.
      if (!isSettled && rows.some((name) => all.indexOf(name) !== all.lastIndexOf(name))) continue;
      expect(atService + inDoubt).toBeGreaterThanOrEqual(made);
      if (isSettled) expect([inDoubt, atService]).toEqual([0, made]);
    }
    expect(duplicateProblems(flow.sandbox.stats())).toEqual([]);
  }

  const acts: Readonly<Record<string, (run: string) => Promise<void>>> = {
    load: () => deliver(newLines()),
    'load as others': loadAsOthers,
    'load again': loadAgain,
    rerun: (run) => take(['rerun', run, ...(dice.next() < 0.5 ? [] : ['--only', 'failed,denied'])]),
    correct,
    'correct again': correct,
    resolve,
    'write off': writeOff,
  };

  async function step(): Promise<void> {
    flow.sandbox.setFaults(['latency=20ms', ...dice.pick(SERVICE)]);
    if (deliveries.size === 0) await deliver(newLines());
    else await dice.pick(Object.values(acts))(await anyRun());
    await check(false);
  }

  async function end(): Promise<void> {
    for (const run of deliveries.keys()) await resolve(run);
    await check(true);
  }

  return { step, end };
}

test(
  `${CHAINS} chains of ${STEPS} loads, copies, false origins, reruns, corrections, decisions, write-offs and kills: each account is right (seed ${SEED})`,
  async () => {
    for (let chain = 0; chain < CHAINS; chain += 1) {
      const flow = await startFlow({ times: TIMES });
      const job = await flow.file('job.yaml', createJob('attempts: 1'));
      const { step, end } = createChain(flow, createDice(SEED + chain), job);
      for (let n = 0; n < STEPS; n += 1) await step();
      await end();
    }
  },
  TIMEOUT_MS,
);
