import { readdir, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copyOf } from '../support/stored.ts';
import { until } from '../support/until.ts';
import { whileSlow } from '../support/while-slow.ts';
import { allSend, redisOf, startCrew, truthOf } from './support/crew.ts';
import { LONG, TIMEOUT_MS } from './support/times.ts';

const ROWS = 800;
const FAULTS = ['latency=60ms'];
/** Rows that are made, and that the copy or the emptied Redis then lacks. */
const SINCE = 60;
/** On the wire of one process (`send.concurrency` of the job), answered just now, and ready to go. */
const IN_FLIGHT_MAX = 2.5 * 20;

/** As a disk that has lost its newer half leaves it: within a line. */
async function cutJournals(home: string): Promise<void> {
  const names = await readdir(join(home, 'journal'), { recursive: true });
  for (const name of names.filter((one) => one.endsWith('.log'))) {
    const path = join(home, 'journal', name);
    await truncate(path, Math.floor((await stat(path)).size / 2));
  }
}

type Past = {
  /** Another process has a home of its own, and is gone with it. */
  readonly another?: true;
  readonly isCut?: true;
  readonly isEmptied?: true;
};

const PASTS: ReadonlyArray<[string, Past]> = [
  ['an older copy is put in: what it had in flight is in doubt', {}],
  ['an older copy is put in, and one of another home is gone: its rows are in doubt', { another: true }],
  ['an older copy is put in, and its journal cut within a line: its rows are in doubt', { isCut: true }],
  ['Redis is emptied, and its journal cut within a line', { isCut: true, isEmptied: true }],
];

test.each(PASTS.filter(([, { isCut }], at) => LONG || at === 0 || isCut))(
  'while no process lives, %s, and nothing is made twice',
  async (_, { another, isCut, isEmptied }) => {
    const workers = another ? 1 : 0;
    const crew = await startCrew({ rows: ROWS, homes: 'each', workers, sandbox: { faults: FAULTS } });
    const [run] = crew.members;
    const { redis } = redisOf(crew);
    await allSend(crew, FAULTS);
    const back = isEmptied ? () => redis.flushall() : await copyOf(redis);
    const before = crew.made();
    await until(() => crew.made() >= before + SINCE);
    await whileSlow(crew.flow.sandbox, { after: FAULTS, latency: '1s' }, () =>
      Promise.all(crew.members.map((member) => member.end())),
    );
    await back();
    if (isCut) await cutJournals(crew.flow.home);
    run?.revive();
    const { truth, stderr } = await truthOf(crew);
    process.stderr.write(`older-copy ${JSON.stringify({ another, isCut, isEmptied, ...truth })}\n`);
    if (!isEmptied) expect(stderr).toContain('Redis has lost what it had answered');
    if (isCut) expect(stderr).toMatch(/is damaged .+ are in doubt/);
    else if (another) expect(stderr).toContain('rows that may be theirs are in doubt');
    else expect(truth.inDoubtMade + truth.inDoubtNotMade).toBeLessThanOrEqual(IN_FLIGHT_MAX);
  },
  TIMEOUT_MS,
);
