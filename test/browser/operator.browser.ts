import { expect, test } from 'vitest';
import { createJob } from '../support/flow.ts';
import { startFront, truthOf } from '../support/front.ts';
import { rowsOf } from '../support/inbox.ts';
import { until } from '../support/until.ts';
import { hindrances, useBrowser } from './support/browser.ts';
import { badge, chooseFile, load, startSite } from './support/site.ts';

// What is refused is answered with a status of its own, which Chromium tells of.
const { open } = useBrowser(/^Failed to load resource: the server responded with a status of 4/);

test('a file of one’s own becomes a job, a check and a run that counts to its end, from the page alone', async () => {
  const site = await startSite(open, { other: createJob() });
  const page = await site.operator();
  await chooseFile(page, { name: 'partner.csv', text: rowsOf('New', 20) });
  await page.getByRole('link', { name: 'Make a new job for it' }).click();
  const fields = () =>
    page.evaluate(`[...document.querySelectorAll('td input[list]')].map((one) => one.value)`);
  const proposed = await fields();
  expect(proposed).toContain('details.name');
  for (const operation of ['counterparty.draft', 'subclient.create']) {
    await page.getByLabel('What is to be done').selectOption(operation);
    await page.locator(`input[name=mapped-for][value="${operation}"]`).waitFor({ state: 'attached' });
    if (operation === 'counterparty.draft') expect(await fields()).not.toEqual(proposed);
  }
  expect(await fields()).toEqual(proposed);
  await page.getByLabel('Name of the job').fill('partner');
  await page.getByLabel('field of details.name').fill('details.name');
  await page.getByLabel('field of externalId').fill('additionalInformation.crmId');
  await page.getByRole('radio', { name: 'externalId' }).check();
  await page.getByText('New 1 Ltd').first().waitFor();
  await page.getByRole('button', { name: 'Save the job and go on' }).click();
  await page.getByText('20 rows, all can be sent').waitFor();
  expect(site.flow.sandbox.stats().made.subclients).toBe(0);
  await page.locator('input[name=host]').fill(await page.locator('label b').first().innerText());
  await page.getByRole('button', { name: 'Start: 20 requests' }).click();
  await badge(page, 'finished').waitFor();
  await page.getByText('the sum holds').waitFor();
  expect(site.flow.sandbox.stats().made.subclients).toBe(20);
});

test.each([
  ['with the page’s script', true],
  ['without it', false],
])('%s the key is decided by keyboard, and until then nothing is saved', async (_, javaScriptEnabled) => {
  const site = await startSite(open, { other: createJob() });
  const uploads = await site.operator();
  await chooseFile(uploads, { name: 'partner.csv', text: rowsOf('New', 3) });
  const page = await site.operator('ops-1', { javaScriptEnabled });
  await page.goto(`${uploads.url()}/map`);
  const state = page.getByRole('status').filter({ hasText: 'key' });
  expect(await page.getByRole('radio', { checked: true }).count()).toBe(0);
  await page.getByRole('button', { name: 'Save the job and go on' }).click();
  await page.getByRole('alert').getByText('The key is not decided').waitFor();
  expect(await state.innerText()).toContain('The key is not decided');

  await page.getByLabel('Name of the job').focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowUp');
  expect(await page.getByRole('radio', { name: 'details.name is the key' }).isChecked()).toBe(true);
  await page.keyboard.press('ArrowUp');
  const none = page.getByRole('radio', { name: 'no key' });
  expect(await none.isChecked()).toBe(true);
  if (javaScriptEnabled) await state.getByText('needs the tick').waitFor();
  await page.getByRole('button', { name: 'Save the job and go on' }).click();
  await page.getByRole('alert').getByText('needs the tick').waitFor();
  if (javaScriptEnabled) expect(await hindrances(page)).toEqual([]);

  await none.focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  if (javaScriptEnabled) await state.getByText('The job has no key').waitFor();
  expect(await page.getByRole('checkbox', { name: /^Without a key/ }).isChecked()).toBe(true);
  await page.getByRole('button', { name: 'Save the job and go on' }).click();
  await page.waitForURL(/\/check\?job=partner$/);
  await uploads.goto(page.url());
  await uploads.getByText('the job names no key').waitFor();
});

