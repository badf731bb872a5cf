import { onTestFinished } from 'vitest';
import { jobDefinitionSchema } from '../../src/config/job-definition.ts';
import { packBlock } from '../../src/ledger/mark.ts';
import { batchesOf } from '../../src/lib/batches.ts';
import { noOutcomes, OUTCOMES } from '../../src/model/outcome.ts';
import type { Run } from '../../src/model/run.ts';
import type { Settlement } from '../../src/model/settlement.ts';
import { rememberFiles } from '../../src/page/child.ts';
import { seedRun } from '../support/doubts.ts';
import type { OwnRedis } from '../support/redis.ts';
import { newRun } from '../support/runs.ts';
import { openTestSession, type TestSession } from '../support/session.ts';
import { csvSource } from '../support/source.ts';

export const OPERATOR = { name: 'ops-1', role: 'operator' } as const;
export const VIEWER = { name: 'guest', role: 'viewer' } as const;

type Seeded = {
  readonly rows: number;
  readonly settlements: readonly Settlement[];
  readonly definition?: object;
  readonly columns?: readonly string[];
  readonly chunkRows?: number;
  readonly closed?: boolean;
};

/** What the parts of the page are made of, and runs to look at. */
export async function openOwnDesk(own: OwnRedis) {
  const session = await openTestSession(own, onTestFinished);
  const { ledger, service } = session;
  return {
    desk: { ...session, ...rememberFiles(session) },
    async seed({
      rows,
      settlements,
      definition = {},
      columns = ['externalId'],
      chunkRows = 100,
      closed = true,
    }: Seeded): Promise<Run> {
      const whole = {
        operation: 'subclient.create',
        key: 'externalId',
        fields: { 'additionalInformation.crmId': 'externalId' },
        ...definition,
      };
      const { facts } = newRun({ rows });
      const run = newRun({
        definition: jobDefinitionSchema.parse(whole),
        target: service.target,
        chunkRows,
        facts: { ...facts, source: csvSource({ columns: [...columns] }) },
      });
      await ledger.index.add(run.id, run.target, run.createdAt);
      const { keys } = ledger.of(run.target);
      if (settlements.length <= 20) return seedRun(ledger.redis, keys, { run, settlements, closed });
      const seeded = await seedRun(ledger.redis, keys, { run, settlements: [], closed });
      return { ...seeded, outcomes: await closeAll(session, seeded, settlements) };
    },
  };
}

/** All chunks of a run at once: row by row it takes seconds. */
async function closeAll({ ledger }: TestSession, run: Run, settlements: readonly Settlement[]) {
  const k = ledger.of(run.target).keys.run(run.id);
  const outcomes = noOutcomes();
  for (const { outcome } of settlements) outcomes[outcome] += 1;
  const batch = ledger.redis.multi();
  let chunk = 0;
  for (const rows of batchesOf(settlements, run.chunkRows)) {
    chunk += 1;
    batch.hset(k.blocks, String(chunk), packBlock(rows, Date.now()));
  }
  for (const outcome of OUTCOMES) batch.hincrby(k.record, `o:${outcome}`, outcomes[outcome]);
  await batch.exec();
  return outcomes;
}

export async function keep(
  { ledger }: TestSession,
  run: Run,
  what: 'sources' | 'bodies',
  row: number,
  text: string,
) {
  await ledger.redis.hset(ledger.of(run.target).keys.run(run.id)[what], String(row), text);
}
