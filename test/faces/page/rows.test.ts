import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { resolveRows } from '../../../src/engine/ledger/resolve.ts';
import type { PageContext } from '../../../src/faces/page/page-context.ts';
import type { Visitor } from '../../../src/model/ask.ts';
import type { Run } from '../../../src/model/run.ts';
import type { Settlement } from '../../../src/model/settlement.ts';
import { createDigestTally, type Digest } from '../../../src/runs/report/digest.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { doubtOf, endedRow } from '../../support/settled-row.ts';
import { setEntry } from '../../support/stored.ts';
import { keep, look, OPERATOR, openOwnPage, textOf, VIEWER } from './own-page.ts';

const own = useOwnRedis();

const manyRows = (count: number) =>
  Array.from({ length: count }, (_, i) =>
    (i + 1) % 3 === 0
      ? endedRow(i + 1, 'rejected', { code: 'http_418', status: 418, message: '=refused' })
      : endedRow(i + 1, 'created', { id: `sub-${i + 1}` }),
  );

async function openRows(count = 400) {
  const { page, seed } = await openOwnPage(own());
  return { page, seed, run: await seed({ rows: count, settlements: manyRows(count) }) };
}

/** The list of a run's rows as somebody sees it. */
async function listOf(
  page: PageContext,
  { id }: Pick<Run, 'id'>,
  query: Readonly<Record<string, string>>,
  visitor: Visitor = OPERATOR,
) {
  const { html } = await look(page, `/runs/${id}/rows?${new URLSearchParams(query)}`, { visitor });
  const [table = ''] = /<table.*<\/table>/s.exec(html) ?? [];
  const [known = ''] = /<ul class="notice.*?<\/ul>/s.exec(html) ?? [];
  const numberIn = (pattern: RegExp) => Number(pattern.exec(html)?.[1] ?? Number.NaN);
  return {
    html,
    text: textOf(table),
    known: textOf(known),
    rows: [...table.matchAll(/<td class="n"><a href="[^"]*\/rows\/(\d+)"/g)].map(([, row]) => Number(row)),
    next: numberIn(/after=(\d+)" rel="next"/),
    stoppedAt: numberIn(/after=(\d+)">Look on from row/),
  };
}

test('operators see what the record of a row is called, viewers no cell', async () => {
  const { page, seed } = await openOwnPage(own());
  const run = await seed({
    rows: 2,
    columns: ['externalId', 'First', 'Last'],
    definition: { fields: { 'details.name': { columns: ['First', 'Last'], join: ' ' } } },
    settlements: [endedRow(1, 'invalid'), endedRow(2, 'created')],
  });
  const cells = ['K1', 'Ada', 'Byron'];
  await keep(page, run, 'sources', 1, JSON.stringify({ kind: 'cells', row: 1, line: 2, cells }));
  expect((await listOf(page, run, {})).text).toMatch(/RowKeyNameOutcomeWhat was said ?1K1Ada Byroninvalid/);
  expect((await listOf(page, run, {}, VIEWER)).html).not.toMatch(/Ada|Byron|>Name</);
});

async function csvOf(page: PageContext, path: string, visitor: Visitor = OPERATOR): Promise<string[]> {
  const { reply } = await look(page, path, { visitor });
  if (reply.kind !== 'download' || typeof reply.body === 'string') return [];
  const parts: Uint8Array[] = [];
  for await (const part of reply.body) if (typeof part !== 'number') parts.push(part);
  return Buffer.concat(parts).toString().trimEnd().split('\n');
}

/** The ledger knows that key as that of a record. */
async function know(page: PageContext, run: Run, key: string, row: number) {
  await setEntry(page.ledger.redis, page.ledger.of(run.target).keys, key, `k ${run.id} ${row} sub-${row}`);
}

/** As if only these chunks had refusals. */
function digestThatOmits(run: Run, settlements: readonly Settlement[], told: readonly number[]): Digest {
  const advising = { operation: run.operation, extension: 'csv' } as const;
  const tally = createDigestTally({ run, fields: new Set(), advising, definition: null });
  tally.add({ chunk: 1, closedAt: null, settlements });
  for (const settlement of settlements)
    if (settlement.outcome === 'rejected') tally.addUnsuccessful({ settlement, source: null, body: null });
  const digest = tally.digest();
  const omitted = (counts: readonly number[] = []) =>
    counts.map((count, part) => (told.includes(1 + Math.floor((10 * part) / counts.length)) ? count : 0));
  return {
    ...digest,
    where: { ...digest.where, rejected: omitted(digest.where.rejected) },
    causes: digest.causes.map((cause) => ({ ...cause, where: omitted(cause.where) })),
  };
}

describe('the rows of a run', () => {
  test('come 50 a page, by outcome, and the CSV is the same list whole, guarded against formulas', async () => {
    const { page, run } = await openRows();
    const rows: number[] = [];
    for (let after = 0; !Number.isNaN(after); ) {
      const list = await listOf(page, run, { outcome: 'rejected', after: String(after) });
      expect(list.rows.length).toBeLessThanOrEqual(50);
      rows.push(...list.rows);
      after = list.next;
    }
    expect(rows).toEqual(Array.from({ length: 133 }, (_, i) => (i + 1) * 3));
    const lines = await csvOf(page, `/runs/${run.id}/rows.csv?outcome=rejected&after=99`);
    expect(lines.slice(0, 2)).toEqual([
      'row,line,key,outcome,status,id,attempts,ms,code,message,advice',
      expect.stringMatching(/^3,4,K3,rejected,418,,1,5,http_418,'=refused,"Correct what/),
    ]);
    expect(lines).toHaveLength(rows.length + 1);
  });

  test('are named by an address that says all that is shown, and the ways on keep it', async () => {
    const { page, run } = await openRows();
    const { html, rows } = await listOf(page, run, {
      outcome: 'created',
      q: 'sub-1',
      in: 'text',
      after: '9',
    });
    expect(rows.slice(0, 3)).toEqual([10, 11, 13]);
    const base = `href="/runs/${run.id}`;
    expect(html).toContain(`${base}/rows?outcome=created&amp;q=sub-1&amp;in=text&amp;after=163" rel="next"`);
    expect(html).toContain(`${base}/rows.csv?outcome=created&amp;q=sub-1&amp;in=text"`);
    expect((await listOf(page, run, { outcome: 'nonsense', after: '-1' })).rows[0]).toBe(1);
  });

  test('are found by number, settled or pending, and by a key that the ledger knows in whatever run', async () => {
    const { page, run, seed } = await openRows();
    expect((await listOf(page, run, { q: '7' })).text).toContain('7K7createdsub-7');
    const later = await seed({ rows: 3, settlements: [endedRow(1, 'created')], closed: false });
    expect((await listOf(page, later, { q: '3' })).text).toContain('3pending has no outcome yet');
    expect((await listOf(page, later, { q: '4' })).rows).toEqual([]);
    await know(page, run, 'K9', 9);
    expect(await listOf(page, later, { q: 'K9' })).toMatchObject({
      rows: [],
      known: `As the key of a subclient it is at the service, as sub-9: row 9 of run ${run.id}`,
    });
    expect((await listOf(page, run, { q: 'K9' })).rows).toEqual([9]);
    const literal = await listOf(page, run, { q: 'K9', in: 'text', after: '80' });
    expect(literal.rows).toEqual(Array.from({ length: 10 }, (_, i) => 90 + i));
  });

  test('are found by any text, also by what came after their chunk was closed', async () => {
    const { page, seed } = await openOwnPage(own());
    const settlements = [endedRow(1, 'created'), doubtOf(2), endedRow(3, 'failed', { message: 'says "no"' })];
    const run = await seed({ rows: 3, settlements });
    const { keys } = page.ledger.of(run.target);
    const decisions = [{ row: 2, decision: { kind: 'created', id: 'found-later' } as const }];
    await resolveRows(page.ledger.redis, keys, { run, by: 'ops', at: new Date(), decisions });
    const rowsWith = async (q: string) => (await listOf(page, run, { q })).rows;
    expect(await rowsWith('found-later')).toEqual([2]);
    expect(await rowsWith('says "no"')).toEqual([3]);
    expect(await rowsWith('timeout')).toEqual([]);
  });

  test('are looked for no longer than 5 s, and on from there', async () => {
    const { page, run } = await openRows(4_000);
    let now = 0;
    const slow = { ...page, clock: { ...page.clock, now: () => (now += 3_000) } };
    const first = await listOf(slow, run, { q: 'sub-3998' });
    expect(first).toMatchObject({ rows: [], stoppedAt: 3_200 });
    const on = await listOf(slow, run, { q: 'sub-3998', after: String(first.stoppedAt) });
    expect(on).toMatchObject({ rows: [3_998], stoppedAt: Number.NaN });
  });

  test('are looked for once at a time for each visitor', async () => {
    const { page, run } = await openRows(4_000);
    const search = (visitor: Visitor) => listOf(page, run, { q: 'nowhere' }, visitor);
    const [first, second, other] = await Promise.all([search(OPERATOR), search(OPERATOR), search(VIEWER)]);
    // Which of the two began later is not decided here.
    const stopped = [first, second].filter(({ stoppedAt }) => stoppedAt < 4_000);
    expect(stopped).toHaveLength(1);
    expect(other?.stoppedAt).toBeNaN();
  });

  test('show a viewer keys, and not the service’s words', async () => {
    const { page, seed } = await openOwnPage(own());
    const message = 'the service refused it; another row has "{key}"';
    const values = { key: 'Key-17' };
    const row = endedRow(1, 'rejected', { key: 'Key-17', code: 'http_418', message, values });
    const run = await seed({ rows: 1, settlements: [row] });
    await keep(page, run, 'bodies', 1, '{"message":"Jane Doe is not welcome"}');
    const seen = async (visitor: Visitor) =>
      (await listOf(page, run, {}, visitor)).text +
      (await csvOf(page, `/runs/${run.id}/rows.csv`, visitor)).join();
    expect(await seen(OPERATOR)).toMatch(/Key-17.*Jane Doe.*Key-17/);
    expect(await seen(VIEWER)).toContain('Key-17');
    expect(await seen(VIEWER)).not.toContain('Jane');
  });

  test('are found for a viewer by keys within the run at hand alone', async () => {
    const { page, seed } = await openOwnPage(own());
    const run = await seed({ rows: 2, settlements: [endedRow(1, 'created', { key: 'DE1' })] });
    const other = await seed({ rows: 1, settlements: [endedRow(1, 'created', { key: 'DE2' })] });
    await know(page, run, 'DE1', 1);
    await know(page, other, 'DE2', 1);
    const seen = async (q: string, visitor: Visitor) => {
      const found = await listOf(page, run, { q }, visitor);
      const literal = await listOf(page, run, { q, in: 'text' }, visitor);
      return [found.rows.length, literal.rows.length, found.known !== ''];
    };
    expect(await seen('DE1', OPERATOR)).toEqual([1, 1, true]);
    expect(await seen('DE2', OPERATOR)).toEqual([0, 0, true]);
    expect(await seen('DE1', VIEWER)).toEqual([1, 1, true]);
    expect(await seen('DE2', VIEWER)).toEqual([0, 0, false]);
  });

  test('of a cause come from the chunks that the digest names, and of no other', async () => {
    const { page, run } = await openRows(1_000);
    const digest = digestThatOmits(run, manyRows(1_000), [4, 10]);
    const folder = join(page.env.home, 'reports', run.id);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'digest.json'), JSON.stringify(digest));
    const cause = digest.causes[0]?.id ?? '';
    for (const filter of [{ cause }, { outcome: 'rejected' }]) {
      const { rows, html } = await listOf(page, run, filter);
      expect(rows.slice(0, 2)).toEqual([303, 306]);
      expect(rows.at(-1)).toBeGreaterThan(900);
      expect(html).toContain(`<option value="${cause}"`);
    }
    const foreign = await listOf(page, run, { cause: 'of another run' });
    expect([foreign.rows, foreign.html.includes('The run has no such cause')]).toEqual([[], true]);
  });

  test('of a run that there is not are none', async () => {
    const { page } = await openOwnPage(own());
    for (const path of ['/runs/run-nowhere/rows', '/runs/run-nowhere/rows.csv'])
      expect((await look(page, path)).kind).toBe('missing');
  });
});
