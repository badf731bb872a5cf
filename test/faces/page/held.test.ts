import { expect, test } from 'vitest';
import { useOwnRedis } from '../../support/redis.ts';
import { endedRow } from '../../support/settled-row.ts';
import { setAccount, setEntry } from '../../support/stored.ts';
import { until } from '../../support/until.ts';
import { keep, look, openOwnPage, textOf, VIEWER } from './own-page.ts';

const own = useOwnRedis();
const SPACE = 'counterparty';
const IBAN = 'DE75512108001245126199';

/** Row 1 has another payee's account, row 2 another than is known of it; row 3 is wrong otherwise. */
async function openHeld() {
  const { page, seed } = await openOwnPage(own());
  const run = await seed({
    rows: 3,
    columns: ['externalId', 'name', 'iban'],
    definition: {
      operation: 'counterparty.draft',
      fields: { name: 'name', 'accounts.0.iban': 'iban' },
      guard: { accounts: 'hold' },
    },
    settlements: [
      endedRow(1, 'invalid', { code: 'account_shared' }),
      endedRow(2, 'invalid', { code: 'account_changed' }),
      endedRow(3, 'invalid', { code: 'empty_row' }),
    ],
  });
  const { redis, ...ledger } = page.ledger;
  const { keys } = ledger.of(run.target);
  for (const row of [1, 2]) {
    const cells = [`K${row}`, `Payee ${row}`, IBAN];
    await keep(page, run, 'sources', row, JSON.stringify({ kind: 'cells', row, line: row + 1, cells }));
  }
  await setAccount(redis, { keys, space: SPACE }, { iban: IBAN, name: 'Ada' }, 'k run-before 1');
  await setEntry(redis, keys, 'K2', 'k run-before 2 made-2', { space: SPACE });
  const path = `/runs/${run.id}/held`;
  const post = async (...form: [string, string][]) =>
    textOf((await look(page, path, { method: 'POST', form })).html);
  return { page, path, post };
}

test('rows that are held for their account are shown by why they are, and nothing else is', async () => {
  const { page, path } = await openHeld();
  const place = path.replace('/held', '');
  const { reply, html } = await look(page, path);
  expect(reply).toMatchObject({ title: 'Rows held for their account' });
  expect(html.match(/type="checkbox" name="rows" value="\d"/g)).toHaveLength(2);
  const text = textOf(html);
  expect(text).toMatch(
    /Call the payee first.*Another account than is known.*2K2Payee 2.*An account of another payee.*1K1Payee 1/,
  );
  expect(text).toContain(
    'one that is in no file here is known, the row has …6199, which row 1 of run run-before has under another name',
  );
  expect(html).not.toContain(IBAN);
  const link = `href="${path}">Decide on their accounts`;
  await until(async () => (await look(page, place)).html.includes(link));
  expect((await look(page, place, { visitor: VIEWER })).html).not.toContain(link);
});

test('an operator says of each kind what is true of it, and why', async () => {
  const { page, path, post } = await openHeld();
  const why: [string, string] = ['why', 'called back'];
  expect(await post(['code', 'account_shared'], why)).toContain('Expected rows to be chosen');
  expect(await post(['code', 'account_shared'], ['rows', '1'])).toContain('Say how you know');
  expect(await post(['code', 'account_shared'], ['rows', '3'], why)).toContain('expected a row that it held');
  expect(await post(['code', 'account_shared'], ['rows', '1'], why)).toContain(
    'Several payees may have 1 more account',
  );
  expect(await post(['code', 'account_changed'], ['rows', '2'], why)).toContain('1 row written off');
  const asViewer = await look(page, path, {
    method: 'POST',
    form: [['code', 'account_shared'], ['rows', '1'], why],
    visitor: VIEWER,
  });
  expect(textOf(asViewer.html)).toContain('That is for operators');
  const text = textOf((await look(page, path)).html);
  expect(text).not.toContain('Another account than is known');
});
