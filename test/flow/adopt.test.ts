import { rename } from 'node:fs/promises';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { SHIPPED_TIMES } from '../../src/lib/times.ts';
import { atTestEnd } from '../support/at-test-end.ts';
import { type Flow, startFlow, withSummary } from '../support/flow.ts';
import { newestRun, statusOf, summaryFrom } from '../support/run-control.ts';
import { newKey } from '../support/sealing.ts';
import { until } from '../support/until.ts';

const JOB = [
  'operation: subclient.upsert',
  'key: externalId',
  'unusual: off',
  'send: { canary: 0, concurrency: 20 }',
  '',
].join('\n');

/** Made by hand at the service, which answers their ids. */
async function madeByHand(flow: Flow, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 1; n <= count; n += 1) {
    const response = await fetch(`${flow.sandbox.url}/v1/subclients`, {
      method: 'POST',
      headers: { authorization: 'Bearer flow-token', 'content-type': 'application/json' },
      body: JSON.stringify({ details: { name: `Company ${n}` } }),
    });
    ids.push(JSON.parse(await response.text()).id);
  }
  return ids;
}

const known = (ids: readonly string[]) =>
  ['externalId,id,Country', ...ids.map((id, i) => `K${i + 1},${id},GB`), ''].join('\n');
const named = (from: number, to: number, word = 'Company') => {
  const lines = Array.from({ length: to - from + 1 }, (_, i) => `K${from + i},${word} ${from + i}`);
  return ['externalId,details.name', ...lines, ''].join('\n');
};

async function startAdopting(rows: number, env: Readonly<Record<string, string>> = {}) {
  const flow = await startFlow({ env });
  const ids = await madeByHand(flow, rows);
  const { requests } = flow.sandbox.stats();
  const file = await flow.file('known.csv', known(ids));
  const adopt = (path: string, ...args: readonly string[]) =>
    flow.onboard(['adopt', 'subclients-upsert', path, ...args]);
  const adopted = withSummary(await adopt(file, '--json'));
  // Nothing was sent.
  expect(flow.sandbox.stats().requests).toEqual(requests);
  return { flow, ids, file, adopt, summary: adopted.summary };
}

test('keys with their ids are known as if they had been created; the first five updates go alone', async () => {
  const { flow, ids, summary } = await startAdopting(12);
  expect([summary.outcomes.adopted, summary.exitCode]).toEqual([12, 0]);
  const [row] = await flow.results(summary);
  expect(row).toMatchObject({ key: 'K1', outcome: 'adopted', id: ids[0] });

  const waiting = await flow.load(JOB, named(1, 13, 'Firm'));
  const { run } = waiting.summary;
  expect([waiting.exitCode, waiting.summary.reason, flow.sandbox.stats().updated]).toEqual([2, 'adopted', 5]);
  expect(waiting.summary.outcomes).toMatchObject({ created: 1, updated: 5 });
  expect(waiting.summary.problem).toContain(`The first records that run ${summary.run} adopted were sent`);
  for (const { id, outcome } of await flow.results(waiting.summary))
    if (outcome === 'updated')
      expect(waiting.summary.problem).toMatch(new RegExp(`${id} by row \\d+ \\(updated\\)`));

  // The command alone says nothing of what came of them.
  const again = await flow.onboard([
    'run',
    '--job-file',
    `${flow.home}/job-1.yaml`,
    `${flow.home}/rows-1.csv`,
  ]);
  expect([again.exitCode, flow.sandbox.stats().updated]).toEqual([2, 5]);

  const resumed = await summaryFrom(flow, ['resume', run]);
  expect(resumed.summary.outcomes).toMatchObject({ created: 1, updated: 12 });
  expect(flow.sandbox.stats()).toMatchObject({ updated: 12, made: { subclients: 13 }, duplicateKeys: 0 });
  const next = await flow.load(JOB, named(1, 13, 'Firm'));
  expect(next.summary.outcomes).toMatchObject({ skipped: 13 });
  const later = await flow.load(JOB, named(2, 13, 'House'));
  expect(later.summary.outcomes).toMatchObject({ updated: 12 });
});

