import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { isOver } from '../../../src/model/run.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { endedRow } from '../../support/settled-row.ts';
import { setEntry } from '../../support/stored.ts';
import { until } from '../../support/until.ts';
import { keep, look, OPERATOR, openOwnPage, textOf, VIEWER } from './own-page.ts';

const own = useOwnRedis();
const RIGHT = 'DE75512108001245126199';
const WRONG = 'DE75512108001245126198';
const IBAN = { column: 'IBAN', expected: 'an IBAN', code: 'iban_invalid' } as const;

type Cells = readonly [key: string, name: string, iban: string, note: string];

/** Rows 1, 3 and 5 have one wrong account, row 2 has no name, row 4 is in doubt, row 6 was rejected. */
async function openWrong(over: object = {}, lines?: readonly Cells[]) {
  const { page, seed } = await openOwnPage(own());
  const cells = lines ?? [
    ['K1', 'Ada', WRONG, 'a'],
    ['K2', '', RIGHT, 'b'],
    ['K3', 'Cy', WRONG, 'c\nd'],
    ['K4', 'Di', RIGHT, 'd'],
    ['K5', 'Ed', WRONG, 'e'],
    ['K6', 'Flo', RIGHT, 'f'],
  ];
  const ends = ['invalid', 'invalid', 'invalid', 'in-doubt', 'invalid', 'rejected'] as const;
  const run = await seed({
    rows: cells.length,
    columns: ['externalId', 'name', 'IBAN', 'note'],
    definition: {
      operation: 'counterparty.draft',
      fields: { name: 'name', 'accounts.0.iban': 'IBAN' },
      ignore: ['note'],
      required: ['name'],
      checks: { accounts: 'error' },
      ...over,
    },
    settlements: cells.map(([key, name], i) => {
      const issues = name === '' ? [{ ...IBAN, column: 'name', code: 'missing_required' as const }] : [IBAN];
      const isInvalid = ends[i] === 'invalid';
      return endedRow(i + 1, ends[i] ?? 'invalid', {
        key,
        code: isInvalid ? (issues[0]?.code ?? '') : 'http_418',
        issues: isInvalid ? issues : [],
      });
    }),
  });
  for (const [i, own] of cells.entries()) {
    const row = { kind: 'cells', row: i + 1, line: i + 2, cells: own };
    await keep(page, run, 'sources', i + 1, JSON.stringify(row));
  }
  const path = `/runs/${run.id}/correct`;
  const post = (...form: [string, string][]) => look(page, path, { method: 'POST', form });
  return { page, run, path, post };
}

const inputs = (html: string) =>
  [...html.matchAll(/<input name="(c[\d.]+)" value="([^"]*)"/g)].map(([, name, value]) => `${name} ${value}`);

test('shows the key, the name and the columns at fault of open rows; those in doubt are not there', async () => {
  const { page, path, run } = await openWrong();
  const { html } = await look(page, path);
  expect(inputs(html)).toEqual([
    'c1.1 Ada',
    `c1.2 ${WRONG}`,
    'c2.1 ',
    `c2.2 ${RIGHT}`,
    'c3.1 Cy',
    `c3.2 ${WRONG}`,
    'c5.1 Ed',
    `c5.2 ${WRONG}`,
    'c6.1 Flo',
    `c6.2 ${RIGHT}`,
  ]);
  expect(textOf(html)).toMatch(/5 open rows.*K1.*IBAN.*expected an IBAN whose check digits fit/);
  expect(html).not.toContain('c1.0');
  const ofCause = await look(page, `${path}?code=missing_required`);
  // Where the name alone is at fault the other columns say whose row it is.
  expect(inputs(ofCause.html)).toEqual(['c2.1 ', `c2.2 ${RIGHT}`, 'c2.3 b']);
  // A cell of two lines can't be typed in one.
  const whole = await look(page, `${path}?all=1`);
  expect(inputs(whole.html).filter((one) => one.includes('.3 '))).toEqual([
    'c1.3 a',
    'c2.3 b',
    'c5.3 e',
    'c6.3 f',
  ]);
  const link = `href="${path}?code=iban_invalid">Correct them here`;
  const place = path.replace('/correct', '');
  await until(async () => (await look(page, place)).html.includes(link));
  expect((await look(page, place, { visitor: VIEWER })).html).not.toContain(link);
  expect((await look(page, `/runs/${run.id}/correct?code=nothing`)).html).toContain('No open row');
});

