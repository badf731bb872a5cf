import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { jobDefinitionSchema } from '../../../src/config/job-definition.ts';
import { resolveRows } from '../../../src/engine/ledger/resolve.ts';
import { createDigests } from '../../../src/faces/page/digests.ts';
import type { Visitor } from '../../../src/model/ask.ts';
import { atPage } from '../../../src/model/audit.ts';
import { writeOff } from '../../../src/runs/account.ts';
import { jobFileOf } from '../../../src/runs/adopt.ts';
import { writeReportOf } from '../../../src/runs/report.ts';
import { actingAs } from '../../../src/session.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { newRun } from '../../support/runs.ts';
import { doubtOf, endedRow } from '../../support/settled-row.ts';
import { setEntry } from '../../support/stored.ts';
import { until } from '../../support/until.ts';
import { keep, look, OPERATOR, openOwnPage, textOf, VIEWER } from './own-page.ts';

const own = useOwnRedis();

/** 250 rows in three chunks: every fifth was refused, in the same words. */
const ROWS = Array.from({ length: 250 }, (_, i) =>
  i % 5 === 4 ? endedRow(i + 1, 'rejected', { code: 'http_418', status: 418 }) : endedRow(i + 1, 'created'),
);

async function openRun() {
  const { page, seed } = await openOwnPage(own());
  const run = await seed({ rows: 250, settlements: ROWS });
  for (const { row, outcome } of ROWS)
    if (outcome === 'rejected') await keep(page, run, 'bodies', row, '{"errors":["the town is unknown"]}');
  return { page, run, seed };
}

test('a run without a report is counted from its closed chunks: causes, where, and how far that is', async () => {
  const { page, run } = await openRun();
  expect((await look(page, `/runs/${run.id}`)).html).toContain('Read so far: 0 of the 250 rows');
  await until(async () => (await page.digests(run)).read === 250);
  const text = textOf((await look(page, `/runs/${run.id}`)).html);
  expect(text).not.toContain('Read so far');
  expect(text).toMatch(/50the town is unknownrejected, all of them http_418/);
  expect(text).toContain('Rows 5 (line 6, K5) · 10 (line 11, K10) · 15 (line 16, K15) · …');
});

test('a row that a person has decided since is counted as decided', async () => {
  const { page, seed } = await openRun();
  const run = await seed({ rows: 2, settlements: [endedRow(1, 'created'), doubtOf(2)] });
  let ms = 0;
  // Whoever asks is told that much time has passed, so that each question is looked into.
  const digests = createDigests({ ...page, clock: { ...page.clock, now: () => (ms += 10_000) } });
  await until(async () => (await digests(run)).outcomes['in-doubt'] === 1);
  const decision = { kind: 'created', id: 'sub-2' } as const;
  const decisions = [{ row: 2, decision }];
  const { keys } = page.ledger.of(run.target);
  await resolveRows(page.ledger.redis, keys, { run, by: 'ops-1', at: new Date(), decisions });
  await until(async () => (await digests(run)).outcomes['in-doubt'] === 0);
  expect((await digests(run)).outcomes.created).toBe(2);
});

test('a run begins with its verdict; rows in doubt lead operators to where they are settled', async () => {
  const { page, seed, run } = await openRun();
  const { reply, html } = await look(page, `/runs/${run.id}`);
  expect(reply).toMatchObject({ title: 'a.csv: subclients-create' });
  expect(textOf(html)).toMatch(
    /· a\.csvRun .*200 of 250 rows are at the service✗ 50 rows did not succeed: the causes are below\..*finished/,
  );
  const doubtful = await seed({ rows: 2, settlements: [endedRow(1, 'created'), doubtOf(2)] });
  const path = `/runs/${doubtful.id}`;
  expect((await look(page, path)).html).toMatch(/1 row may exist at the service\. <a href="[^"]*\/doubts">/);
  expect((await look(page, path, { visitor: VIEWER })).html).not.toContain('/doubts">Settle');
  const moving = await seed({ rows: 3, settlements: [endedRow(1, 'created')], closed: false });
  const words = textOf((await look(page, `/runs/${moving.id}`)).html);
  expect(words).toContain('2 rows still to be sent: the run is');
  expect(words).not.toContain('Nothing is left to do');
});

