import { describe, expect, test } from 'vitest';
import { useOwnRedis } from '../../support/redis.ts';
import { doubtOf } from '../../support/settled-row.ts';
import { setOfRun, setRecord } from '../../support/stored.ts';
import { until } from '../../support/until.ts';
import { keep, look, openOwnPage, textOf } from './own-page.ts';

const own = useOwnRedis();

const IBANS = ['GB33BUKB20201555555555', 'DE89370400440532013000'];

describe('a row', () => {
  test('is shown with what the file says, what was sent for it, and what the service said', async () => {
    const { page, seed } = await openOwnPage(own());
    const rejected = doubtOf(2, { outcome: 'rejected', code: 'http_418', status: 418, attempts: 2 });
    const created = doubtOf(1, { outcome: 'created', id: 'sub-1' });
    const run = await seed({ rows: 3, settlements: [created, rejected] });
    await keep(page, run, 'sources', 2, JSON.stringify({ kind: 'cells', row: 2, line: 3, cells: ['PX-2'] }));
    await keep(page, run, 'bodies', 2, '{"field":"additionalInformation.crmId"}');
    const { html } = await look(page, `/runs/${run.id}/rows/2`);
    const text = textOf(html);
    expect(text).toContain('rejected · key K2 · line 3');
    expect(text).toContain('http_418 · status 418 · 2 attempts, the last took 5 ms · chunk 1');
    expect(text).toContain('What the file saysexternalIdPX-2');
    expect(text).toContain('POST /v1/subclientsadditionalInformation.crmId"PX-2" ◀ the service names it');
    expect(text).toContain('As received, 39 bytes.');
    expect(html).toMatch(/rows\/1" rel="prev".*rows\/3" rel="next"/);
    // Of a row that succeeded nothing else is kept, and one without an outcome has nothing to show yet.
    const first = textOf((await look(page, `/runs/${run.id}/rows/1`)).html);
    expect(first).toContain('Cells are kept only of rows that did not succeed.');
    expect(first).toContain('What was sent is kept only of rows that did not succeed.');
    const open = (await look(page, `/runs/${run.id}/rows/3`)).html;
    expect(open).toContain('It has no outcome yet.');
    expect(open).not.toContain('rel="next"');
    for (const path of [`${run.id}/rows/4`, `${run.id}/rows/x`, 'run-nowhere/rows/1'])
      expect((await look(page, `/runs/${path}`)).kind).toBe('missing');
    expect(page.logged.text).toContain('a row was looked at');
  });

  test('of a purged run says that its cells are gone, and nothing that is not so', async () => {
    const { page, seed } = await openOwnPage(own());
    const settlements = [
      doubtOf(1, { outcome: 'invalid', code: 'missing_key' }),
      doubtOf(2, { outcome: 'created' }),
    ];
    const run = await seed({ rows: 2, settlements });
    const pages = async () =>
      Promise.all(
        ['', '/rows/1', '/rows/2'].map(async (path) =>
          textOf((await look(page, `/runs/${run.id}${path}`)).html),
        ),
      );
    expect((await pages()).join()).toContain('failed.csv');
    const purged = { by: 'ann', at: '2026-11-21T10:00:00Z', isDone: true };
    const k = page.ledger.of(run.target).keys.run(run.id);
    await setRecord(page.ledger.redis, k, { purged });
    await until(
      async () =>
        (await pages())[0]?.includes('The run was purged: the cells of its rows are gone.') === true,
    );
    const [whole, failed, created] = await pages();
    expect(failed).toContain('The run was purged: the cells of its rows are gone.');
    expect([whole, failed, created].join()).not.toMatch(/failed\.csv|kept only/);
  });

  test('of a group names the rows that were one request with it, and shows that request whole', async () => {
    const { page, seed } = await openOwnPage(own());
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
      await keep(page, run, 'sources', n, JSON.stringify(source));
    }
    const text = textOf((await look(page, `/runs/${run.id}/rows/2`)).html);
    expect(text).toContain('One request with row 1, row 2');
    expect(text).toMatch(/accounts\.0\.iban"GB33.*accounts\.1\.iban"DE89/);
    expect(textOf((await look(page, `/runs/${run.id}/rows/3`)).html)).not.toContain('One request with');
  });

  test('says who else has its key, and what a person decided on it', async () => {
    const { page, seed } = await openOwnPage(own());
    const first = await seed({ rows: 1, settlements: [doubtOf(1, { key: 'SAME' })] });
    const later = doubtOf(1, { key: 'SAME', outcome: 'invalid', code: 'key_in_doubt', attempts: 0 });
    const second = await seed({ rows: 1, settlements: [later] });
    const at = '2026-11-21T10:00:00Z';
    const resolution = { decision: 'created', id: 'sub-5', by: 'ops-2', at, was: 'timeout' };
    const { keys } = page.ledger.of(second.target);
    await setOfRun(page.ledger.redis, keys.run(second.id), 'resolutions', { 1: resolution });
    const text = textOf((await look(page, `/runs/${second.id}/rows/1`)).html);
    expect(text).toContain(`Its key is claimed by a row in doubt: row 1 of run ${first.id}`);
    expect(text).toContain('Nothing was sent for this row.');
    expect(text).toMatch(/It was in doubt \(timeout\) until ops-2 said .*: created, id sub-5\./);
  });
});

