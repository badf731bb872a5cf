import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { identityPlace } from '../../src/ledger/keys.ts';
import { resolveRows } from '../../src/ledger/resolve.ts';
import { addToStory } from '../../src/ledger/story.ts';
import type { Role } from '../../src/model/ask.ts';
import type { Outcome } from '../../src/model/outcome.ts';
import { createActs } from '../../src/page/acts.ts';
import { createDigests } from '../../src/page/digests.ts';
import { createOverviewPart } from '../../src/page/overview.ts';
import { createRunPart } from '../../src/page/run.ts';
import { createPaces } from '../../src/page/run-lines.ts';
import { createRunsPart } from '../../src/page/runs.ts';
import { createSystemPart } from '../../src/page/system.ts';
import { needingRows } from '../../src/report/digest.ts';
import { Causes } from '../../src/web/causes.tsx';
import { doubtOf } from '../support/doubts.ts';
import { useOwnRedis } from '../support/redis.ts';
import { until } from '../support/until.ts';
import { keep, OPERATOR, openOwnDesk, VIEWER } from './own-desk.ts';

const own = useOwnRedis();

const ended = (row: number, outcome: Outcome, over: object = {}) =>
  doubtOf(row, { outcome, code: '', message: '', ...over });

/** 250 rows in three chunks: every fifth was refused, in the same words. */
const ROWS = Array.from({ length: 250 }, (_, i) =>
  i % 5 === 4 ? ended(i + 1, 'rejected', { code: 'http_418', status: 418 }) : ended(i + 1, 'created'),
);

async function openRun() {
  const { desk: session, seed } = await openOwnDesk(own());
  const desk = { ...session, target: session.service.target, ask: null };
  const run = await seed({ rows: 250, settlements: ROWS });
  for (const { row, outcome } of ROWS)
    if (outcome === 'rejected') await keep(session, run, 'bodies', row, '{"errors":["the town is unknown"]}');
  return { desk, run, seed };
}

test('a run without a report is counted from its closed chunks: causes, where, and how far that is', async () => {
  const { desk, run } = await openRun();
  const part = createRunPart(desk);
  const shown = await eventually(async () => {
    const found = await part.run(run.id, OPERATOR);
    return found?.digest.read === 250 ? found : null;
  });
  expect(needingRows(shown.digest)).toBe(50);
  expect(shown.digest.causes).toMatchObject([
    { outcome: 'rejected', code: 'http_418', count: 50, first: 5, last: 250, words: 'the town is unknown' },
  ]);
  expect(shown.digest.causes[0]?.where.reduce((sum, n) => sum + n, 0)).toBe(50);
});

test('a row that a person has decided since is counted as decided', async () => {
  const { desk, seed } = await openRun();
  const { ledger } = desk;
  const run = await seed({ rows: 2, settlements: [ended(1, 'created'), doubtOf(2)] });
  const digests = createDigests({ ...desk, clock: { ...desk.clock, now: clockThatRuns() } });
  const causes = () => digests.of(run).then(({ outcomes }) => outcomes);
  await eventually(async () => ((await causes())['in-doubt'] === 1 ? true : null));
  const decision = { kind: 'created', id: 'sub-2' } as const;
  const { keys } = ledger.of(run.target);
  await resolveRows(ledger.redis, keys, {
    run,
    by: 'ops-1',
    at: new Date(),
    decisions: [{ row: 2, decision }],
  });
  const after = await eventually(async () => ((await causes())['in-doubt'] === 0 ? causes() : null));
  expect(after.created).toBe(2);
});

/** Asks until it answers something. */
async function eventually<T>(ask: () => Promise<T | null>): Promise<T> {
  const found: T[] = [];
  await until(async () => {
    const answer = await ask();
    if (answer !== null) found.push(answer);
    return answer !== null;
  });
  const [first] = found;
  if (first === undefined) throw new Error('nothing was found');
  return first;
}

/** Whoever asks is told that much time has passed, so that each question is looked into. */
function clockThatRuns() {
  let ms = 0;
  return () => {
    ms += 10_000;
    return ms;
  };
}

test('a viewer sees keys, and gets no file names', async () => {
  const { desk, run } = await openRun();
  const folder = join(desk.env.home, 'reports', run.id);
  await mkdir(folder, { recursive: true });
  const part = createRunPart(desk);
  const shown = await eventually(async () => {
    const found = await part.run(run.id, VIEWER);
    return found?.digest.read === 250 ? found : null;
  });
  expect(shown.digest.causes[0]?.examples.map(({ key }) => key)).toEqual(['K5', 'K10', 'K15']);
  expect(String(Causes({ shown, visitor: VIEWER }))).toContain('K5');
  expect(shown.files).toEqual([]);
});