test('a run is paused, goes on, and is given up once that is confirmed; who comes second changes nothing', async () => {
  const site = await startSite(open, { slow: createJob('concurrency: 1') }, ['latency=300ms']);
  const first = await site.operator('ops-1');
  const run = await load(first, 'slow', { name: 'slow.csv', text: rowsOf('Slow', 400) });
  const second = await site.operator('ops-2');
  await second.goto(site.origin + run);
  await badge(second, 'running').waitFor();
  // What the second one looks at from now on is what was true then.
  await second.getByRole('button', { name: 'Pause updates' }).click();
  await first.getByRole('button', { name: 'Pause…', exact: true }).click();
  await first.getByLabel('Why').fill('the partner calls');
  await first.getByRole('button', { name: 'Pause the run' }).click();
  await first.getByRole('status').getByText('The run is paused').waitFor();
  await badge(first, 'paused').waitFor();
  await first.getByText('the partner calls').first().waitFor();
  await first.reload();
  await badge(first, 'paused').waitFor();
  expect(await first.getByText('✓ The run is paused').count()).toBe(0);
  await second.getByRole('button', { name: 'Pause…', exact: true }).click();
  await second.getByRole('heading', { name: 'Somebody was faster' }).waitFor();

  await first.getByRole('button', { name: 'Resume' }).click();
  await first.getByRole('status').getByText('The run goes on').waitFor();
  await badge(first, 'running').waitFor();
  await first.getByRole('button', { name: 'Cancel…' }).click();
  await first.getByRole('heading', { name: 'Cancel the run?' }).waitFor();
  await first.getByLabel('Why').fill('wrong file');
  await first.getByRole('button', { name: 'Cancel the run' }).click();
  await first.getByRole('status').getByText('The run is cancelled').waitFor();
  await badge(first, 'cancelled').waitFor();
  await first.getByText('wrong file').first().waitFor();
  expect(site.flow.sandbox.stats().made.subclients).toBeLessThan(400);
});

/** Names of which some are rejected for one cause, some for another, and some go through. */
const MIXED = ['Denied 1', 'Gone 1', 'Gone 2', 'Gone 3', 'Fine 1', 'Fine 2', 'Fine 3', 'Fine 4'].map(
  (name) => `${name},${name} Ltd`,
);