test('all of a file is adopted or nothing: what it says of another key or id is refused, row by row', async () => {
  const { flow, ids, adopt, file } = await startAdopting(3);
  const bad = [
    'externalId,id',
    'K1,another',
    `L1,${ids[1]}`,
    'L2,new-2',
    'L3,new-2',
    'L4,',
    ',new-5',
    `k3,${ids[2]}`,
    'L2,new-8',
    'L9,new-9',
    '',
  ];
  const refused = await adopt(await flow.file('bad.csv', bad.join('\n')));
  expect([refused.exitCode, refused.stdout]).toEqual([3, '']);
  for (const words of [
    'Nothing is adopted: of the file 7 rows',
    'row 1: column "externalId": expected a key that is not known yet; known since run',
    `row 2: its id ${ids[1]} is known under another key, by row 2 of run`,
    'row 4: its id new-2 is that of row 3, too',
    'row 5: column "id"',
    'row 6: column "externalId"',
    'row 7: column "externalId": expected a key that no other row has, however it is written',
    'row 8: column "externalId"',
  ])
    expect(refused.stderr).toContain(words);
  const foretold = await adopt(
    await flow.file('good.csv', `externalId,id\nK2,${ids[1]}\nL9,new-9\n`),
    '--dry-run',
  );
  expect([foretold.exitCode, foretold.stdout]).toEqual([
    0,
    expect.stringContaining('1 key would become known; 1 is known by that id already.'),
  ]);
  const elsewhere = await adopt(file, '--key', 'Ref');
  expect([elsewhere.exitCode, elsewhere.stderr]).toEqual([
    3,
    expect.stringContaining('--key: the file has no column "Ref"'),
  ]);
  const documents = await flow.onboard(['adopt', 'payment-documents', file, '--key', 'externalId']);
  expect([documents.exitCode, documents.stderr]).toEqual([
    3,
    expect.stringContaining('expected one that creates'),
  ]);
});

test('a key in doubt or in the hands of a run under way is not adopted', async () => {
  const flow = await startFlow({ faults: ['reset-after-create=first:1'] });
  const job = JOB.replace('upsert', 'create').replace('concurrency: 20', 'concurrency: 1');
  const { summary } = await flow.load(job, named(1, 1));
  expect(summary.outcomes['in-doubt']).toBe(1);
  const waits = await flow.onboard(
    ['run', '--job-file', await flow.file('w.yaml', job), await flow.file('w.csv', named(2, 2))],
    { MSB_TOKEN: 'wrong' },
  );
  expect(waits.exitCode).toBe(2);
  const file = await flow.file('known.csv', 'externalId,id\nK1,a-1\nK2,a-2\nK3,a-3\n');
  const refused = await flow.onboard(['adopt', 'subclients-upsert', file]);
  expect(refused.exitCode).toBe(3);
  for (const words of ['of the file 2 rows', 'its outcome is in doubt', 'is not done yet'])
    expect(refused.stderr).toContain(words);
});

test.each([
  ['in clear', {}],
  ['sealed', { ONBOARD_ENCRYPTION_KEY: newKey() }],
])('%s, what no run has updated is taken back, and the rest stays known', async (_, env) => {
  const { flow, ids, file, adopt, summary } = await startAdopting(5, env);
  const undo = (...args: readonly string[]) => flow.onboard(['adopt', '--undo', summary.run, ...args]);
  const job = await flow.file('two.yaml', JOB);
  const two = ['run', '--job-file', job, await flow.file('two.csv', named(1, 2, 'Firm'))];
  const updated = withSummary(await flow.onboard([...two, '--json']));
  expect(updated.summary.outcomes.updated).toBe(2);
  const skipping = JOB.replace('upsert', 'create');
  expect((await flow.load(skipping, named(5, 5))).summary.outcomes.skipped).toBe(1);

  const undone = await undo('--reason', 'of another system');
  expect([undone.exitCode, undone.stdout]).toEqual([
    0,
    expect.stringContaining(`2 keys of run ${summary.run} are known no more.\n3 keys stay known`),
  ]);
  const account = JSON.parse(await flow.look(['account', summary.run, '--json']));
  expect(account).toMatchObject({ atService: 3, writtenOff: 0, takenBack: 2, open: 0, holds: true });
  const told = '5 rows = 3 at the service + 0 written off + 2 taken back + 0 open';
  expect(await flow.look(['account', summary.run])).toContain(told);
  expect((await flow.results(summary)).map(({ outcome, code }) => `${outcome} ${code}`)).toEqual([
    'adopted ',
    'adopted ',
    'cancelled adoption_undone',
    'cancelled adoption_undone',
    'adopted ',
  ]);
  expect(await flow.look(['audit'])).toContain('of another system');
  expect((await undo()).stdout).toContain('0 keys');
  // Of one somebody knows that its id is wrong.
  expect((await undo('--row', '1', '--reason', 'not this company')).stdout).toContain('1 key of run');

  const other = await flow.file('other.csv', `externalId,id\nL3,${ids[2]}\n`);
  expect((await adopt(other)).exitCode).toBe(0);
  const same = await adopt(file, '--again');
  expect([same.exitCode, same.stderr]).toEqual([3, expect.stringContaining('row 3: its id')]);
  const right = await flow.file('right.csv', `externalId,id\nK1,${ids[0]}\n`);
  expect((await adopt(right)).exitCode).toBe(0);
});

test('a run that was cancelled at the first five leaves the other keys free, and those to a word about each', async () => {
  const { flow, summary } = await startAdopting(8);
  const waiting = await flow.load(JOB, named(1, 8, 'Firm'));
  expect((await flow.onboard(['cancel', waiting.summary.run])).exitCode).toBe(0);
  const undo = (...args: readonly string[]) => flow.onboard(['adopt', '--undo', summary.run, ...args]);
  expect((await undo()).stdout).toContain('3 keys of run');
  const [, row = ''] = /by row (\d+)/.exec(waiting.summary.problem ?? '') ?? [];
  expect((await undo('--row', row)).stdout).toContain('1 key of run');
  const made = flow.sandbox.stats().made.subclients;
  await flow.load(JOB, named(1, 8, 'House'));
  expect(flow.sandbox.stats().made.subclients).toBe(made + 4);
});

