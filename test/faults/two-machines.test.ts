import { spawnSync } from 'node:child_process';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { takenFolder } from '../../src/engine/redis/lease.ts';
import { type Ended, type Flow, startFlow, subclientsCsv, withSummary } from '../support/flow.ts';
import { until } from '../support/until.ts';
import { LONG, SLOWNESS, TIMEOUT_MS, TIMES } from './support/times.ts';

/** A container as far as processes and names go: a pid namespace and a host name of its own. Where it ends, so does all in it. */
const CONTAINER = [
  ...['unshare', '--pid', '--uts', '--mount', '--mount-proc', '--fork', '--kill-child'],
  ...['sh', '-c', 'hostname box-a && exec "$0" "$@"'],
] as const;

/** Not every system lets this user make namespaces; the long part is run on one that does. */
const HAS_CONTAINERS = spawnSync(CONTAINER[0], [...CONTAINER.slice(1), 'true']).status === 0;
if (!HAS_CONTAINERS)
  process.stderr.write('two-machines: left out, since this user may not make namespaces\n');

// In one test, since each waits 20 s to see that the lease of a container stands still, or does not.
test.runIf(HAS_CONTAINERS || LONG)(
  'of containers on one home a second one is refused, and one that is killed and started again goes on by itself, once where it is started twice',
  async () => {
    await Promise.all([secondContainer(), killedContainer()]);
  },
  TIMEOUT_MS,
);

test.runIf(LONG)(
  'a machine that stood still while another one took its home makes no record twice',
  takenHome,
  TIMEOUT_MS,
);

/** Two containers share a home, each with a folder of its own for temporary files. */
async function secondContainer(): Promise<void> {
  const flow = await startFlow({ redis: 'embedded' });
  const first = flow.start(['work'], { TMPDIR: flow.home }, CONTAINER);
  await until(() => isUsed(flow.home));
  const file = await flow.file('rows.csv', subclientsCsv(3));
  const second = await flow.onboard(['run', 'subclients-create', file]);
  expect(second.stderr).toMatch(/in use on another machine or container \(box-a\).*REDIS_URL/);
  expect(second.exitCode).toBe(3);
  expect(flow.sandbox.stats().made.subclients).toBe(0);
  expect(first.child.exitCode).toBe(null);
}

async function isUsed(home: string): Promise<boolean> {
  const folder = await takenFolder(join(home, 'redis'));
  return folder !== null && (await readdir(join(folder, 'users')).catch(() => [])).length > 0;
}

/**
 * A container is killed in the middle of a run, with all that is in it, and started again: two at the same moment, of which
 * one has the home. It goes on by itself.
 */
async function killedContainer(): Promise<void> {
  const rows = 1_000;
  const flow = await startFlow({ redis: 'embedded', times: TIMES, faults: ['latency=100ms'] });
  const args = ['run', 'subclients-create', await flow.file('rows.csv', subclientsCsv(rows)), '--json'];
  const first = flow.start(args, {}, CONTAINER);
  await until(() => made(flow) > rows / 4);
  const inside = await processesBelow(first.child.pid ?? 0);
  first.child.kill('SIGKILL');
  await first.ended;
  await until(async () => (await Promise.all(inside.map(isThere))).every((there) => !there));
  const before = made(flow);
  const killedAt = performance.now();
  const again = [flow.start(args, {}, CONTAINER), flow.start(args, {}, CONTAINER)];
  await until(() => made(flow) > before);
  expect(performance.now() - killedAt).toBeLessThan(30_000 * SLOWNESS);
  const ends = await Promise.all(again.map(({ ended }) => ended));
  // Where the one has ended already, the other finds what it has loaded.
  const leftAlone = /in use on another machine or container|was already loaded/;
  const [ended, ...others] = ends.filter(({ stderr }) => !leftAlone.test(stderr));
  expect(others).toEqual([]);
  if (ended === undefined) throw new Error('nobody goes on');
  // What was in flight, or about to be.
  expectOnce(flow, ended, { rows, doubtsMax: rows / 2 });
}

/** Each row is created or in doubt, and nothing is made twice. */
function expectOnce(
  { sandbox }: Flow,
  ended: Ended,
  { rows, doubtsMax }: { readonly rows: number; readonly doubtsMax: number },
): void {
  const { created, 'in-doubt': doubtful } = withSummary(ended).summary.outcomes;
  const { made: all, duplicates } = sandbox.stats();
  expect(duplicates).toEqual([]);
  expect(created + doubtful).toBe(rows);
  expect(doubtful).toBeLessThan(doubtsMax);
  expect(all.subclients).toBeGreaterThanOrEqual(created);
  expect(all.subclients).toBeLessThanOrEqual(rows);
}

async function isThere(pid: number): Promise<boolean> {
  return readFile(`/proc/${pid}/stat`).then(
    () => true,
    () => false,
  );
}

/**
 * A machine stands still in the middle of a run, server and all, and can't be reached; another one takes its home, and the first one
 * comes to itself while the second is sending.
 */
async function takenHome(): Promise<void> {
  const rows = 2_000;
  const flow = await startFlow({ redis: 'embedded', faults: ['latency=100ms'] });
  const args = ['run', 'subclients-create', await flow.file('rows.csv', subclientsCsv(rows)), '--json'];
  const first = flow.start(args, {}, CONTAINER);
  await until(() => made(flow) > rows / 4);
  const redis = join(flow.home, 'redis');
  const frozen = await processesBelow(first.child.pid ?? 0);
  expect(frozen).toHaveLength(2);
  for (const pid of frozen) process.kill(pid, 'SIGSTOP');
  // On another machine nobody listens at a socket that lies in a shared folder.
  await rm(join((await takenFolder(redis)) ?? '', 'redis.sock'));
  const before = await takenFolder(redis);
  const second = flow.start(args);
  await until(async () => (await takenFolder(redis)) !== before && (await isUsed(flow.home)));
  for (const pid of frozen.toReversed()) process.kill(pid, 'SIGCONT');
  const [left, ended] = await Promise.all([first.ended, second.ended]);
  expect(left.stderr).toMatch(/has taken this ONBOARD_HOME/);
  // What was in flight, or about to be, on the machine that stood still: its journal lies in the home.
  expectOnce(flow, ended, { rows, doubtsMax: rows / 10 });
}

function made({ sandbox }: Flow): number {
  return sandbox.stats().made.subclients;
}

/** The program in a container, and its server: the processes below `unshare` as this namespace knows them. */
async function processesBelow(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const children = text
    .split(' ')
    .map(Number)
    .filter((child) => child > 0);
  return [...children, ...(await Promise.all(children.map(processesBelow))).flat()];
}