const tagsIn = (html: string) => [...html.matchAll(/<\/?[^\s>]+/g)].map(([tag]) => tag).filter(isPlain);
/** The service's answer happens to name some texts as fields. */
const isPlain = (tag: string) => !/strong/.test(tag);

/** A run whose every text of others is this, as the pages about it show it. */
async function pagesWith(text: string) {
  const { page, seed } = await openOwnPage(own());
  const { redis } = page.ledger;
  const settlements = [
    doubtOf(1, { key: text, message: text }),
    doubtOf(2, { key: text, message: text, outcome: 'rejected', code: 'http_418', id: text }),
  ];
  const definition = { key: text, fields: { 'details.name': text } };
  const run = await seed({ rows: 3, settlements, columns: [text], definition });
  const k = page.ledger.of(run.target).keys.run(run.id);
  await setRecord(redis, k, { job: text, file: text });
  const sighting = { kind: 'found-twice', ids: [text], at: '2026-11-21T10:00:00Z' };
  await setOfRun(redis, k, 'sightings', { 1: sighting });
  for (const row of [1, 2])
    await keep(
      page,
      run,
      'sources',
      row,
      JSON.stringify({ kind: 'cells', row, line: row + 1, cells: [text] }),
    );
  await keep(page, run, 'bodies', 2, text);
  await until(async () => (await page.digests(run)).read === 2);
  const paths = ['', '/rows?q=zzz9', '/rows', '/rows/1', '/rows/2', '/doubts'];
  const pages: string[] = [];
  // One after the other: a search ends the same visitor's one before.
  for (const path of paths) pages.push((await look(page, `/runs/${run.id}${path}`)).html);
  return pages;
}

test.each([
  '<script>x</script>',
  '"><img src=x onerror=y>',
  "' onmouseover='x",
  '&lt;b&gt;',
  '\u202Eabc\u0007',
  '</textarea></option></td>',
])('any text of others is text on each page about rows: %j', async (text) => {
  const plain = (await pagesWith('plain')).map(tagsIn);
  for (const tags of plain) expect(tags.length).toBeGreaterThan(20);
  const pages = await pagesWith(text);
  // The run's own page tells other texts as other causes.
  expect(pages.slice(1).map(tagsIn)).toEqual(plain.slice(1));
  expect(new Set(pages.flatMap(tagsIn))).toEqual(new Set(plain.flat()));
  for (const html of pages) expect(html.replaceAll(/="[^"]*"/g, '')).not.toMatch(/<[^>]*\s(?:on\w+|style)\b/);
});
