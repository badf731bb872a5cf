import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { PageContext } from '../../../src/faces/page/page-context.ts';
import { ownFolder } from '../../support/folder.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { doubtOf } from '../../support/settled-row.ts';
import { setOfRun } from '../../support/stored.ts';
import { keep, look, openOwnPage, textOf } from './own-page.ts';

const own = useOwnRedis();

const LOOKUP = { path: '/v1/subclients/{key}', match: '', id: '/id' };

const COLUMNS = ['externalId', 'details.name'];

async function openDoubts(seeded: { readonly definition?: object; readonly target?: string } = {}) {
  const { page, seed } = await openOwnPage(own());
  const settlements = [1, 2, 3, 4, 5].map((n) =>
    n === 4 ? doubtOf(n, { outcome: 'created', id: 'sub-4' }) : doubtOf(n),
  );
  const run = await seed({ rows: 5, settlements, columns: COLUMNS, ...seeded });
  const place = `/runs/${run.id}/doubts`;
  const give = async (text: string) => {
    const { reply } = await look(page, place, { method: 'PUT', bytes: bytesOf(text) });
    return reply.kind === 'json' ? String(Object(reply.value).to) : '';
  };
  return { page, run, place, give };
}

async function* bytesOf(text: string) {
  yield Buffer.from(text);
}

const HEAD = 'externalId,onboard_run,onboard_row,onboard_resolution';

