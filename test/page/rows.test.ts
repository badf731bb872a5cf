import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { identityPlace } from '../../src/ledger/keys.ts';
import { resolveRows } from '../../src/ledger/resolve.ts';
import type { Outcome } from '../../src/model/outcome.ts';
import type { Run } from '../../src/model/run.ts';
import type { Settlement } from '../../src/model/settlement.ts';
import { createRowsPart } from '../../src/page/rows.ts';
import { createDigestTally } from '../../src/report/digest.ts';
import type { RowsAsked } from '../../src/web/rows.tsx';
import { doubtOf } from '../support/doubts.ts';
import { useOwnRedis } from '../support/redis.ts';
import { keep, OPERATOR, openOwnDesk, VIEWER } from './own-desk.ts';

const own = useOwnRedis();

const ended = (row: number, outcome: Outcome, over: object = {}) =>
  doubtOf(row, { outcome, code: '', message: '', ...over });

const manyRows = (count: number) =>
  Array.from({ length: count }, (_, i) =>
    (i + 1) % 3 === 0
      ? ended(i + 1, 'rejected', { code: 'http_418', status: 418, message: '=refused' })
      : ended(i + 1, 'created', { id: `sub-${i + 1}` }),
  );

const asked = (run: string, over: Partial<RowsAsked> = {}): RowsAsked => ({
  run,
  outcome: null,
  cause: null,
  text: '',
  after: 0,
  isLiteral: false,
  ...over,
});

async function openRows(count = 400) {
  const { desk, seed } = await openOwnDesk(own());
  const run = await seed({ rows: count, settlements: manyRows(count) });
  return { desk, run, seed, part: createRowsPart(desk) };
}

/** As if only these chunks had refusals: the first of them those of its own, the last all others. */
function digestThatOmits(
  run: Run,
  settlements: readonly Settlement[],
  [only, last]: readonly [number, number],
) {
  const advising = { operation: run.operation, extension: 'csv' } as const;
  const tally = createDigestTally({ run, fields: new Set(), advising, definition: null });
  for (const settlement of settlements) {
    const chunk = Math.ceil(settlement.row / run.chunkRows);
    const isRefused = settlement.outcome === 'rejected';
    const told = isRefused && chunk !== only ? last : chunk;
    tally.add({ chunk: told, closedAt: null, settlements: [settlement] });
    if (isRefused) tally.addUnsuccessful({ settlement, source: null, body: null }, told);
  }
  return tally.digest();
}