test('a run leads to the delivery before it, where there is one', async () => {
  const { page, seed } = await openOwnPage(own());
  const [first, second] = [
    await seed({ rows: 1, settlements: [endedRow(1, 'created')] }),
    await seed({ rows: 1, settlements: [endedRow(1, 'created')], closed: false }),
  ];
  const words = `<a href="/runs/${first.id}">against the delivery of 2026-11-21 (run ${first.id})</a>`;
  expect((await look(page, `/runs/${second.id}`)).html).toContain(words);
  expect((await look(page, `/runs/${first.id}`)).html).not.toContain('against the delivery');
});

test('a run whose rows were written off says what is left of its file, not what once went wrong', async () => {
  const { page, seed } = await openRun();
  const request = { by: 'ops-1', at: new Date().toISOString(), why: 'closed' };
  const wrong = [endedRow(1, 'created'), endedRow(2, 'rejected'), endedRow(3, 'invalid')];
  const wordsOf = async (rows: readonly number[]) => {
    const run = await seed({ rows: 3, settlements: wrong });
    await writeOff(run, { kind: 'rows', rows }, request, page.ledger);
    return textOf((await look(page, `/runs/${run.id}`)).html);
  };
  expect(await wordsOf([2])).toMatch(/✗ 1 row of the file to correct\..*1 written off \+ 1 open/);
  expect(await wordsOf([2, 3])).toMatch(/✓ Nothing is left to do\..*2 written off \+ 0 open/);
});

test('rows to be written off are chosen among those that are open; more than 50 have a field for numbers', async () => {
  const { page, seed } = await openOwnPage(own());
  const rows = [1, 2, 3].map((row) => endedRow(row, 'rejected', { code: 'http_418', key: `K<${row}>` }));
  const run = await seed({ rows: 5, settlements: [...rows, doubtOf(4), endedRow(5, 'created')] });
  const place = `/runs/${run.id}/write-off`;
  const { html } = await look(page, place);
  expect(html.match(/type="checkbox" name="rows" value="\d+"/g)).toHaveLength(3);
  expect(textOf(html)).toContain('RowKeyOutcomeCode 1K&lt;1&gt;rejectedhttp_418 2K&lt;2&gt;');
  const post = async (form: [string, string][], at = place) =>
    textOf(
      (await look(page, at, { method: 'POST', form: [['cause', ''], ['why', 'closed'], ...form] })).html,
    );
  expect(await post([])).toContain('Expected rows to be ticked');
  expect(
    await post([
      ['rows', '1'],
      ['rows', '3'],
    ]),
  ).toContain('2 rows written off.');
  expect((await look(page, place)).html.match(/name="rows" value="\d+"/g)).toEqual(['name="rows" value="2"']);
  expect(await post([['rows', '2']])).toContain('1 row written off.');
  expect(textOf((await look(page, place)).html)).toContain('No row of this run is open');
  const many = Array.from({ length: 52 }, (_, i) => endedRow(i + 1, 'failed'));
  const large = await seed({ rows: 52, settlements: many });
  const all = `/runs/${large.id}/write-off`;
  expect((await look(page, all)).html).toMatch(
    /value="50".*And 2 more, by their numbers: <input name="rows"/s,
  );
  expect(
    await post(
      [1, '', '51, 52'].map((typed) => ['rows', String(typed)]),
      all,
    ),
  ).toContain('3 rows written off.');
});

test('an operator is given the answer to the partner, in his language, and its workbook', async () => {
  const { page, run } = await openRun();
  const place = `/runs/${run.id}`;
  expect((await look(page, place)).html).toContain(`action="${place}/reply"`);
  expect((await look(page, place, { visitor: VIEWER })).html).not.toContain('/reply"');
  const form = { language: 'de' };
  const { html } = await look(page, `${place}/reply`, { method: 'POST', form });
  expect(textOf(html)).toContain('250 erhalten, 200 angenommen, 50 zu korrigieren, 0 nicht angenommen.');
  expect(html).toContain(`href="${place}/files/reply.xlsx"`);
  const { reply } = await look(page, `${place}/files/reply.xlsx`);
  expect(reply).toMatchObject({ kind: 'download', name: 'reply.xlsx' });
  const refused = await look(page, `${place}/reply`, { method: 'POST', form, visitor: VIEWER });
  expect(textOf(refused.html)).toContain('That is for operators');
});

