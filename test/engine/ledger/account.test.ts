import { expect, test } from 'vitest';
import { jobDefinitionSchema } from '../../../src/config/job-definition.ts';
import { openAccounts } from '../../../src/engine/ledger/account.ts';
import { seedRun } from '../../support/doubts.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { newRun, ownStore } from '../../support/runs.ts';
import { endedRow } from '../../support/settled-row.ts';
import { setEntry } from '../../support/stored.ts';

const own = useOwnRedis();
const EARLIER = new Date('2026-11-20T10:00:00Z');
const LATER = new Date('2026-11-22T10:00:00Z');

test.each([
  ['closed where a later run made it', 'http_404', LATER, {}, 0],
  ['open where an earlier run made it', 'http_404', EARLIER, {}, 1],
  ['closed where an earlier run made it that the row waited for', 'key_held', EARLIER, {}, 0],
  ['open where another row of its own run made it', 'key_held', null, {}, 1],
  ['open where the rows of its job are grouped', 'http_404', LATER, { group: 'accounts' }, 1],
])('a row whose key has a record is %s', async (_, code, at, over, open) => {
  const { redis, keys, store } = ownStore(own().redis);
  const job = { operation: 'counterparty.draft', key: 'externalId', ...over };
  const seed = (createdAt: Date) => {
    const run = newRun({ rows: 2, createdAt, definition: jobDefinitionSchema.parse(job) });
    const settlements = [endedRow(1, 'failed', { code }), endedRow(2, 'drafted')];
    return seedRun(redis, keys, { run, settlements, closed: true });
  };
  const run = await seed(new Date('2026-11-21T10:00:00Z'));
  const maker = at === null ? run : await seed(at);
  await setEntry(redis, keys, 'K1', `k ${maker.id} 2 id-2`, { space: 'counterparty' });
  expect((await openAccounts(redis, keys, store).accountOf(run.id)).open).toBe(open);
});