test('where rows of another job may refer to the records, nobody can say which keys are used', async () => {
  const { flow, summary } = await startAdopting(2);
  const children = [
    'operation: subclient.create',
    'key: Ref',
    'fields: { details.name: Name, parent.id: { column: Owner, ref: subclient } }',
    '',
  ].join('\n');
  const sent = await flow.load(children, 'Ref,Name,Owner\nC1,Ada,K1\n');
  expect(sent.summary.outcomes.created).toBe(1);
  const undone = await flow.onboard(['adopt', '--undo', summary.run]);
  expect([undone.exitCode, undone.stderr]).toEqual([3, expect.stringContaining('may refer to its records')]);
  expect((await flow.onboard(['adopt', '--undo', summary.run, '--row', '2'])).exitCode).toBe(0);
});

test('a resume that can not go on has nobody trust the adoption', async () => {
  const { flow } = await startAdopting(8);
  const waiting = await flow.load(JOB, named(1, 8, 'Firm'));
  const file = `${flow.home}/rows-1.csv`;
  await rename(file, `${file}.away`);
  expect((await flow.onboard(['resume', waiting.summary.run])).exitCode).toBe(3);
  await flow.load(JOB, named(1, 8, 'House'));
  expect(flow.sandbox.stats().updated).toBe(10);
  await rename(`${file}.away`, file);
  const resumed = await summaryFrom(flow, ['resume', waiting.summary.run]);
  expect(resumed.summary.outcomes.updated).toBe(8);
});

test('other columns of the same file, and a job of one’s own, are refused', async () => {
  const flow = await startFlow();
  const file = await flow.file('known.csv', 'externalId,id,other\nK1,a-1,b-1\n');
  const args = ['adopt', 'subclients-upsert', file];
  const look = await flow.onboard([...args, '--dry-run'], { REDIS_URL: 'redis://127.0.0.1:1' });
  expect([look.exitCode, look.stderr]).toEqual([0, expect.stringContaining('compared with no ledger')]);
  expect((await flow.onboard(args)).exitCode).toBe(0);
  const other = await flow.onboard([...args, '--id', 'other']);
  expect([other.exitCode, other.stderr]).toEqual([3, expect.stringContaining('by other columns')]);
  const own = await flow.file('own.yaml', 'operation: subclient.adopt\nkey: externalId\n');
  const refused = await flow.onboard(['run', '--job-file', own, file]);
  expect([refused.exitCode, refused.stderr]).toEqual([3, expect.stringContaining('onboard adopt')]);
});

test('of two adoptions at once one waits: an id gets one key', async () => {
  const flow = await startFlow();
  const ids = Array.from({ length: 300 }, (_, i) => `id-${i + 1}`);
  const files = [
    await flow.file('a.csv', known(ids)),
    await flow.file('b.csv', known(ids).replaceAll('K', 'L')),
  ];
  const begun = files.map((file) => flow.start(['adopt', 'subclients-upsert', file]));
  const ended = await Promise.all(begun.map((one) => one.ended));
  expect(ended.map(({ exitCode }) => exitCode).sort()).toEqual([0, 3]);
  const kept = await flow.file(
    'all.csv',
    ['externalId,id', ...ids.map((id, i) => `N${i},${id}`), ''].join('\n'),
  );
  const look = await flow.onboard(['adopt', 'subclients-upsert', kept, '--dry-run']);
  expect(look.stderr).toContain('of the file 300 rows');
});

test('killed in the middle, the same command adopts the rest', async () => {
  const flow = await startFlow({ times: { ...SHIPPED_TIMES, lockMs: 2_000 } });
  const rows = 10_000;
  const ids = Array.from({ length: rows }, (_, i) => `id-${i + 1}`);
  const args = ['adopt', 'subclients-upsert', await flow.file('known.csv', known(ids))];
  const killed = flow.start(args);
  const redis = new Redis(flow.redisUrl);
  atTestEnd(() => redis.disconnect());
  await until(async () => (await redis.keys('*:blocks')).length > 0);
  killed.child.kill('SIGKILL');
  await killed.ended;
  const run = await newestRun(flow);
  const before = await statusOf(flow, run);
  expect(before.outcomes.adopted).toBeLessThan(rows);
  const { summary, exitCode } = withSummary(await flow.onboard([...args, '--json']));
  expect([summary.run, summary.outcomes.adopted, exitCode]).toEqual([run, rows, 0]);
  const good = await flow.file('good.csv', `externalId,id\nK1,id-1\nK${rows},id-${rows}\n`);
  const foretold = await flow.look(['adopt', 'subclients-upsert', good, '--dry-run']);
  expect(foretold).toContain('0 keys would become known; 2 are known');
});
