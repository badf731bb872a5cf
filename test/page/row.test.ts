import { describe, expect, test } from 'vitest';
import { createRowPart } from '../../src/page/row.ts';
import { doubtOf } from '../support/doubts.ts';
import { useOwnRedis } from '../support/redis.ts';
import { keep, OPERATOR, openOwnDesk } from './own-desk.ts';

const own = useOwnRedis();

const IBANS = ['GB33BUKB20201555555555', 'DE89370400440532013000'];

describe('a row', () => {
  test('is shown with what the file says, what was sent for it, and what the service said', async () => {
    const { desk, seed } = await openOwnDesk(own());
    const rejected = doubtOf(2, { outcome: 'rejected', code: 'http_418', status: 418, attempts: 2 });
    const created = doubtOf(1, { outcome: 'created', id: 'sub-1' });
    const run = await seed({ rows: 3, settlements: [created, rejected] });
    await keep(desk, run, 'sources', 2, JSON.stringify({ kind: 'cells', row: 2, line: 3, cells: ['PX-2'] }));
    await keep(desk, run, 'bodies', 2, '{"field":"additionalInformation.crmId"}');
    const { row } = createRowPart(desk);
    expect(await row(run.id, 2, OPERATOR)).toMatchObject({
      settlement: rejected,
      file: { kind: 'cells', cells: [{ column: 'externalId', value: 'PX-2' }] },
      sent: {
        kind: 'request',
        method: 'POST',
        path: '/v1/subclients',
        fields: [{ field: 'additionalInformation.crmId', value: '"PX-2"' }],
      },
      said: { text: '{"field":"additionalInformation.crmId"}', restBytes: 0 },
      previous: 1,
      next: 3,
      chunk: 1,
    });
    // Of a row that succeeded nothing else is kept, and one without an outcome has nothing to show yet.
    expect(await row(run.id, 1, OPERATOR)).toMatchObject({
      file: { kind: 'gone' },
      sent: { kind: 'nothing' },
    });
    expect(await row(run.id, 3, OPERATOR)).toMatchObject({ settlement: null, next: null });
    expect([await row(run.id, 4, OPERATOR), await row('run-nowhere', 1, OPERATOR)]).toEqual([null, null]);
  });

  test('of a group names the rows that were one request with it, and shows that request whole', async () => {
    const { desk, seed } = await openOwnDesk(own());
    const definition = {
      operation: 'counterparty.draft',
      group: 'accounts',
      fields: { name: 'Name', 'accounts.0.iban': 'IBAN' },
    };
    const settlements = [1, 2, 3].map((n) => doubtOf(n, { key: n === 3 ? 'B' : 'A' }));
    const columns = ['externalId', 'Name', 'IBAN'];
    const run = await seed({ rows: 3, settlements, definition, columns });
    for (const n of [1, 2]) {
      const source = { kind: 'cells', row: n, line: n + 1, cells: ['A', 'Acme', IBANS[n - 1]] };
      await keep(desk, run, 'sources', n, JSON.stringify(source));
    }
    const { row } = createRowPart(desk);
    const shown = await row(run.id, 2, OPERATOR);
    expect(shown?.group).toEqual([1, 2]);
    expect(JSON.stringify(shown?.sent)).toMatch(/accounts\.0\.iban.*GB33.*accounts\.1\.iban.*DE89/);
    expect((await row(run.id, 3, OPERATOR))?.group).toEqual([]);
  });

  test('says who else has its key, and what a person decided on it', async () => {
    const { desk, seed } = await openOwnDesk(own());
    const first = await seed({ rows: 1, settlements: [doubtOf(1, { key: 'SAME' })] });
    const later = doubtOf(1, { key: 'SAME', outcome: 'invalid', code: 'key_in_doubt', attempts: 0 });
    const second = await seed({ rows: 1, settlements: [later] });
    const resolution = {
      decision: 'created',
      id: 'sub-5',
      by: 'ops-2',
      at: '2026-11-21T10:00:00Z',
      was: 'timeout',
    };
    const { keys } = desk.ledger.of(second.target);
    await desk.ledger.redis.hset(keys.run(second.id).resolutions, '1', JSON.stringify(resolution));
    const shown = await createRowPart(desk).row(second.id, 1, OPERATOR);
    expect(shown?.elsewhere).toEqual([{ space: 'subclient', is: 'in-doubt', run: first.id, row: 1, id: '' }]);
    expect(shown?.sent).toEqual({ kind: 'nothing', why: 'Nothing was sent for this row.' });
    expect(shown?.resolution).toContain('ops-2');
    expect(desk.logged.text).toContain('a row was looked at');
  });
});
