import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { SHIPPED_TIMES } from '../../src/lib/times.ts';
import { startFlow, subclientsCsv, withSummary } from '../support/flow.ts';
import { type RedisNode, type RedisNodeOptions, startRedisNode } from '../support/redis-node.ts';
import { documentedRights } from '../support/redis-rights.ts';
import { until } from '../support/until.ts';

const ROWS = 400;
const IN_FLIGHT = 20;
const TIMES = { ...SHIPPED_TIMES, lockMs: 4_000, graceMs: 4_000, refusedMs: 4_000 };

/** A run under way on a Redis of its own; `word`: of the URL, '' for that of the file. */
async function startRun(options: RedisNodeOptions, login: string) {
  const node = await startRedisNode(options);
  const flow = await startFlow({ times: TIMES, faults: ['latency=50ms'] });
  const password = await flow.file('password', 'old\n');
  const csv = await flow.file('a.csv', subclientsCsv(ROWS));
  const run = (login: string, env = {}) =>
    flow.start(['run', 'subclients-create', csv, '--json'], {
      REDIS_URL: `redis://${login}127.0.0.1:${node.port}`,
      ...env,
    });
  const made = () => flow.sandbox.stats().made.subclients;
  const running = run(login, login === '' ? { REDIS_PASSWORD_FILE: password } : {});
  await until(() => made() > 40);
  return { node, password, run, running, made };
}

async function cutAll({ admin }: RedisNode): Promise<void> {
  await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
}

const REFUSED = /refuses this program: \S+ .*Nothing is sent meanwhile, and it does not go on by itself/;

test.each([
  {
    what: 'the password',
    options: { lines: ['requirepass old'], password: 'old' },
    logins: [':old@', ':new@'],
    words: 'WRONGPASS',
    change: ['CONFIG', 'SET', 'requirepass', 'new'],
    mend: ['PING'],
  },
  {
    what: 'a right',
    options: { lines: [`user onboard on >word ${documentedRights('one server')}`] },
    logins: ['onboard:word@', 'onboard:word@'],
    words: 'NOPERM',
    change: ['ACL', 'SETUSER', 'onboard', '-evalsha', '-eval'],
    mend: ['ACL', 'SETUSER', 'onboard', '+evalsha', '+eval'],
  },
])(
  'a run from which $what is taken ends with 2 after a while, and the same command goes on',
  async (given) => {
    const { options, logins, words, change, mend } = given;
    const [before = '', after = ''] = logins;
    const { node, run, running, made } = await startRun(options, before);
    const call = ([name = '', ...args]: readonly string[]) => node.admin.call(name, ...args);
    await call(change);
    await cutAll(node);
    const { exitCode, stderr } = await running.ended;
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(REFUSED)]);
    expect(stderr).toContain(`refuses this program: ${words} `);
    expect(stderr).not.toMatch(/unexpected|goes on by itself/);
    await call(mend);
    const { created, 'in-doubt': inDoubt } = withSummary(await run(after).ended).summary.outcomes;
    // What was announced as Redis began to refuse may be in doubt.
    expect([created + inDoubt, inDoubt < IN_FLIGHT, made() >= created]).toEqual([ROWS, true, true]);
  },
);

test('a run takes the new password that is in the file by then', async () => {
  const { node, password, running, made } = await startRun(
    { lines: ['requirepass old'], password: 'old' },
    '',
  );
  await node.admin.config('SET', 'requirepass', 'new');
  await cutAll(node);
  await until(() => running.said().includes('does not go on by itself'));
  await writeFile(password, 'new');
  const { summary, stderr } = withSummary(await running.ended);
  expect([summary.outcomes.created, made()], stderr).toEqual([ROWS, ROWS]);
});

test('a database that the server does not have is refused with 3, by the doctor too, and none is written', async () => {
  const node = await startRedisNode();
  const flow = await startFlow({ redis: `redis://127.0.0.1:${node.port}/16` });
  const csv = await flow.file('a.csv', subclientsCsv(2));
  for (const args of [
    ['run', 'subclients-create', csv],
    ['doctor'],
    ['runs'],
    ['web'],
    ['start', '--once'],
  ]) {
    const { exitCode, stdout, stderr } = await flow.start(args).ended;
    expect([exitCode, stdout + stderr], args[0]).toEqual([
      3,
      expect.stringMatching(/database 16: ERR DB .*Correct the number/),
    ]);
  }
  expect([await node.admin.info('keyspace'), flow.sandbox.stats().made.subclients]).toEqual([
    '# Keyspace\r\n',
    0,
  ]);
});

test('an embedded Redis that its own file kills again and again is given up, with the signal', async () => {
  const flow = await startFlow({ redis: 'embedded', faults: ['latency=5ms'] });
  const csv = await flow.file('a.csv', subclientsCsv(1_500));
  const limited = ['bash', '-c', 'ulimit -f 150; exec "$@"', 'limited'];
  const { exitCode, stderr } = await flow.start(['run', 'subclients-create', csv, '--yes'], {}, limited)
    .ended;
  expect([exitCode, stderr]).toEqual([
    3,
    expect.stringMatching(
      /ended 5 times within a minute, and is given up: it ended with SIGXFSZ .*a limit on the size/,
    ),
  ]);
  const made = flow.sandbox.stats().made.subclients;
  const { summary } = withSummary(await flow.start(['run', 'subclients-create', csv, '--json']).ended);
  expect(summary.outcomes.created).toBeGreaterThan(made);
  expect(flow.sandbox.stats().duplicateKeys).toBe(0);
});