test('each change is checked as it is typed, and can be made in all cells that said the same', async () => {
  const { post } = await openWrong();
  const typed: [string, string][] = [
    ['c1.2', RIGHT],
    ['c2.1', 'Ben'],
    ['c3.2', WRONG],
    ['c5.2', WRONG],
    ['c6.1', ''],
  ];
  const { html } = await post(...typed);
  expect(textOf(html)).toContain('Send 2 corrected rows');
  expect(textOf(html)).toContain('1 changed row can&#39;t be sent yet.');
  expect(textOf(html)).toContain('The same for 2 more rows like it');
  const same = await post(...typed, ['same', 'c1.2']);
  expect(inputs(same.html).filter((one) => one.includes(RIGHT))).toHaveLength(5);
  expect(textOf(same.html)).toContain('Send 4 corrected rows');
});

test('the changed rows that can be sent become an upload with their origins', async () => {
  const { page, run, post } = await openWrong();
  const nothing = await post(['send', '1'], ['c1.2', WRONG]);
  expect(textOf(nothing.html)).toContain('No changed row can be sent yet');
  expect(await page.uploads.list()).toEqual([]);

  const { reply } = await post(
    ['send', '1'],
    ['c1.2', RIGHT],
    ['c3.1', '=Cy'],
    ['c3.2', RIGHT],
    ['c6.1', ''],
  );
  const [upload] = await page.uploads.list();
  expect(reply).toEqual({ kind: 'redirect', to: `/uploads/${upload?.id}/check?job=${run.job}` });
  const text = await readFile(upload?.path ?? '', 'utf8');
  const lines = text.split(/\r?\n(?!d)/);
  expect(lines[0]).toBe(
    '\uFEFFexternalId,name,IBAN,note,onboard_run,onboard_row,onboard_outcome,onboard_status,onboard_code,onboard_message,onboard_text',
  );
  expect(lines[1]).toContain(`K1,Ada,${RIGHT},a,${run.id},1,invalid,`);
  expect(lines[2]).toContain(`K3,'=Cy,${RIGHT},"c\nd",${run.id},3,invalid,`);
  expect(lines.slice(3).join('')).toBe('');
});

test('rows of one key are corrected, checked and sent together', async () => {
  const { page, post } = await openWrong({ group: 'accounts' }, [
    ['K1', 'Ada', WRONG, 'a'],
    ['K1', 'Ada', RIGHT, 'b'],
    ['K2', 'Ben', WRONG, 'c'],
  ]);
  const { html } = await post(['c1.2', RIGHT]);
  expect(textOf(html)).toContain('Send 2 corrected rows');
  await post(['send', '1'], ['c1.2', RIGHT]);
  const [upload] = await page.uploads.list();
  const text = await readFile(upload?.path ?? '', 'utf8');
  expect(text.match(/^K\d/gm)).toEqual(['K1', 'K1']);
});

test('a run under way has no grid', async () => {
  const { page, seed } = await openOwnPage(own());
  const run = await seed({ rows: 2, settlements: [endedRow(1, 'invalid')], closed: false });
  const { html } = await look(page, `/runs/${run.id}/correct`);
  expect(html).toContain('The run is not over');
});

test('a group comes whole, whatever of it was at fault', async () => {
  const { post, path, page } = await openWrong({ group: 'accounts' }, [
    ['K1', 'Ada', WRONG, 'a'],
    ['K1', '', RIGHT, 'b'],
    ['K2', 'Ben', WRONG, 'c'],
  ]);
  const ofCause = await look(page, `${path}?code=missing_required`);
  expect(inputs(ofCause.html).map((one) => one.slice(0, 4))).toEqual(['c1.1', 'c1.2', 'c2.1', 'c2.2']);
  await post(['code', 'missing_required'], ['send', '1'], ['c1.2', RIGHT], ['c2.1', 'Ada']);
  const [upload] = await page.uploads.list();
  const text = await readFile(upload?.path ?? '', 'utf8');
  expect(text.match(/^K\d/gm)).toEqual(['K1', 'K1']);
});

