import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createDoubtsPart } from '../../src/page/doubts.ts';
import { doubtOf } from '../support/doubts.ts';
import { useOwnRedis } from '../support/redis.ts';
import { OPERATOR, openOwnDesk } from './own-desk.ts';

const own = useOwnRedis();

async function openDoubts() {
  const { desk, seed } = await openOwnDesk(own());
  const settlements = [1, 2, 3, 4, 5].map((n) =>
    n === 4 ? doubtOf(n, { outcome: 'created', id: 'sub-4' }) : doubtOf(n),
  );
  const run = await seed({ rows: 5, settlements });
  const part = createDoubtsPart(desk);
  const readText = (text: string) => part.readDecisions(run.id, bytesOf(text));
  return { desk, run, part, readText };
}

async function* bytesOf(text: string) {
  yield Buffer.from(text);
}

const HEAD = 'externalId,onboard_run,onboard_row,onboard_resolution';

describe('rows in doubt', () => {
  test('are looked at one after the other, with what a look-up found', async () => {
    const { desk, run, part } = await openDoubts();
    const k = desk.ledger.of(run.target).keys.run(run.id);
    const sighting = { kind: 'found-twice', ids: ['sub-8', 'sub-9'], at: '2026-11-21T10:21:00Z' };
    await desk.ledger.redis.hset(k.sightings, '5', JSON.stringify(sighting));
    expect(await part.doubts(run.id, null, OPERATOR)).toMatchObject({
      left: 4,
      settled: 0,
      list: [
        { row: 1, key: 'K1' },
        { row: 2, key: 'K2' },
        { row: 3, key: 'K3' },
        { row: 5, key: 'K5' },
      ],
      chosen: { row: 1, sighting: null, sent: { kind: 'request' } },
      following: 2,
    });
    const last = await part.doubts(run.id, 5, OPERATOR);
    expect(last).toMatchObject({ chosen: { row: 5, sighting }, following: 1 });
    // One that somebody has settled meanwhile gives way to the first.
    expect((await part.doubts(run.id, 4, OPERATOR))?.chosen?.row).toBe(1);
    expect(await part.doubts('run-nowhere', null, OPERATOR)).toBeNull();
  });

  test('are decided by a file, which is shown first, and of which nothing stays', async () => {
    const { desk, run, part, readText } = await openDoubts();
    const lines = ['K1,RUN,1,created:sub-1', 'K2,RUN,2,', 'K3,RUN,3,not-created', 'K4,RUN,4,created:sub-4'];
    const name = await readText([HEAD, ...lines].join('\n').replaceAll('RUN', run.id));
    expect(part.decisions(name)).toMatchObject({
      decisions: [
        { row: 1, as: 'created', id: 'sub-1', key: 'K1' },
        { row: 3, as: 'not-created', key: 'K3' },
      ],
      more: 0,
      open: 1,
      settled: 1,
    });
    expect(part.decisions('another')).toBeNull();
    expect(await readdir(join(desk.env.home, 'uploads'))).toEqual([]);
  });

  test.each([
    ['an id that another row has', 'K1,RUN,1,created:sub-4', /the id sub-4 can't be that of row 1/],
    ['a row under another key', 'K9,RUN,1,not-created', /"K9" here, but "K1" in the run/],
    ['another run', 'K1,run-x,1,not-created', /the file, line 2: onboard_run is "run-x"/],
    ['a packed file', 'PK\x03\x04', /as plain text/],
    ['nothing', '', /as plain text/],
  ])('are decided by no file with %s', async (_, line, problem) => {
    const { desk, run, readText } = await openDoubts();
    const text = line.startsWith('K') ? `${HEAD}\n${line.replace('RUN', run.id)}` : line;
    await expect(readText(text)).rejects.toThrow(problem);
    const uploads = await readdir(join(desk.env.home, 'uploads')).catch(() => []);
    expect(uploads).toEqual([]);
  });
});