/** Rows 1 and 2 can't be sent as they are, row 3 was refused, row 4 is at the service. */
async function openWrong() {
  const { page, seed } = await openOwnPage(own());
  const run = await seed({
    rows: 4,
    columns: ['externalId', 'details.name', 'Reg'],
    definition: { fields: { 'regulators.isRegulated': 'Reg' } },
    settlements: [
      endedRow(1, 'invalid', { code: 'cell_not_convertible' }),
      endedRow(2, 'invalid', { code: 'cell_not_convertible' }),
      endedRow(3, 'rejected', { code: 'http_418', status: 418 }),
      endedRow(4, 'created'),
    ],
  });
  for (const [row, reg] of [
    [1, 'perhaps'],
    [2, 'maybe'],
    [3, 'yes'],
  ] as const) {
    const cells = [`K${row}`, `Name ${row}`, reg];
    await keep(page, run, 'sources', row, JSON.stringify({ kind: 'cells', row, line: row + 1, cells }));
  }
  return { page, run };
}

test('before rows are sent again it is said which, and how many would be invalid again', async () => {
  const { page, run } = await openWrong();
  const asked = async (query: string) => {
    const { html } = await look(page, `/runs/${run.id}/rerun?${query}`);
    return { html, text: textOf(html) };
  };
  const { html, text } = await asked('');
  expect(text).toMatch(
    /as this run had it ?✗ 2 of the 3 rows looked at would be invalid again: 2 × cell_not_convertible in “Reg”.*as it is now/,
  );
  expect(html).not.toContain('perhaps');
  expect((await asked('only=rejected')).text).toContain(
    'None of the 1 row looked at would be invalid by its cells.',
  );
  expect((await asked('only=invalid')).text).toContain('2 of the 2 rows looked at would be invalid again');
});

test('a cause of which nothing is open any more says so, and offers nothing', async () => {
  const { page, run } = await openWrong();
  const path = `/runs/${run.id}`;
  const cardOf = async (code: string) => {
    const { html } = await look(page, path);
    return html.split('<section class="cause').find((card) => card.includes(code)) ?? '';
  };
  await until(async () => (await look(page, path)).html.includes('Correct them here'));
  expect((await look(page, path)).html).toMatch(/3 rows did not succeed[^<]*<a href="[^"]*\/correct">/);
  const write = async (row: number) => {
    const form: [string, string][] = [
      ['cause', ''],
      ['why', 'closed'],
      ['rows', String(row)],
    ];
    await look(page, `${path}/write-off`, { method: 'POST', form });
  };
  await write(1);
  expect(await cardOf('cell_not_convertible')).toContain('/correct?code=cell_not_convertible');
  // What was done is seen at once.
  await write(2);
  const done = await cardOf('cell_not_convertible');
  expect(textOf(done)).toContain('✓ Nothing of it is left to do');
  expect(done).not.toMatch(/\/correct|\/write-off|action=/);
  expect(await cardOf('http_418')).toContain('/correct?code=http_418');
  const again = textOf((await look(page, `${path}/rerun`)).html);
  expect(again).toContain('1 row rejected');
  expect(again).not.toMatch(/\d rows? invalid/);
});

test('rows of a cause are shown before they are written off, and no others', async () => {
  const { page, run } = await openWrong();
  await writeReportOf(run, page);
  const cause = (await page.digests(run)).causes.find(({ outcome }) => outcome === 'invalid')?.id ?? '';
  const { html } = await look(page, `/runs/${run.id}/write-off?cause=${cause}`);
  expect(textOf(html)).toMatch(/RowKeyNameOutcomeCode ?1K1Name 1invalid.*2K2Name 2invalid/);
  expect(textOf(html)).toContain('Write 2 rows off');
  expect(html).not.toMatch(/K3|name="rows"/);
});

