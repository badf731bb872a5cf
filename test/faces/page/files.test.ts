import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readingArguments, readingIn } from '../../../src/faces/page/reading.tsx';
import { UsageError } from '../../../src/lib/usage-error.ts';
import { noOutcomes } from '../../../src/model/outcome.ts';
import type { Checked } from '../../../src/runs/check/findings.ts';
import { summarize } from '../../../src/runs/report/summary.ts';
import { ownFolder } from '../../support/folder.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { csvSource } from '../../support/source.ts';
import { until } from '../../support/until.ts';
import { onboard } from '../cli/memory-io.ts';
import { sampleRun } from '../cli/sample-run.ts';
import { look, openOwnPage, textOf } from './own-page.ts';

const own = useOwnRedis();

async function* pieces() {
  yield Buffer.from('externalId,details.name\nK1,Acme\n');
}

/** An upload, what processes are started with for it, and its pages; `printed`: what each process says. */
async function openFiles(
  printed = '',
  target = 'sandbox',
  { name = '-<b>.csv', rehearsed = '', jobs = 'jobs', exitCode = printed === '' ? 3 : 0 } = {},
) {
  const { page: whole } = await openOwnPage(own());
  const started: (readonly [options: readonly string[], operands: readonly string[]])[] = [];
  const page = {
    ...{ ...whole, target, ask: null, env: { ...whole.env, jobsDirectory: jobs } },
    runChild: async (options: readonly string[], operands: readonly string[]) => {
      started.push([options, operands]);
      const stdout = options[0] === 'run' ? rehearsed : printed;
      return { exitCode, stdout, problems: ['as it was asked'] };
    },
  };
  const upload = await whole.uploads.receive(name, 'ops-1', pieces());
  const path = `/uploads/${upload.id}`;
  return {
    started,
    upload,
    path,
    uploads: whole.uploads,
    get: (at: string) => look(page, at),
    post: (at: string, form = {}) => look(page, at, { method: 'POST', form }),
  };
}

test.each([
  '--job-file=/etc/hostname',
  '--out=/tmp/made',
  '-h',
  'no-such-job',
  '../jobs/subclients-create',
  '',
])('the name %j is none of a job: no process is started for it', async (job) => {
  const { post, path, started } = await openFiles();
  await expect(post(`${path}/check`, { job })).rejects.toThrow(UsageError);
  await expect(post(`${path}/rehearse`, { job })).rejects.toThrow(UsageError);
  expect(started).toEqual([]);
});

test('a job of the list and a file are operands of the process that checks, rehearses or reads', async () => {
  const { get, post, path, started, upload } = await openFiles();
  const job = 'subclients-create';
  await post(`${path}/check`, { job });
  await post(`${path}/rehearse`, { job });
  const { html: shown } = await get(`${path}?encoding=--out=/tmp/made`);
  expect(shown).toContain('-&lt;b&gt;.csv');
  expect(shown).toContain('as it was asked');
  await until(() => started.length === 3);
  expect(started).toEqual([
    [
      ['check', '--json', '--sandbox'],
      [job, upload.path],
    ],
    [
      ['run', '--sandbox', '--again', '--json'],
      [job, upload.path],
    ],
    [['map', '--json', '--format=encoding=--out=/tmp/made'], [upload.path]],
  ]);
});

test.each([
  [
    'book.xlsx',
    { type: 'xlsx', sheet: 'Payees', sheets: ['Cover', 'Payees & Co'] },
    'sheet',
    'Payees &amp; Co',
  ],
  ['list.json', { type: 'json', recordLists: ['/a', '/b/c'] }, 'records', '/b/c'],
] as const)(
  'in %s a sheet, a list and the fate of hidden rows are chosen from what there is',
  async (file, facts, name, value) => {
    const printed = JSON.stringify({
      source: { ...csvSource(), ...facts },
      rows: [],
      format: { [name]: '/gone' },
    });
    const { get, path } = await openFiles(printed, 'sandbox', { name: file });
    const { html } = await get(path);
    const [, choice = ''] =
      new RegExp(`<select id="read-${name}" name="${name}">(.*?)</select>`).exec(html) ?? [];
    expect(choice).toContain('found by itself');
    expect(choice).toContain(`<option value="${value}">`);
    expect(choice).toContain('<option value="/gone" selected="">/gone<');
    expect(html.includes('<option value="skip">')).toBe(name === 'sheet');
  },
);