test('a note shows beside its cause, to viewers too, until its text is taken away', async () => {
  const { desk, run } = await openRun();
  const act = createActs(desk, null);
  const part = createRunPart(desk);
  const { id: cause } = await eventually(async () => {
    const found = await part.run(run.id, OPERATOR);
    return found?.digest.causes[0] ?? null;
  });
  const write = (text: string, by: { readonly name: string; readonly role: Role } = OPERATOR) =>
    act({ by: by.name, role: by.role, ask: { kind: 'note', run: run.id, cause, text } });
  const noted = async () => (await part.run(run.id, VIEWER))?.notes.get(cause) ?? null;
  expect(await write('mine', VIEWER)).toMatchObject({ kind: 'refused' });
  expect(await write('x'.repeat(501))).toMatchObject({
    kind: 'refused',
    problems: ['The note has 501 characters: expected at most 500. Nothing was changed.'],
  });
  expect(await noted()).toBeNull();
  expect(await write('  <b>ask the town hall</b> ')).toMatchObject({ kind: 'done' });
  expect(await noted()).toMatchObject({ text: '<b>ask the town hall</b>', by: 'ops-1' });
  expect(await write(' ')).toMatchObject({ kind: 'done' });
  expect(await noted()).toBeNull();
});

test('only files that the summary names are given, and no other path', async () => {
  const { desk, run } = await openRun();
  const folder = join(desk.env.home, 'reports', run.id);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'secret.txt'), 'secret');
  await writeFile(join(folder, 'report.html'), '<p>report</p>');
  const part = createRunPart(desk);
  for (const name of ['secret.txt', '../../secret', 'report.html', ''])
    expect(await part.file(run.id, name)).toBeNull();
  expect(Buffer.from((await part.report(run.id)) ?? []).toString()).toBe('<p>report</p>');
  expect([await part.report('no-such-run'), await part.run('../x', OPERATOR)]).toEqual([null, null]);
});

test('a run shows its pace as far as it was looked at, and its story with its numbers', async () => {
  const { desk, run } = await openRun();
  const { redis, of } = desk.ledger;
  const k = of(run.target).keys.run(run.id);
  const start = Date.now() - 60_000;
  await redis.hset(k.record, { startedAt: new Date(start).toISOString(), state: 'running' });
  await redis.hdel(k.record, 'finishedAt');
  await addToStory(redis, k, { at: start + 50_000, what: 'service-away', why: 'refused', by: '' });
  const part = createRunPart(desk);
  const shown = await part.run(run.id, OPERATOR);
  expect(shown?.story.at(-1)).toMatchObject({ seconds: 50, words: 'the service is away: refused' });
  const { outcomes } = run;
  const brief = { ...run, state: 'running', startedAt: new Date(0).toISOString(), movedAt: null } as const;
  const paceOf = createPaces();
  const paceAt = (now: number, created: number) =>
    paceOf({ ...brief, rows: 1_000, outcomes: { ...outcomes, created } }, now);
  const others = Object.values({ ...outcomes, created: 0 }).reduce((sum, n) => sum + n, 0);
  expect(paceAt(10_000, 100 - others)).toMatchObject({ perSecond: 10, left: '1 min 30 s', paces: [] });
  expect(paceAt(11_000, 120 - others)).toMatchObject({ perSecond: 20 });
  expect(paceAt(12_000, 150 - others)).toMatchObject({ perSecond: 25, paces: [20] });
});

test('runs are listed newest first, by state and job, in pages that leave none out', async () => {
  const { desk, seed } = await openRun();
  for (let n = 0; n < 60; n += 1) await seed({ rows: 1, settlements: [ended(1, 'created')] });
  const part = createRunsPart(desk);
  const asked = { state: null, job: 'subclients-create', skipped: 0 } as const;
  const first = await part.runs(asked);
  const second = await part.runs({ ...asked, skipped: first.next ?? 0 });
  expect([first.runs.length, second.next]).toEqual([50, null]);
  const ids = [...first.runs, ...second.runs].map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBeGreaterThanOrEqual(61);
  expect((await part.runs({ ...asked, job: 'another' })).runs).toEqual([]);
});

test('what is looked for from any page is a key that some run has, or a run by the ending of its id', async () => {
  const { desk, run } = await openRun();
  const { named } = createRunsPart(desk);
  const { ledger, target } = desk;
  const { bucket, digest } = identityPlace(ledger.of(target).keys, { space: 'counterparty', key: 'P 9' });
  await ledger.redis.hset(bucket, digest, `k ${run.id} 9 cp-9`);
  expect(await named('P 9', OPERATOR)).toEqual({ run: run.id, key: 'P 9' });
  // Who only looks could try keys of any run.
  expect(await named('P 9', VIEWER)).toBeNull();
  for (const visitor of [OPERATOR, VIEWER]) {
    expect(await named(run.id, visitor)).toEqual({ run: run.id, key: null });
    expect(await named(run.id.slice(-8), visitor)).toEqual({ run: run.id, key: null });
    expect(await named('nobody knows it', visitor)).toBeNull();
  }
});

test('the overview names rows in doubt before all else, and the system its workers', async () => {
  const { desk, seed } = await openRun();
  const run = await seed({ rows: 2, settlements: [ended(1, 'created'), doubtOf(2)] });
  const overview = await createOverviewPart(desk).overview();
  // Others' runs stand in the same Redis.
  const kinds = overview.needs.map(({ kind }) => kind);
  expect(kinds.lastIndexOf('doubts')).toBe(kinds.filter((kind) => kind === 'doubts').length - 1);
  const need = overview.needs.find((one) => one.kind !== 'refused' && one.run.id === run.id);
  expect(need).toMatchObject({ kind: 'doubts', rows: 1 });
  expect(overview.service.isWell).toBe(true);
  const system = await createSystemPart(desk).system();
  expect(system.redis.roundTripMs).toBeGreaterThan(0);
  expect(system.chunks.failed).toBe(0);
});