describe('the rows of a run', () => {
  test('come 50 a page, by outcome, and the CSV is the same list whole, guarded against formulas', async () => {
    const { run, part } = await openRows();
    const list: number[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const found = await part.rows(asked(run.id, { outcome: 'rejected', after }), OPERATOR);
      expect(found?.rows.length).toBeLessThanOrEqual(50);
      list.push(...(found?.rows ?? []).map(({ row }) => row));
      after = found?.next ?? null;
    }
    expect(list).toEqual(Array.from({ length: 133 }, (_, i) => (i + 1) * 3));
    const lines = await textOf(
      await part.rowsFile(asked(run.id, { outcome: 'rejected', after: 99 }), OPERATOR),
    );
    expect(lines.slice(0, 2)).toEqual([
      'row,line,key,outcome,id,code,message',
      "3,4,K3,rejected,,http_418,'=refused",
    ]);
    expect(lines).toHaveLength(list.length + 1);
  });

  test('are found by number, settled or open, and by a key that the ledger knows in whatever run', async () => {
    const { desk, run, part, seed } = await openRows();
    const byNumber = await part.rows(asked(run.id, { text: '7' }), OPERATOR);
    expect(byNumber?.rows).toMatchObject([{ row: 7, key: 'K7', id: 'sub-7' }]);
    const later = await seed({ rows: 3, settlements: [ended(1, 'created')], closed: false });
    const open = await part.rows(asked(later.id, { text: '3' }), OPERATOR);
    expect(open?.rows).toMatchObject([{ row: 3, outcome: 'open' }]);
    expect((await part.rows(asked(later.id, { text: '4' }), OPERATOR))?.rows).toEqual([]);
    const { redis } = desk.ledger;
    const { bucket, digest } = identityPlace(desk.ledger.of(run.target).keys, {
      space: 'subclient',
      key: 'K9',
    });
    await redis.hset(bucket, digest, `k ${run.id} 9 sub-9`);
    const elsewhere = await part.rows(asked(later.id, { text: 'K9' }), OPERATOR);
    expect(elsewhere?.keys).toEqual([{ space: 'subclient', is: 'known', run: run.id, row: 9, id: 'sub-9' }]);
    expect(elsewhere?.rows).toEqual([]);
    const here = await part.rows(asked(run.id, { text: 'K9' }), OPERATOR);
    expect(here?.rows.map(({ row }) => row)).toEqual([9]);
    const literal = await part.rows(asked(run.id, { text: 'K9', isLiteral: true, after: 80 }), OPERATOR);
    expect(literal?.rows.map(({ row }) => row)).toEqual(Array.from({ length: 10 }, (_, i) => 90 + i));
  });

  test('are found by any text, also by what came after their chunk was closed', async () => {
    const { desk, seed } = await openOwnDesk(own());
    const settlements = [ended(1, 'created'), doubtOf(2), ended(3, 'failed', { message: 'says "no"' })];
    const run = await seed({ rows: 3, settlements });
    const part = createRowsPart(desk);
    const { keys } = desk.ledger.of(run.target);
    const decision = { kind: 'created', id: 'found-later' } as const;
    const decisions = [{ row: 2, decision }];
    await resolveRows(desk.ledger.redis, keys, { run, by: 'ops', at: new Date(), decisions });
    for (const [text, rows] of [
      ['found-later', [2]],
      ['says "no"', [3]],
      ['timeout', []],
    ] as const) {
      const found = await part.rows(asked(run.id, { text }), OPERATOR);
      expect([text, found?.rows.map(({ row }) => row)]).toEqual([text, rows]);
    }
  });

  test('are looked for no longer than 5 s, and on from there', async () => {
    const { desk, run } = await openRows(4_000);
    let now = 0;
    const clock = { ...desk.clock, now: () => (now += 3_000) };
    const part = createRowsPart({ ...desk, clock });
    const first = await part.rows(asked(run.id, { text: 'sub-3998' }), OPERATOR);
    expect(first).toMatchObject({ rows: [], next: null, stoppedAt: 3_200 });
    const on = await part.rows(asked(run.id, { text: 'sub-3998', after: first?.stoppedAt ?? 0 }), OPERATOR);
    expect(on).toMatchObject({ rows: [{ row: 3_998 }], stoppedAt: null });
  });

  test('are looked for once at a time for each visitor', async () => {
    const { run, part } = await openRows(4_000);
    const searches = [
      part.rows(asked(run.id, { text: 'nowhere' }), OPERATOR),
      part.rows(asked(run.id, { text: 'nowhere' }), OPERATOR),
      part.rows(asked(run.id, { text: 'nowhere' }), VIEWER),
    ];
    const [first, second, other] = await Promise.all(searches);
    // Which of the two began later is not decided here.
    const stopped = [first, second].flatMap((found) => found?.stoppedAt ?? []);
    expect(stopped).toHaveLength(1);
    expect(stopped[0]).toBeLessThan(4_000);
    expect(other?.stoppedAt).toBeNull();
  });

  test('show a viewer keys, and not the service’s words', async () => {
    const { desk, seed } = await openOwnDesk(own());
    const message = 'the service refused it; another row has "{key}"';
    const values = { key: 'Key-17' };
    const row = ended(1, 'rejected', { key: 'Key-17', code: 'http_418', message, values });
    const run = await seed({ rows: 1, settlements: [row] });
    await keep(desk, run, 'bodies', 1, '{"message":"Jane Doe is not welcome"}');
    const part = createRowsPart(desk);
    const seen = async (visitor: typeof OPERATOR | typeof VIEWER) =>
      JSON.stringify((await part.rows(asked(run.id), visitor))?.rows) +
      (await textOf(await part.rowsFile(asked(run.id), visitor))).join();
    expect(await seen(OPERATOR)).toMatch(/Key-17.*Jane Doe/);
    expect(await seen(VIEWER)).toContain('Key-17');
    expect(await seen(VIEWER)).not.toContain('Jane');
  });

  test('are found for a viewer by keys within the run at hand alone', async () => {
    const { desk, seed } = await openOwnDesk(own());
    const run = await seed({ rows: 2, settlements: [ended(1, 'created', { key: 'DE1' })] });
    const other = await seed({ rows: 1, settlements: [ended(1, 'created', { key: 'DE2' })] });
    for (const [key, of] of [
      ['DE1', run],
      ['DE2', other],
    ] as const) {
      const ledger = desk.ledger.of(run.target);
      const { bucket, digest } = identityPlace(ledger.keys, { space: 'subclient', key });
      await desk.ledger.redis.hset(bucket, digest, `k ${of.id} 1 sub-1`);
    }
    const part = createRowsPart(desk);
    const seen = async (text: string, visitor: typeof OPERATOR | typeof VIEWER) => {
      const found = await part.rows(asked(run.id, { text }), visitor);
      const literal = await part.rows(asked(run.id, { text, isLiteral: true }), visitor);
      return [found?.rows.length, literal?.rows.length, found?.keys.length];
    };
    expect(await seen('DE1', OPERATOR)).toEqual([1, 1, 1]);
    expect(await seen('DE2', OPERATOR)).toEqual([0, 0, 1]);
    expect(await seen('DE1', VIEWER)).toEqual([1, 1, 1]);
    expect(await seen('DE2', VIEWER)).toEqual([0, 0, 0]);
  });

  test('of a cause come from the chunks that the digest names, and of no other', async () => {
    const { desk, run, part } = await openRows(1_000);
    const digest = digestThatOmits(run, manyRows(1_000), [4, 10]);
    const folder = join(desk.env.home, 'reports', run.id);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'digest.json'), JSON.stringify(digest));
    const cause = digest.causes[0]?.id ?? '';
    for (const filter of [{ cause }, { outcome: 'rejected' as const }]) {
      const found = await part.rows(asked(run.id, filter), OPERATOR);
      expect(found?.rows.slice(0, 2).map(({ row }) => row)).toEqual([303, 306]);
      expect(found?.rows.at(-1)?.row).toBeGreaterThan(900);
      expect(found?.causes).toMatchObject([{ id: cause, count: 333 }]);
    }
    expect((await part.rows(asked(run.id, { cause: 'of another run' }), OPERATOR))?.rows).toEqual([]);
  });

  test('of a run that there is not are none', async () => {
    const { part } = await openRows(1);
    expect(await part.rows(asked('run-nowhere'), OPERATOR)).toBeNull();
    expect(await part.rowsFile(asked('run-nowhere'), OPERATOR)).toBeNull();
  });
});

async function textOf(bytes: AsyncIterable<Uint8Array> | null): Promise<string[]> {
  const parts: Uint8Array[] = [];
  for await (const part of bytes ?? []) parts.push(part);
  return Buffer.concat(parts).toString().trimEnd().split('\n');
}