test('what only looks damaged is ticked as right, in rows without a change, and they are sent as they stand', async () => {
  const { page, run, post } = await openWrong();
  const tick = (row: number): [string, string] => ['right', `${row}.2.iban_invalid`];
  const first = await post();
  expect(textOf(first.html)).toContain(
    'These 3 are right column "IBAN": expected an IBAN whose check digits',
  );
  expect(first.html.match(/name="right" value="[^"]*"/g)).toEqual(
    [1, 3, 5].map((row) => `name="right" value="${row}.2.iban_invalid"`),
  );
  const [, alike = ''] = /name="alike" value="([^"]*)"/.exec(first.html) ?? [];
  const all = await post(['alike', alike]);
  expect(textOf(all.html)).toContain('Send 3 rows as they stand');
  expect(textOf(all.html)).toContain('it is right (it looks damaged: expected an IBAN whose check digits');
  // A changed row goes into the file, which says of no cell that it is right.
  const mixed = await post(tick(1), tick(3), ['c3.1', 'Cyd']);
  expect(textOf(mixed.html)).toContain('Send 1 row as they stand');
  expect(textOf(mixed.html)).toContain('1 changed row can&#39;t be sent yet.');
  const mute = await post(tick(1), ['send', 'right']);
  expect(textOf(mute.html)).toContain('Say how you know that the cells are right: nothing was done.');
  const none = await post(['right', '2.1.missing_required'], ['send', 'right'], ['why', 'so']);
  expect(textOf(none.html)).toContain('No row can be sent as it stands yet');

  const ticks = [tick(1), tick(3), tick(5)];
  const { html, reply } = await post(...ticks, ['send', 'right'], ['why', 'asked the bank']);
  expect(html).toContain('The rows are a run of their own now');
  const { redis, of } = page.ledger;
  const { keys, store } = of(run.target);
  const rerun = (await store.list(10)).find(({ parent }) => parent === run.id);
  const { right } = await store.termsOf(rerun?.id ?? '');
  expect([reply.kind, right.map(([row, code]) => [row, code])]).toEqual([
    'redirect',
    [
      [1, 'iban_invalid'],
      [3, 'iban_invalid'],
      [5, 'iban_invalid'],
    ],
  ]);
  expect(JSON.stringify(right)).not.toContain(WRONG);
  const [told = ''] = (await redis.lrange(keys.audit, 0, -1)).filter((text) =>
    text.includes('asked the bank'),
  );
  expect(JSON.parse(told)).toMatchObject({ what: 'rerun', actor: 'ops-1', of: { right: 3, rows: 3 } });
  // Nobody answers here: it ends by being given up.
  const id = rerun?.id ?? '';
  await until(async () => (await store.get(id))?.state === 'running');
  await page.ask?.({ kind: 'cancel', run: id, seen: 'running', why: '' }, OPERATOR);
  await until(async () => isOver((await store.get(id)) ?? run) && (await store.leaseOf(id)) === null);
  // Its rows were not sent, and stand there now: run and cause lead to them.
  const words = [
    '2 rows of the file to correct. Correct them here…',
    `Its open rows stand in a later run: 3 in ${id}`,
  ];
  await until(async () => {
    const shown = textOf((await look(page, `/runs/${run.id}`)).html);
    return words.every((one) => shown.includes(one));
  });
});