test('a rehearsal counts rows that were skipped apart from those that succeeded, and says since when', async () => {
  const given = await ownFolder();
  const file = join(given, 'a.csv');
  await writeFile(file, 'externalId,details.name\nK1,Acme\n');
  const { stdout } = await onboard(['check', '--json', 'subclients-create', file], { ONBOARD_HOME: given });
  const notes = ['Known since run R1, sent with another job.'];
  const outcomes = { ...noOutcomes(), created: 5, skipped: 4, rejected: 1 };
  const run = sampleRun({ state: 'finished', outcomes, source: csvSource({ notes }) });
  const summary = JSON.stringify(summarize(run, new Date()));
  const { get, post, path } = await openFiles(stdout, 'http://127.0.0.1:9', { rehearsed: summary });
  const job = 'subclients-create';
  for (const act of ['check', 'rehearse']) await post(`${path}/${act}`, { job });
  const shown = async () => textOf((await get(`${path}/check?job=${job}`)).html);
  await until(async () => (await shown()).includes('Rehearsed: '));
  expect(await shown()).toContain(
    `Rehearsed: 5 of 10 rows succeeded at the stand-in, 4 skipped since their keys were known. ${notes[0]}`,
  );
});

test('of a wide file the pages show 300 columns as text, count the rest, and say which job takes it', async () => {
  const columns = Array.from({ length: 1_000 }, (_, i) => `<i>Column ${i + 1}`);
  const row = { kind: 'cells', row: 1, line: 2, cells: columns };
  const printed = JSON.stringify({ source: csvSource({ columns }), rows: [row], format: {} });
  const { get, path } = await openFiles(printed);
  for (const at of [path, `${path}/map`]) {
    const { html } = await get(at);
    expect(html).toContain('&lt;i&gt;Column 300<');
    expect(html).not.toMatch(/Column 301<|<i>/);
    expect(html).toContain('700 columns more');
  }
  expect((await get(path)).html).toContain('that can&#39;t take it, and why');
});

test('columns that another operation proposes anew are seen before they are saved', async () => {
  const row = { kind: 'cells', row: 1, line: 2, cells: ['K1', 'Acme'] };
  const source = csvSource({ columns: ['externalId', 'name'] });
  const { post, path } = await openFiles(JSON.stringify({ source, rows: [row], format: {} }));
  const form = { operation: 'counterparty.draft', job: 'mine', columns: '2', f0: '', f1: '' };
  const { html } = await post(`${path}/save`, { ...form, 'mapped-for': 'subclient.create' });
  expect(html).toMatch(/name="mapped-for" value="counterparty\.draft".*value="mine".*name="f1" value="name"/);
  const same = await post(`${path}/save`, { ...form, 'mapped-for': 'counterparty.draft' });
  expect(same.reply).toMatchObject({ kind: 'page', status: 409 });
});

test.each([
  [{}, 'The key is not decided', false],
  [{ 'no-key': 'on' }, 'The key is not decided', true],
  [{ key: 'none' }, '“No key” needs the tick', false],
  [{ key: 'none', 'no-key': 'on' }, null, true],
  [{ key: '0', 'no-key': 'on' }, null, false],
])('of the form with %j the page says above it and beside the key: %s', async (choice, why, isTicked) => {
  const row = { kind: 'cells', row: 1, line: 2, cells: ['K1', 'Acme'] };
  const source = csvSource({ columns: ['externalId', 'details.name'] });
  const { post, path } = await openFiles(JSON.stringify({ source, rows: [row], format: {} }));
  const { html, reply } = await post(`${path}/save`, {
    ...{ operation: 'subclient.create', 'mapped-for': 'subclient.create', job: 'mine', columns: '2' },
    ...{ f0: '', f1: 'details.name', ...choice },
  });
  expect(reply).toMatchObject({ kind: 'page', status: 409 });
  const [, alarm = ''] = /role="alert">(.*?)<\/div>/.exec(html) ?? [];
  const [, beside = ''] = /id="key-state" role="status"[^>]*>(.*?)<\/p>/.exec(html) ?? [];
  // Once it is decided, there is but nobody to save it.
  expect(textOf(alarm)).toContain(why ?? 'stands alone');
  if (why !== null) expect(textOf(beside)).toContain(why);
  else expect(textOf(beside)).toMatch(/^✓/);
  expect(html.includes('The job definition')).toBe(why === null);
  expect(/name="no-key" checked/.test(html)).toBe(isTicked);
});