test('a run of adopted records says so, and its job is the one with a file', async () => {
  const { page, seed } = await openOwnPage(own());
  const adopted = await seed({
    rows: 1,
    settlements: [endedRow(1, 'adopted')],
    definition: { operation: 'subclient.adopt', fields: { id: 'id' }, approval: 'required' },
    columns: ['externalId', 'id'],
  });
  const words = textOf((await look(page, `/runs/${adopted.id}`)).html);
  expect(words).toContain('1 of 1 row is known by an id now');
  expect(jobFileOf({ job: 'partner.adopt', operation: adopted.operation })).toBe('partner');
  expect(jobFileOf({ job: 'partner.adopt', operation: 'subclient.create' })).toBe('partner.adopt');
  const again = await look(page, `/runs/${adopted.id}/rerun`);
  expect(again.html).not.toContain('value="now"');
});

test('a viewer sees keys, and neither names of files nor what can be done', async () => {
  const { page, run } = await openRun();
  await writeReportOf(run, page);
  const seen = async (visitor: typeof OPERATOR | typeof VIEWER) =>
    (await look(page, `/runs/${run.id}`, { visitor })).html;
  const [operator, viewer] = [await seen(OPERATOR), await seen(VIEWER)];
  for (const html of [operator, viewer]) expect(html).toMatch(/>Report<.*<bdi>K5</s);
  for (const theirs of ['/files/', '/rerun"', '/note?run=']) {
    expect(operator).toContain(theirs);
    expect(viewer).not.toContain(theirs);
  }
});

test('a run that waits for approval says what was checked, and to whom it can be left', async () => {
  const { page } = await openOwnPage(own());
  const definition = jobDefinitionSchema.parse({ operation: 'subclient.create', approval: 'required' });
  const counts = { sendable: 1, invalid: 1, skipped: 1, waiting: 0 };
  const checked = { counts, plan: '5d41402abc4b2a76', unsent: [2, 3] };
  const run = newRun({ definition, target: page.service.target, checked });
  const { store } = actingAs(page, atPage(OPERATOR.name)).ledger.of(run.target);
  await store.register(run);
  await page.ledger.index.add(run.id, run.target, new Date());
  const path = `/runs/${run.id}`;
  const other = { name: 'ops-2', role: 'operator' } as const;
  const seen = async (visitor: Visitor) => (await look(page, path, { visitor })).html;
  for (const visitor of [OPERATOR, VIEWER, other]) {
    const text = textOf(await seen(visitor));
    expect(text).toContain('a.csvchecked3 rows, 1 would be invalid, 1 would be skipped, 1 can be sent');
    expect(text).toContain('by ops-1 (page), not approved');
    expect((await seen(visitor)).includes(`href="${path}/approve"`)).toBe(visitor === other);
    expect(await seen(visitor)).not.toMatch(/\/resume|method="post"/);
    expect(await seen(visitor)).toContain(`<a href="/jobs/${run.job}">`);
  }
  for (const visitor of [OPERATOR, { ...OPERATOR, name: 'OPS-1' }])
    expect(await seen(visitor)).toContain('You have loaded it: another operator can approve it.');
  expect(await seen(VIEWER)).toContain('An operator can approve it.');
  const asked = await look(page, `${path}/approve`, { visitor: other });
  expect(asked.html).toContain(`<h1>Send 1 row to ${run.target}?</h1>`);
  expect(asked.html).toContain(`method="post" action="${path}/approve"`);
  expect(asked.html).toContain('<input type="hidden" name="plan" value="5d41402abc4b2a76"/>');
  expect(textOf(asked.html)).toContain('1 can be sentplan5d41402abc4b2a76loaded');
  const { html } = await look(page, '/');
  expect(html).toContain(`<a href="${path}">paused (approval)</a>`);
  const approve = (visitor: Visitor, plan = '5d41402abc4b2a76') =>
    look(page, `${path}/approve`, { method: 'POST', visitor, form: { seen: 'paused', plan } });
  expect((await approve(OPERATOR)).html).toContain('was loaded by ops-1');
  expect((await approve(VIEWER)).html).toContain('That is for operators');
  const linked = { ...OPERATOR, name: 'ops-2 (by link)' };
  expect((await approve(linked)).html).toContain('expected a person with a token of their own');
  const another = await approve(other, '7d793037a0760186');
  expect(another.html).toContain(`The plan of run ${run.id} is 5d41402abc4b2a76`);
  // There is no file any more: what was looked at can't go.
  expect((await approve(other)).html).toContain('/in/a.csv');
  expect(await page.store.get(run.id)).toMatchObject({ state: 'paused', reason: 'approval' });
});