test('rows are sent again: of one cause, of one outcome, and all; the service sees just those', async () => {
  const site = await startSite(open, { mixed: createJob() }, [
    '403=always;key=Denied',
    '404=always;key=Gone',
  ]);
  const page = await site.operator();
  const file = { name: 'mixed.csv', text: ['externalId,details.name', ...MIXED, ''].join('\n') };
  const run = await load(page, 'mixed', file);
  await badge(page, 'finished').waitFor();
  const made = () => site.flow.sandbox.stats().made.subclients;
  expect(made()).toBe(4);
  site.flow.sandbox.setFaults(['404=always;key=Gone']);

  await page
    .locator('section.cause', { hasText: '404' })
    .getByRole('button', { name: 'Run these again' })
    .click();
  await page.getByText('the cause that you came from').waitFor();
  await page.getByRole('button', { name: 'Send them again' }).click();
  await page.getByRole('status').getByText('a run of their own now').waitFor();
  await badge(page, 'finished').waitFor();
  await page.getByText('the sum holds').waitFor();
  expect(await page.locator('[data-live]').innerText()).toContain('3 failed');
  const ofCause = page.url();
  expect(made()).toBe(4);

  await page.goto(site.origin + run);
  await page.getByRole('button', { name: 'Run again what did not succeed' }).click();
  // Those stand in the run of before now.
  expect(await page.getByRole('checkbox', { name: 'failed' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Send them again' }).click();
  await page.getByRole('status').getByText('a run of their own now').waitFor();
  await badge(page, 'finished').waitFor();
  expect(made()).toBe(5);

  site.flow.sandbox.setFaults([]);
  await page.goto(ofCause);
  await page.getByRole('button', { name: 'Run again what did not succeed' }).click();
  await page.getByRole('button', { name: 'Send them again' }).click();
  await page.getByRole('status').getByText('a run of their own now').waitFor();
  await badge(page, 'finished').waitFor();
  expect(made()).toBe(MIXED.length);
  expect(site.flow.sandbox.stats().duplicateKeys).toBe(0);
});

const LOST = ['externalId,details.name', 'Lost 1,Lost 1 Ltd', 'Lost 2,Lost 2 Ltd', 'Fine,Fine Ltd', ''].join(
  '\n',
);

test('rows in doubt are settled one after the other, as created and as not; what somebody else has settled stays', async () => {
  const site = await startSite(open, { lost: createJob() }, ['reset-after-create=always;key=Lost']);
  const page = await site.operator('ops-1');
  const run = await load(page, 'lost', { name: 'lost.csv', text: LOST });
  await badge(page, 'finished').waitFor();
  await page.getByRole('link', { name: 'Settle them' }).first().click();
  await page.getByText('2 rows may exist at the service.').waitFor();
  const second = await site.operator('ops-2');
  await second.goto(page.url());

  await page.getByRole('button', { name: 'Record as ops-1' }).click();
  await page.getByRole('alert').getByText('Say what became of the row').waitFor();
  const ids = [...site.flow.sandbox.entities('subclient')].map(({ id }) => id);
  await page.getByLabel('Its id at the service').fill(ids[0] ?? '');
  await page.getByRole('button', { name: 'Record as ops-1' }).click();
  await page.getByText('1 settled · 1 left').waitFor();

  await second.getByRole('radio', { name: 'It was not created' }).check();
  await second.getByRole('button', { name: 'Record as ops-2' }).click();
  await second.getByRole('alert').waitFor();

  // Typing into the field that c leads to commands nothing.
  await page.keyboard.press('c');
  await page.keyboard.type('nsc');
  const id = page.getByLabel('Its id at the service');
  expect([
    await id.inputValue(),
    await page.getByRole('radio', { name: 'under the id' }).isChecked(),
  ]).toEqual(['nsc', true]);
  await id.fill('');
  await id.blur();
  await page.keyboard.press('n');
  await page.keyboard.press('Enter');
  await page.getByText('To record that, type Lost 2').waitFor();
  expect(await hindrances(page)).toEqual([]);
  await page.keyboard.type('Lost 2');
  await page.keyboard.press('Enter');
  await page.getByText('No row is in doubt any more: 2 rows settled').waitFor();
  const { outcomes } = JSON.parse(await site.flow.look(['status', run.slice('/runs/'.length), '--json']));
  expect(outcomes).toMatchObject({ created: 2, 'in-doubt': 0 });
});

const LOOK_UP = 'lookup: { path: "/v1/things?ref={key}", match: /data/items, id: /record/id }\n';

test('what a look-up can’t tell apart is chosen by somebody; asked again, it settles what it finds once', async () => {
  let isTwice = true;
  // The stand-in knows them by their names.
  const names = ['Lost 1 Ltd', 'Lost 2 Ltd', 'Fine Ltd'];
  const site = await startSite(
    open,
    { lost: `${createJob()}${LOOK_UP}` },
    ['reset-after-create=always;key=Lost'],
    async ({ sandbox }) =>
      (await startFront(sandbox, (key) => (isTwice && key.startsWith('Lost') ? `other-${key}` : null))).env,
  );
  const page = await site.operator();
  const run = await load(page, 'lost', {
    name: 'lost.csv',
    text: ['externalId,details.name', ...names.map((name) => `${name},${name}`), ''].join('\n'),
  });
  await badge(page, 'finished').waitFor();
  await page.getByRole('link', { name: 'Settle them' }).first().click();
  // The look-up comes after the run's end.
  await until(async () => {
    await page.reload();
    return page.getByText('found twice or more').isVisible();
  });
  await page.getByRole('radio', { name: 'as other-Lost 1 Ltd' }).waitFor();
  const [id = ''] = truthOf(site.flow.sandbox).get('Lost 1 Ltd') ?? [];
  await page.getByRole('radio', { name: `as ${id}` }).check();
  await page.getByRole('button', { name: 'Record as ops-1' }).click();
  await page.getByText('1 settled · 1 left').waitFor();

  isTwice = false;
  await page.getByRole('button', { name: 'Look them up at the service' }).click();
  await page.goto(`${site.origin}${run}/doubts`);
  await page.getByText('No row is in doubt any more: 2 rows settled').waitFor();
  expect(site.flow.sandbox.stats()).toMatchObject({ made: { subclients: 3 }, duplicateKeys: 0 });
});

test('decisions of a file are shown before they are recorded, and then stand', async () => {
  const site = await startSite(open, { lost: createJob() }, ['reset-before=always;key=Lost']);
  const page = await site.operator();
  const run = await load(page, 'lost', { name: 'lost.csv', text: LOST });
  await badge(page, 'finished').waitFor();
  const id = run.slice('/runs/'.length);
  const inDoubt = () => site.flow.report({ run: id }, 'in-doubt.csv').catch(() => '');
  await until(async () => (await inDoubt()) !== '');
  const [head = '', ...lines] = (await inDoubt()).trimEnd().split('\n');
  const text = [head, ...lines.map((line) => `${line}not-created`), ''].join('\n');
  await page.goto(`${site.origin}${run}/doubts`);
  await page.getByText('Many at once, by file').click();
  const file = { name: 'in-doubt.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
  await page.locator('[data-upload] input[type=file]').setInputFiles(file);
  await page.getByText('The file says of 2 rows: 0 created, 2 not created.').waitFor();
  expect(await hindrances(page)).toEqual([]);
  await page.getByRole('button', { name: 'Record 2 decisions' }).click();
  await page.getByText('No row is in doubt any more: 2 rows settled').waitFor();
  const { outcomes } = JSON.parse(await site.flow.look(['status', id, '--json']));
  expect(outcomes).toMatchObject({ failed: 2, created: 1, 'in-doubt': 0 });
});

test('who may only look sees no cell and no button, and is refused what needs an operator', async () => {
  const site = await startSite(open, { mixed: createJob() }, ['404=always;key=Gone']);
  const ops = await site.operator();
  const run = await load(ops, 'mixed', {
    name: 'mixed.csv',
    text: ['externalId,details.name', ...MIXED, ''].join('\n'),
  });
  await badge(ops, 'finished').waitFor();
  const page = await site.viewer();
  await page.goto(site.origin + run);
  await page.getByText('Why rows did not succeed').waitFor();
  expect(await page.locator('main form').count()).toBe(0);
  for (const path of [run, `${run}/rows`, '/', '/runs', '/system', '/jobs']) {
    await page.goto(site.origin + path);
    expect(await page.locator('body').innerText(), path).not.toMatch(/Gone \d Ltd/);
  }
  for (const act of ['pause', 'resume', 'cancel', 'rerun', 'resolve', 'look-up']) {
    const status = await page.evaluate(
      `fetch('${run}/${act}', { method: 'POST', body: new URLSearchParams({ seen: 'finished' }) }).then(({ status }) => status)`,
    );
    expect(status, act).toBe(403);
  }
  await until(async () => site.flow.sandbox.stats().made.subclients === 5);
});