test.each([
  ['31/02/2011', '30/02/2011', '2 rows, such as "31/02/2011": expected'],
  ['31/02/2011', '31/02/2011', '"31/02/2011" (2 rows): expected'],
])('of the cells %s and %s that can not be sent the map says how many there are', async (a, b, said) => {
  const rows = [a, b].map((cell, i) => ({ kind: 'cells', row: i + 1, line: i + 2, cells: [`K${i}`, cell] }));
  const source = csvSource({ columns: ['externalId', 'Founded'] });
  const { post, path } = await openFiles(JSON.stringify({ source, rows, format: {} }));
  const { html } = await post(`${path}/map`, {
    ...{ operation: 'subclient.create', 'mapped-for': 'subclient.create', job: 'mine', columns: '2' },
    ...{
      f0: 'additionalInformation.crmId',
      f1: 'kyc.details.incorporationDate',
      r1: '{"pattern":"dd/MM/yyyy"}',
    },
  });
  expect(textOf(html)).toContain(`✗ ${said}`);
});

/** What a check prints of a file of one good row. */
const CHECKED = {
  ...{ rows: 1, sendable: 1, invalid: 0, waiting: 0, skipped: 0, issuesTotal: 0, earlierRun: null },
  ...{ issues: [], causes: [], warnings: [], notes: [], requests: [] },
  ...{ source: csvSource(), calls: {}, references: { total: 0 } },
  keys: { target: 'sandbox', reason: null, known: 0, held: 0, examples: [] },
  plan: null,
  unusual: null,
  estimate: { requests: 1, seconds: 1, basis: 'assumption' },
};

/** Creates, updates, known keys and references; what is damaged, refused, odd or late. */
const ALL = [
  `operation: subclient.upsert
key: Ref
fields:
  details.name: Name
  parent.id: { column: Parent, ref: subclient }
required: [details.name]
`,
  [
    'Ref,Name,,Parent',
    ...[
      'A,Acme,,',
      'B,Beta,x,',
      'C,MÃ¼ller,,',
      'D,,,',
      'E,,,',
      'B,Twice,,',
      'F,Fa & Söhne <AG>,,X',
      'G,Ga,,A',
    ],
  ],
] as const;
const NOTHING = ['operation: subclient.create\nfields: { details.name: Name }\n', ['Name']] as const;

/** Its texts, with the signs that HTML escapes. */
function asRead(html: string): string {
  const signs = { '&#39;': "'", '&lt;': '<', '&gt;': '>', '&amp;': '&' };
  return Object.entries(signs).reduce((text, [name, sign]) => text.replaceAll(name, sign), textOf(html));
}

