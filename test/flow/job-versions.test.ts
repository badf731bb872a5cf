import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { fileLines, startInboxFlow } from '../support/inbox.ts';
import { enterPage, originOfPage, PAGE_TOKEN } from '../support/page.ts';
import { newestRun } from '../support/run-control.ts';
import { until } from '../support/until.ts';

const JOB = `operation: subclient.create
files: "partner*"
key: Ref
fields:
  details.name: Short # by its name
  kyc.details.incorporationDate: { column: Since, as: date, pattern: yyyy-MM-dd }
ignore: [ Legal ]
`;
const ROWS =
  'Ref,Short,Legal,Since\nA1,One,One Ltd,2020-01-31\nA2,Two,Two,31.01.2020\nA3,Three,Three,2020-01-31\n';

test('a job is corrected on the page after it was tried on what was delivered; the run keeps its own, and its rows go by the corrected one', async () => {
  const { flow, start, drop } = await startInboxFlow({ partner: JOB });
  await drop('partner.csv', ROWS);
  const [line] = fileLines(await start(['start', '--once']).ended);
  expect(line).toMatchObject({ rows: 3, result: 'done' });
  const first = await newestRun(flow);
  const port = await freePort();
  start(['start', '--web', `127.0.0.1:${port}`], { ONBOARD_WEB_TOKEN: PAGE_TOKEN });
  const ops = await enterPage(await originOfPage(port));

  expect(await ops.look(`/runs/${first}/rerun`)).toContain(`/jobs/partner/change?run=${first}`);
  const opened = await ops.look(`/jobs/partner/change?run=${first}`);
  const place = await ops.post('/jobs/partner/change', {
    as: 'form',
    base: /name="base" value="(\w+)"/.exec(opened)?.[1] ?? '',
    run: first,
    'column/details.name': 'Legal',
    'pattern/kyc.details.incorporationDate': 'yyyy-MM-dd\r\ndd.MM.yyyy',
    ignore: 'Short',
  });
  expect(place).toMatch(/^\/jobs\/partner\/drafts\/\w+$/);
  const before = flow.sandbox.stats();
  let tried = '';
  await until(async () => {
    tried = await ops.look(place);
    return tried.includes('Save it');
  });
  expect(tried).toContain(
    '1 of 1 invalid row would have passed; 1 that stand at the service would be sent differently; 1 as they stand there.',
  );
  expect(flow.sandbox.stats()).toEqual(before);
  const file = join(flow.home, 'jobs', 'partner.yaml');
  expect(await readFile(file, 'utf8')).toBe(JOB);

  const rerun = await ops.post(place, { why: 'two forms of dates' });
  expect(rerun).toContain('Version 2 of partner is saved');
  expect(rerun).toContain('None of the 1 row looked at would be invalid by its cells.');
  expect(await readFile(file, 'utf8')).toBe(
    JOB.replace('Short #', 'Legal #')
      .replace('yyyy-MM-dd }', '[ yyyy-MM-dd, dd.MM.yyyy ] }')
      .replace('[ Legal ]', '[ Short ]'),
  );
  // As the run had its job its row is what it was.
  expect(rerun).toContain('1 of the 1 row looked at would be invalid again');
  await ops.post(`/runs/${first}/rerun`, { only: 'invalid', as: 'now' });
  await until(() => flow.sandbox.stats().made.subclients === before.made.subclients + 1);
  expect(await flow.look(['audit'])).toMatch(/job-changed .*ops-1/);
});