test('a note shows beside its cause, as text and to viewers too, until its text is taken away', async () => {
  const { page, run } = await openRun();
  await writeReportOf(run, page);
  const nasty = '</textarea><script>alert(1)</script>';
  const place = `/causes/${(await page.digests(run)).causes[0]?.id}/note`;
  const write = (text: string, visitor: typeof OPERATOR | typeof VIEWER = OPERATOR) =>
    look(page, place, { method: 'POST', visitor, form: { run: run.id, text } });
  const noted = async () => (await look(page, `/runs/${run.id}`, { visitor: VIEWER })).html;
  expect((await write('mine', VIEWER)).html).toContain('That is for operators');
  expect((await write('x'.repeat(501))).html).toContain('The note has 501 characters: expected at most 500');
  expect(await noted()).not.toContain('Note:');
  expect((await write(`  ${nasty} `)).reply).toMatchObject({ kind: 'redirect', to: `/runs/${run.id}` });
  expect(await noted()).toContain('&lt;script&gt;alert(1)');
  expect(await noted()).not.toMatch(/<script|<textarea/u);
  const form = await look(page, `${place}?run=${run.id}`);
  expect(form.html.match(/<\/?(?:textarea|script)/gu)).toEqual(['<textarea', '</textarea']);
  expect((await look(page, `${place}?run=nowhere`)).kind).toBe('missing');
  await write(' ');
  expect(await noted()).not.toContain('Note:');
});

test('only files that the summary names are given, and no other path', async () => {
  const { page, run } = await openRun();
  const folder = join(page.env.home, 'reports', run.id);
  const kindOf = async (path: string) => (await look(page, path)).kind;
  expect(await kindOf(`/runs/${run.id}/report`)).toBe('missing');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'secret.txt'), 'secret');
  await writeFile(join(folder, 'report.html'), '<p>report</p>');
  expect(await kindOf(`/runs/${run.id}/report`)).toBe('report');
  for (const name of ['secret.txt', '..%2F..%2Fsecret', 'report.html', 'summary.json', ''])
    expect(await kindOf(`/runs/${run.id}/files/${name}`), name).toBe('missing');
  await writeReportOf(run, page);
  for (const name of ['summary.json', 'rejected.csv', 'report.html'])
    expect(await kindOf(`/runs/${run.id}/files/${name}`), name).toBe('download');
  expect(await kindOf(`/runs/${run.id}/files/secret.txt`)).toBe('missing');
  for (const path of ['', '/report', '/files/summary.json'])
    expect(await kindOf(`/runs/no-such-run${path}`)).toBe('missing');
});