test.each([
  ['a file in which all is found', ...ALL],
  ['a file without rows, by a job without a key', ...NOTHING],
])('whatever the command prints of the check of %s, the page has', async (_, definition, lines) => {
  const files = {
    'job.yaml': definition,
    'a.csv': [...lines, ''].join('\n'),
    'known.csv': 'Ref,Name,Parent\nA,Acme,\n',
  };
  const folder = await ownFolder(files);
  const [job, file, known] = ['job', join(folder, 'a.csv'), join(folder, 'known.csv')];
  const env = { ONBOARD_HOME: join(folder, 'home'), ONBOARD_JOBS: folder };
  if (lines.length > 1) await onboard(['run', job, known, '--sandbox'], env);
  const said = await onboard(['check', job, file, '--sandbox'], env);
  const { stdout } = await onboard(['check', job, file, '--sandbox', '--json'], env);
  const { get, post, path } = await openFiles(stdout, 'sandbox', { name: 'a.csv', jobs: folder });
  await post(`${path}/check`, { job });
  const look = async () => (await get(`${path}/check?job=${job}`)).html;
  await until(async () => (await look()).includes('class="verdict'));
  const shown = asRead(await look());

  const checked: Checked = JSON.parse(stdout);
  const own = said.stdout.split('\n').filter((line) => !/^ {2}row |^To send|^$/.test(line));
  const told = [...said.stderr.trim().split('\n'), ...own].filter((line) => line !== '');
  for (const line of told)
    expect(shown, line).toContain(
      line
        .replace(`${file}: `, '')
        .replace(file, 'a.csv')
        .replace(/^warning: /, '')
        .replace(/^ {2}\S[a-z ]{10} /, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    );
  for (const { row, line, column, value, expected } of checked.issues)
    expect(shown).toContain(`${row}${line}${column ?? 'the row'}${value ?? ''}${expected}`);
  expect(shown.indexOf('warning')).toBeLessThan(shown.indexOf('read as'));
  const html = await look();
  expect(html.match(/<details>/g) ?? []).toHaveLength(
    checked.causes.length + Math.max(0, checked.requests.length - 1),
  );
  expect(html.includes('sent as they stand.')).toBe(checked.warnings.length > 0);
  const names = told.flatMap((line) => /^ {2}(\S[a-z ]{10}) /.exec(line)?.[1]?.trim() ?? []);
  expect(names).toEqual(lines.length > 1 ? NAMES : ['read as', 'known keys']);
});

const NAMES = 'plan,read as,note,warning,known keys,sends,references,time,request,request,request'.split(',');

test('upload, map, check and start are steps that lead back, and a rehearsal comes before the start', async () => {
  const stepOf = (html: string) => /<li aria-current="step">(\w+)/.exec(html)?.[1];
  const row = { kind: 'cells', row: 1, line: 2, cells: ['K1'] };
  const sample = { source: csvSource({ columns: ['externalId'] }), rows: [row], format: {} };
  const mapped = await openFiles(JSON.stringify(sample));
  for (const [at, step] of [
    ['/upload', 'Upload'],
    [mapped.path, 'Map'],
    [`${mapped.path}/map`, 'Map'],
  ] as const)
    expect(stepOf((await mapped.get(at)).html), at).toBe(step);
  const job = 'subclients-create';
  const { get, post, path } = await openFiles(JSON.stringify(CHECKED), 'https://api.example.com');
  const check = `${path}/check?job=${job}`;
  expect(stepOf((await get(check)).html)).toBe('Check');
  await post(`${path}/check`, { job });
  await until(async () => (await get(check)).html.includes('<h2>Start</h2>'));
  const { html } = await get(check);
  expect(html).toMatch(new RegExp(`<a href="/upload">Upload</a>.*<a href="${path}">Map</a>`));
  expect(html).toMatch(/1 row, can be sent.*<h2>Rehearse it first<.*>Rehearse<.*<h2>Start</);
});

test('what is discarded is an upload, and nothing that a path leads to', async () => {
  const { post, path, upload, uploads } = await openFiles();
  for (const id of ['..', `../uploads/${upload.id}`, '']) {
    await post(`/uploads/${encodeURIComponent(id)}/discard`);
    expect(await uploads.list()).toEqual([upload]);
  }
  await post(`${path}/discard`);
  expect(await uploads.list()).toEqual([]);
});

test('a job is shown as its file has it, beside a template of the form that is asked for', async () => {
  const { get } = await openFiles();
  expect((await get('/jobs')).html).toContain('<a href="/jobs/subclients-create">');
  expect((await get('/jobs/subclients-create')).html).toContain('operation: subclient.create');
  const { reply } = await get('/jobs/subclients-create/template?as=json');
  expect(reply).toMatchObject({ kind: 'download', name: 'subclients-create.json' });
  expect((await get('/jobs/..%2fjobs%2fsubclients-create')).kind).toBe('missing');
});

test('settings are those of the form and no others, and become arguments that stand for themselves', () => {
  const reading = readingIn(new URLSearchParams('header=2&delimiter=%3B&encoding=&job=x&sheet=--json'));
  expect(reading).toEqual({ header: '2', delimiter: ';', sheet: '--json' });
  expect(readingArguments(reading)).toEqual([
    '--format=header=2',
    '--format=delimiter=;',
    '--format=sheet=--json',
  ]);
});

test('a job that does not say where the records are takes no file whose list was found', async () => {
  const source = { ...csvSource({ columns: ['externalId', 'details.name'] }), type: 'json' };
  for (const [format, takes] of [
    [{}, true],
    [{ records: '/a' }, false],
  ] as const) {
    const { get, path } = await openFiles(JSON.stringify({ source, rows: [], format }), 'sandbox', {
      name: 'list.json',
    });
    const { html } = await get(path);
    expect(html.includes('name="job" value="subclients-create"')).toBe(takes);
    expect(html.includes('List of records, such as /data/items: /a here')).toBe(!takes);
  }
});

test('each way to read an upload is a button that keeps what was answered before; a new sheet has its own header', async () => {
  const choices = [
    { setting: 'header', value: '4', shows: ['Codice', '<i>Nome'] },
    { setting: 'sheet', value: 'Fornitori', shows: ['Codice', 'Nome'] },
  ];
  const { get, path } = await openFiles(JSON.stringify({ choices }), 'sandbox', {
    ...{ name: 'a.xlsx', exitCode: 3 },
  });
  const { html } = await get(`${path}?sheet=Copertina&header=2`);
  const forms = html.match(/<form method="get"[^>]*class="choices">.*?<\/form>/gs) ?? [];
  expect(forms.map(textOf)).toEqual([
    expect.stringContaining('Sheet Fornitori, 2 columns'),
    expect.stringContaining('Use row 4 as header Codice · &lt;i&gt;Nome'),
  ]);
  expect(forms[1]).toContain('<input type="hidden" name="sheet" value="Copertina"');
  expect(forms[1]).toContain('<button type="submit" name="header" value="4">');
  expect(forms[0]).not.toContain('type="hidden"');
});

test('a job that reads its files otherwise than this one was read does not take it', async () => {
  const folder = await ownFolder({
    'old.yaml': 'operation: subclient.create\nformat: { encoding: cp850 }\nfields: { details.name: Name }\n',
    'same.yaml':
      'operation: subclient.create\nformat: { encoding: windows-1252 }\nfields: { details.name: Name }\n',
  });
  const source = csvSource({ columns: ['Name'] });
  const format = { encoding: 'windows-1252' };
  const { get, path } = await openFiles(JSON.stringify({ source, rows: [], format }), 'sandbox', {
    jobs: folder,
  });
  const { html } = await get(`${path}?encoding=windows-1252`);
  expect(html).toContain('name="job" value="same"');
  expect(html).not.toContain('name="job" value="old"');
  expect(html).toContain('Encoding: windows-1252 here, cp850 there.');
});

test('the numbers of a column are right by one answer, which becomes its reading', async () => {
  const row = { kind: 'cells', row: 1, line: 2, cells: ['K1', '22345670000'], typed: [1] };
  const source = csvSource({ columns: ['externalId', 'Partita IVA'], type: 'xlsx' });
  const { post, path } = await openFiles(JSON.stringify({ source, rows: [row], format: {} }));
  const form = {
    ...{ operation: 'subclient.create', 'mapped-for': 'subclient.create', job: 'mine', columns: '2' },
    ...{ f0: 'additionalInformation.crmId', f1: 'details.vatNumber' },
  };
  const { html } = await post(`${path}/map`, form);
  const [, answer = ''] = /name="answer" value="([^"]*)"/.exec(html) ?? [];
  expect(answer.replaceAll('&quot;', '"')).toBe('1 details.vatNumber {"numbers":"right"}');
  expect(html).toContain('VAT number');
  expect(html).not.toContain('numbers: right');
  const answered = await post(`${path}/map`, { ...form, answer: answer.replaceAll('&quot;', '"') });
  expect(answered.html).toContain('numbers are right here</option>');
  expect(answered.html).not.toContain('name="answer"');
  expect(textOf(answered.html)).toContain('"22345670000"');
});

test('a rehearsal on an empty stand-in forgets what others made', async () => {
  const { post, path, started } = await openFiles();
  await post(`${path}/rehearse`, { job: 'subclients-create', 'stand-in': 'empty' });
  await until(() => started.length === 1);
  expect(started[0]?.[0]).toEqual(['run', '--fresh', '--again', '--json']);
});