test('a line that could not be read is shown with what its text would be in the columns, and sent once somebody says so', async () => {
  const { page, seed } = await openOwnPage(own());
  const columns = ['externalId', 'name', 'note'];
  const torn = 'K1,"Ada, Ltd",a\nK8,Gus';
  const run = await seed({
    rows: 2,
    columns,
    definition: {
      fields: { 'additionalInformation.crmId': 'externalId', 'details.name': 'name' },
      ignore: ['note'],
    },
    settlements: [1, 2].map((row) => endedRow(row, 'invalid', { key: '', code: 'unreadable_row' })),
  });
  const unread = { kind: 'unreadable', row: 1, line: 2, text: torn, problem: 'expected 3 cells, got 1' };
  await keep(page, run, 'sources', 1, JSON.stringify(unread));
  const long = { ...unread, row: 2, line: 4, text: 'x'.repeat(64 * 1024) };
  await keep(page, run, 'sources', 2, JSON.stringify(long));
  const path = `/runs/${run.id}/correct`;
  // Nothing else is open.
  expect(inputs((await look(page, path)).html)).toHaveLength(6);

  const code: [string, string] = ['code', 'unreadable_row'];
  const { html } = await look(page, `${path}?code=unreadable_row`);
  const further = ['K8', 'Gus', ''].map((cell, at) => `c1000000001.${at} ${cell}`);
  expect(inputs(html)).toEqual(['c1.0 K1', 'c1.1 Ada, Ltd', 'c1.2 a', ...further]);
  expect(textOf(html)).toContain('Row 1 could not be read. expected 3 cells, got 1.');
  expect(textOf(html)).toContain('Line 3 of it is a record of its own, with these cells');
  const unsaid = await look(page, path, {
    method: 'POST',
    form: [code, ['c1.2', 'a rest of'], ['send', '1']],
  });
  expect(textOf(unsaid.html)).toContain('No changed row can be sent yet');
  // Each of its lines is a record that can be sent, or said to be none.
  const half = await look(page, path, { method: 'POST', form: [code, ['read', '1'], ['send', '1']] });
  expect(textOf(half.html)).toContain('No changed row can be sent yet');
  expect(textOf(half.html)).toContain('1 changed row can&#39;t be sent yet.');
  const wrong: [string, string][] = [code, ['read', '1'], ['read', '1000000001'], ['c1000000001.0', '']];
  const bad = await look(page, path, { method: 'POST', form: [...wrong, ['send', '1']] });
  expect(textOf(bad.html)).toMatch(/No changed row can be sent yet.*It can&#39;t be sent yet: /);
  const rest = await look(page, path, { method: 'POST', form: [code, ['read', '1'], ['read', '1.rest']] });
  expect(textOf(rest.html)).toContain('Send 1 corrected row');
  await look(page, path, {
    method: 'POST',
    form: [code, ['c1.2', 'a rest of'], ['read', '1'], ['read', '1000000001'], ['send', '1']],
  });
  const [upload] = await page.uploads.list();
  const text = await readFile(upload?.path ?? '', 'utf8');
  // A further record stands for no row of the run: it is one of the new file's own.
  expect(text.split(/\r?\n/).slice(1, 3)).toEqual([
    `K1,"Ada, Ltd",a rest of,${run.id},1,invalid,,unreadable_row,,`,
    'K8,Gus,,,,,,,,',
  ]);
});

test('in a row that is corrected a number cell that is right is ticked as text', async () => {
  const { page, seed } = await openOwnPage(own());
  const run = await seed({
    rows: 1,
    columns: ['externalId', 'name', 'zip'],
    definition: {
      operation: 'counterparty.draft',
      fields: { name: 'name', 'address.postCode': 'zip' },
      required: ['name'],
      checks: { number_cell: 'error' },
    },
    settlements: [endedRow(1, 'invalid', { key: 'K1', code: 'missing_required' })],
  });
  const row = { kind: 'cells', row: 1, line: 2, cells: ['K1', '', '40126'], typed: [2] };
  await keep(page, run, 'sources', 1, JSON.stringify(row));
  const path = `/runs/${run.id}/correct`;
  const post = async (...form: [string, string][]) => look(page, path, { method: 'POST', form });
  const typed = await post(['c1.1', 'Ada']);
  expect(textOf(typed.html)).toContain('1 changed row can&#39;t be sent yet.');
  expect(typed.html).toContain('name="text" value="1.2.text"');
  const ticked = await post(['c1.1', 'Ada'], ['text', '1.2.text']);
  expect(textOf(ticked.html)).toContain('Send 1 corrected row');
});

test('a key that another record has already is refused as it is typed', async () => {
  const { page, seed } = await openOwnPage(own());
  const cells = (row: number, key: string) => ({ kind: 'cells', row, line: row + 1, cells: [key] });
  const run = await seed({
    rows: 3,
    settlements: [
      endedRow(1, 'created', { key: 'A1' }),
      endedRow(2, 'invalid', { key: 'A1', code: 'duplicate_key' }),
      endedRow(3, 'invalid', { key: 'A3', code: 'duplicate_key' }),
    ],
  });
  for (const [row, key] of [
    [2, 'A1'],
    [3, 'A3'],
  ] as const)
    await keep(page, run, 'sources', row, JSON.stringify(cells(row, key)));
  const { redis, of } = page.ledger;
  await setEntry(redis, of(run.target).keys, 'B1', `known ${run.id} 1 sub-1`);
  const path = `/runs/${run.id}/correct`;
  const typed = async (key: string) =>
    textOf((await look(page, path, { method: 'POST', form: [['c2.0', key]] })).html);
  expect(await typed('b1')).toContain('expected a key that no other record has, but row 1 has this one');
  expect(await typed('A3')).toContain('expected a key that no other record has, but row 3 has this one');
  expect(await typed('A9')).toContain('Send 1 corrected row');
});

test('records of JSON are corrected by their field paths', async () => {
  const { page, seed } = await openOwnPage(own());
  const run = await seed({
    rows: 1,
    columns: ['externalId', 'details.name', 'regulators.isRegulated'],
    type: 'json',
    definition: { fields: { 'additionalInformation.crmId': 'externalId' }, required: ['details.name'] },
    settlements: [endedRow(1, 'invalid', { key: 'K1', code: 'missing_required' })],
  });
  const record = { externalId: 'K1', details: { name: '' }, regulators: { isRegulated: true } };
  const row = { kind: 'record', row: 1, line: 1, text: JSON.stringify(record) };
  await keep(page, run, 'sources', 1, JSON.stringify(row));
  const path = `/runs/${run.id}/correct`;
  expect(inputs((await look(page, path)).html)).toContain('c1.1 ');
  const form: [string, string][] = [
    ['send', '1'],
    ['c1.1', 'Ada'],
  ];
  await look(page, path, { method: 'POST', form });
  const [upload] = await page.uploads.list();
  expect(upload?.given).toBe(`corrected-${run.id}.ndjson`);
  const text = await readFile(upload?.path ?? '', 'utf8');
  expect(JSON.parse(text)).toMatchObject({
    ...record,
    details: { name: 'Ada' },
    _onboard: { run: run.id, row: 1 },
  });
});