describe('rows in doubt', () => {
  test('are looked at one after the other, with what a look-up found', async () => {
    const { page, run, place } = await openDoubts();
    const k = page.ledger.of(run.target).keys.run(run.id);
    const sighting = { kind: 'found-twice', ids: ['sub-8', 'sub-9'], at: '2026-11-21T10:21:00Z' };
    await setOfRun(page.ledger.redis, k, 'sightings', { 5: sighting });
    const cells = ['K2', 'Beta Ltd'];
    const source = JSON.stringify({ kind: 'cells', row: 2, line: 3, cells });
    await keep(page, run, 'sources', 2, source);
    const { html } = await look(page, place);
    const text = textOf(html);
    expect(text).toMatch(/4 rows may exist at the service\..*0 settled · 4 left/);
    expect(text).toContain('Row 1 K1Row 2 K2Beta LtdRow 3 K3Row 5 K5');
    expect(text).toMatch(
      /What became of row 1\?.*It was not looked up yet|It was not looked up yet.*row 1\?/,
    );
    expect(html).toMatch(/name="row" value="1".*name="next" value="2"/);
    const last = (await look(page, `${place}?row=5`)).html;
    expect(last).toMatch(/found twice or more.*name="next" value="1".*value="created:sub-8".*created:sub-9/s);
    // One that somebody has settled meanwhile gives way to the first.
    expect((await look(page, `${place}?row=4`)).html).toContain('What became of row 1?');
    expect((await look(page, '/runs/run-nowhere/doubts')).kind).toBe('missing');
  });

  test('are not created only once their key is typed, or their number where it can not be', async () => {
    const { page, seed } = await openOwnPage(own());
    const settlements = [doubtOf(1), doubtOf(2, { key: 'two  blanks' }), doubtOf(3)];
    const run = await seed({ rows: 3, settlements });
    const say = (form: Readonly<Record<string, string>>) =>
      look(page, `/runs/${run.id}/resolve`, { method: 'POST', form: { as: 'not-created', id: '', ...form } });
    const left = async () =>
      (await page.ledger.redis.hkeys(page.ledger.of(run.target).keys.run(run.id).doubts)).length;
    const asked = await say({ row: '1' });
    expect(asked.reply).toMatchObject({ kind: 'page', status: 200 });
    expect(textOf(asked.html)).toContain('To record that, type K1');
    expect(asked.html).toMatch(/value="not-created"[^>]* checked.*name="typed"[^>]* autofocus/s);
    const wrong = await say({ row: '1', typed: 'K2' });
    expect(wrong.reply).toMatchObject({ kind: 'page', status: 400 });
    expect(textOf(wrong.html)).toContain('Expected K1, typed out: nothing was recorded.');
    expect(await left()).toBe(3);
    // An id asks for nothing more; whoever says otherwise afterwards is refused, not asked.
    expect((await say({ row: '3', as: 'created', id: 'sub-3' })).reply).toMatchObject({ kind: 'redirect' });
    const late = await say({ row: '3' });
    expect(late.reply).toMatchObject({ kind: 'page', status: 400 });
    expect(late.html).not.toContain('name="typed"');
    expect((await say({ row: '1', typed: ' K1 ', next: '2' })).reply).toMatchObject({ kind: 'redirect' });
    expect(textOf((await say({ row: '2' })).html)).toContain('To record that, type 2');
    expect((await say({ row: '2', typed: '2' })).reply).toMatchObject({ kind: 'redirect' });
    expect(await left()).toBe(0);
  });

  test('can be decided only where somebody can be asked', async () => {
    const { page, place } = await openDoubts({ definition: { lookup: LOOKUP } });
    expect((await look(page, place)).html).not.toContain(' disabled');
    const alone = (await look({ ...page, ask: null }, place)).html;
    expect(alone.match(/<fieldset disabled|<button type="submit" disabled/g)).toHaveLength(2);
  });

  test('are looked up where the job as it is now has a look-up, or the one that the run began with', async () => {
    const offers = async (page: PageContext, place: string) =>
      (await look(page, place)).html.includes('Look them up at the service');
    const { page, run, place } = await openDoubts();
    expect(await offers(page, place)).toBe(false);
    const jobsDirectory = await ownFolder();
    const later = { ...page, env: { ...page.env, jobsDirectory } };
    const file = join(jobsDirectory, `${run.job}.yaml`);
    await writeFile(
      file,
      JSON.stringify({ operation: 'subclient.create', key: 'externalId', lookup: LOOKUP }),
    );
    expect(await offers(later, place)).toBe(true);
    // Nor by one that can't be read, and the page is there.
    await writeFile(file, 'operation: none');
    expect(await offers(later, place)).toBe(false);
    const begun = await openDoubts({ definition: { lookup: LOOKUP } });
    expect(await offers(begun.page, begun.place)).toBe(true);
    const rehearsed = await openDoubts({ definition: { lookup: LOOKUP }, target: 'sandbox' });
    expect(await offers(rehearsed.page, rehearsed.place)).toBe(false);
  });

  test('are decided by a file, which is shown first, and of which nothing stays', async () => {
    const { page, run, place, give } = await openDoubts();
    const lines = ['K1,RUN,1,created:sub-1', 'K2,RUN,2,', 'K3,RUN,3,not-created', 'K4,RUN,4,created:sub-4'];
    const { html } = await look(page, await give([HEAD, ...lines].join('\n').replaceAll('RUN', run.id)));
    const text = textOf(html);
    expect(text).toContain('The file says of 2 rows: 1 created, 1 not created. Nothing is recorded yet.');
    expect(text).toContain('Left in doubt: 1 line without a decision.');
    expect(text).toContain('1 row named in it: not in doubt any more.');
    expect(text).toContain('1K1created, id sub-13K3not created');
    expect(html).toMatch(/name="decision" value="1 created:sub-1".*name="decision" value="3 not-created"/);
    expect((await look(page, `${place}/another`)).kind).toBe('missing');
    expect(await readdir(join(page.env.home, 'uploads'))).toEqual([]);
  });

  test.each([
    ['an id that another row has', 'K1,RUN,1,created:sub-4', /the id sub-4 can't be that of row 1/],
    ['a row under another key', 'K9,RUN,1,not-created', /"K9" here, but "K1" in the run/],
    ['another run', 'K1,run-x,1,not-created', /the file, line 2: onboard_run is "run-x"/],
    ['a packed file', 'PK\x03\x04', /as plain text/],
    ['nothing', '', /as plain text/],
  ])('are decided by no file with %s', async (_, line, problem) => {
    const { page, run, give } = await openDoubts();
    const text = line.startsWith('K') ? `${HEAD}\n${line.replace('RUN', run.id)}` : line;
    await expect(give(text)).rejects.toThrow(problem);
    const uploads = await readdir(join(page.env.home, 'uploads')).catch(() => []);
    expect(uploads).toEqual([]);
  });
});