test('runs are listed newest first, by state and job, in pages that leave none out', async () => {
  const { page, seed } = await openRun();
  for (let n = 0; n < 60; n += 1) await seed({ rows: 1, settlements: [endedRow(1, 'created')] });
  const newest = await page.ledger.index.latest(1);
  expect((await look(page, '/runs/latest', { visitor: VIEWER })).reply).toMatchObject({
    to: `/runs/${newest[0]?.run}`,
  });
  const listed = async (query: string) => {
    const { html } = await look(page, `/runs?${query}`);
    const ids = [...html.matchAll(/href="\/runs\/([^"/]+)"/g)].map(([, id = '']) => id);
    return { ids, next: /before=(\d+)">More/.exec(html)?.[1] };
  };
  const first = await listed('job=subclients-create');
  const second = await listed(`job=subclients-create&before=${first.next}`);
  expect([first.ids.length, second.next]).toEqual([50, undefined]);
  const ids = [...first.ids, ...second.ids];
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBeGreaterThanOrEqual(61);
  for (const query of ['job=another', 'state=queued']) expect((await listed(query)).ids).toEqual([]);
});

test('a run of a rehearsal is called SANDBOX in its header and in lists, whatever the page’s service', async () => {
  const { page, seed } = await openRun();
  const settlements = [endedRow(1, 'rejected')];
  const { id } = await seed({ rows: 1, settlements, target: 'sandbox' });
  const textAt = async (path: string) => textOf((await look(page, path)).html);
  expect(await textAt(`/runs/${id}/rows`)).toMatch(/^ ?SANDBOX subclients/);
  // The newest fifty are listed.
  await page.ledger.index.add(id, 'sandbox', new Date());
  expect(await textAt('/runs')).toMatch(new RegExp(`SANDBOX \\S+ ?\\S* · ${id}`));
  const { html } = await look(page, '/');
  expect(html.slice(0, html.indexOf('The last runs'))).not.toContain(id);
});

test('what is looked for from any page is a key that some run has, or a run by the ending of its id', async () => {
  const { page, run } = await openRun();
  const { redis, of } = page.ledger;
  await setEntry(redis, of(run.target).keys, 'P 9', `k ${run.id} 9 cp-9`, { space: 'counterparty' });
  const named = async (text: string, visitor: typeof OPERATOR | typeof VIEWER) => {
    const { reply } = await look(page, `/runs?${new URLSearchParams({ q: text })}`, { visitor });
    return reply.kind === 'redirect' ? reply.to : null;
  };
  expect(await named('P 9', OPERATOR)).toBe(`/runs/${run.id}/rows?q=P+9`);
  // Who only looks could try keys of any run.
  expect(await named('P 9', VIEWER)).toBeNull();
  for (const visitor of [OPERATOR, VIEWER]) {
    for (const text of [run.id, run.id.slice(-8)]) expect(await named(text, visitor)).toBe(`/runs/${run.id}`);
    expect(await named('nobody knows it', visitor)).toBeNull();
  }
});

test('the overview names rows in doubt before all else, and the system what it runs on', async () => {
  const { page, seed } = await openRun();
  const run = await seed({ rows: 2, settlements: [endedRow(1, 'created'), doubtOf(2)] });
  const { html } = await look(page, '/');
  // Others' runs stand in the same Redis.
  expect(html).toContain(`<a href="/runs/${run.id}/doubts">1 row in doubt</a>`);
  expect(html.lastIndexOf('in doubt</a>')).toBeLessThan(html.indexOf('to correct</a>'));
  const system = textOf((await look(page, '/system')).html);
  expect(system).toMatch(/answers in [\d.]+ ms.*0 failed.*No worker has told of itself/);
  expect(system).toContain('What the doctor says');
  const seen = textOf((await look(page, '/system', { visitor: VIEWER })).html);
  expect([seen.includes('answers in'), seen.includes('doctor')]).toEqual([true, false]);
});

test('what somebody did is told with their name: in the story of the run, and at the system page', async () => {
  const { page, seed } = await openOwnPage(own());
  const run = await seed({ rows: 2, settlements: [endedRow(1, 'created')], closed: false });
  await page.recordEntry(OPERATOR);
  const why = 'a new file comes'.padEnd(300, '.');
  await look(page, `/runs/${run.id}/pause`, { method: 'POST', form: { seen: 'running', why } });
  const story = textOf((await look(page, `/runs/${run.id}`)).html);
  expect(story).toMatch(/Story.*registered by \S+@.*began.*paused by ops-1: a new file comes\.{184}$/);
  const system = textOf((await look(page, '/system')).html);
  expect(system).toMatch(new RegExp(`Who did what.*paused by ops-1, run ${run.id}.*log-in by ops-1`));
  const kept = await page.ledger.redis.lrange(page.ledger.of(run.target).keys.audit, 0, -1);
  expect(kept.map((text) => JSON.parse(text).via)).toEqual(['user', 'user', 'page', 'page']);
});
