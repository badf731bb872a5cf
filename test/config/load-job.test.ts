import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { knownJobs, listJobs, loadJob, loadJobFile, parseFormJob } from '../../src/config/load-job.ts';
import { UsageError } from '../../src/lib/usage-error.ts';
import { startCpuClock } from '../support/cpu-clock.ts';
import { ownFolder } from '../support/folder.ts';

let folder: string;

beforeEach(async () => {
  folder = await ownFolder();
});

async function write(name: string, text: string | Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

/** Each problem without the folder before it. */
async function problemsOf(loading: Promise<unknown>): Promise<readonly string[]> {
  const error = await loading.then(() => null).catch((reason: unknown) => reason);
  if (!(error instanceof UsageError)) throw new Error(`expected a UsageError, got ${String(error)}`);
  return error.problems.map((problem) => problem.replaceAll(`${folder}/`, '').replace('job.yaml, ', ''));
}

/** The only problem has these words in it. */
async function expectProblem(loading: Promise<unknown>, words: string): Promise<void> {
  expect(await problemsOf(loading)).toEqual([expect.stringContaining(words)]);
}

async function problemsIn(text: string): Promise<readonly string[]> {
  return problemsOf(loadJobFile(await write('job.yaml', text)));
}

describe('when a definition is sound', () => {
  test("it is loaded with the file's name, its settings and the defaults", async () => {
    await write(
      'partner-x.yaml',
      [
        '\uFEFFoperation: subclient.create',
        'key: Partner Ref',
        'format: { trim: true }',
        'fields:',
        '  details.name: Legal Name',
        '  addresses.primary.country: { column: Country, as: country }',
        '  addresses.billingSameAsPrimary: { value: true }',
        '  regulators.isRegulated: { column: "FCA?", as: boolean, true: [Y], false: [N] }',
        'send: { rate: 50/s }',
        'stopAfter: 20%',
      ].join('\n'),
    );
    const job = await loadJob('partner-x', folder);
    expect(job.name).toBe('partner-x');
    expect(job.definition).toMatchObject({
      operation: 'subclient.create',
      key: 'Partner Ref',
      format: { trim: true, delimiter: 'auto' },
      fields: {
        'details.name': 'Legal Name',
        'addresses.billingSameAsPrimary': { value: true },
        'regulators.isRegulated': { true: ['Y'], false: ['N'] },
      },
      send: { rate: '50/s', concurrency: 20 },
      emptyCell: 'omit',
    });
  });

  test.each(['null', '"null"'])('emptyCell: %s sends nulls', async (written) => {
    const path = await write('job.yaml', `operation: subclient.update\nemptyCell: ${written}`);
    expect((await loadJobFile(path)).definition.emptyCell).toBe('null');
  });
});

const NO_LOOK_UP =
  /^line 3, lookup: expected no look-up: this operation creates nothing, so no row of it is ever in doubt, got /;

const NOT_WHOLE = /^line 2, fields\.a: expected column, or columns with join; and split with part, got/;

describe('when a definition has problems, each is named with its line and setting', () => {
  test.each([
    [
      'operation: subclient.creat',
      /^line 1, operation: .*, got "subclient\.creat"\. .* "subclient\.create"\?$/,
    ],
    ['key: Ref', /^line 1, operation: is missing; expected "subclient\.create",/],
    ['- operation', /^line 1: expected settings with names, got \["operation"\]\.$/],
    ['operation: !mine x', /^line 1: Unresolved tag: !mine$/],
    ['operation: &a\n  b: *a', /^line 1: expected plain settings: .*circular/],
    [`a: &a [1]\nb: &b [${'*a,'.repeat(20)}]\nc: [${'*b,'.repeat(20)}]`, /^line 1: expected plain .*alias/],
    ['key: a\n---\nkey: b', /^line 2: a second document begins here; expected one definition per file$/],
    ['', /^job\.yaml: the file has no settings; expected at least "operation: …"$/],
    ['operation: subclient.create\n<<: { key: a }', /^line 2, "<<": there is no such setting/],
    ['operation: payment.documents\nkey: a\nlookup: { path: "/x/{key}", match: "", id: "" }', NO_LOOK_UP],
  ])('%j', async (text, problem) => {
    expect(await problemsIn(text)).toContainEqual(expect.stringMatching(problem));
  });

  test('several at once are all listed', async () => {
    const text = 'operation: x\nsend: { rate: 5, concurrency: 0 }\nstopAfter: -1\nkee: a';
    expect(await problemsIn(text)).toHaveLength(5);
  });

  test.each([
    ['emptycell: omit', /^line 2, emptycell: there is no such setting; .* operation, .* "emptyCell"\?$/],
    ['send:\n  concurency: 5', /^line 3, send\.concurency: .* Did you mean "concurrency"\?$/],
    ['fields:\n  a.b: { column: N, az: x }', /^line 3, fields\."a\.b"\.az: .* of column, .* as, .* "as"\?$/],
    ['fields:\n  a.b:\n    column: N\n    as: dat', /^line 5, fields\."a\.b"\.as: .* "string", .* "date"\?$/],
    ['fields: { a: 5 }', /^line 2, fields\.a: expected text or settings with names, got 5\.$/],
    ['fields: { a: { value: null } }', /^line 2, fields\.a\.value: expected text, a number or .*, got null/],
    ['fields: { a: { as: string } }', NOT_WHOLE],
    ['fields: { a: { columns: [A, B] } }', NOT_WHOLE],
    ['fields: { a: { column: N, split: x } }', NOT_WHOLE],
    ['fields: { a: { columns: [A], join: x } }', /^line 2, fields\.a\.columns: expected at least 2 items/],
    ['fields: { __proto__: Name }', /^line 2: "__proto__" is refused as a name$/],
    ['fields: { parent.id: { column: P, ref: client } }', /ref: expected/],
    ['required: details.name', /^line 2, required: expected a list, got "details\.name"\.$/],
    ['ignore:\n  - a\n  - 5', /^line 4, ignore\.1: expected text, got 5\.$/],
    ['files: [a*, "+(b*)c"]', /^line 2, files\.1: expected only \*, .*several patterns.*, got "\+\(b\*\)c"/],
    ['key: !!binary aGk=', /^line 2: Unresolved tag: /],
    ['key: a\nkey: b', /^line 3: this setting is written twice; expected it once$/],
    ['key: [a', /^line 2: Flow sequence /],
    ['send: { concurrency: 0 }', /^line 2, send\.concurrency: expected at least 1, got 0\.$/],
    ['send: { attempts: 1.5 }', /^line 2, send\.attempts: expected a whole number, got 1\.5\.$/],
    ['send: { rate: "5" }', /^line 2, send\.rate: expected a number per s, min or h, .*, got "5"\.$/],
    ['send: { canary: -1 }', /line 2, send\.canary: expected/],
    ['stopAfter: lots', /^line 2, stopAfter: expected a count or a percentage such as 20%, got "lots"\.$/],
    ['format: { delimiter: ";;" }', /^line 2, format\.delimiter: expected exactly 1 character, got ";;"\.$/],
    ['format: { encoding: UTF-7 }', /line 2, format\.encoding: expected auto, utf-8/],
    ['format: { encoding: base64 }', /line 2, format\.encoding: expected auto, utf-8/],
    ['format: { records: items }', /expected a JSON pointer/],
    ['schedule: { cron: nightly }', /line 2, schedule\.cron: expected five cron fields .* got "nightly"/],
    ['schedule: { cron: "0 0 22 * * *" }', /expected five cron fields/],
    ['schedule: { cron: "0 22 * * *", timezone: London }', /expected a time zone such as Europe\/London/],
    ['window: 22:00-05:00', /line 2, window: expected two times and a time zone/],
    ['window: 22:00-22:00 Europe/London', /expected two times and a time zone/],
    ['group: accounts', /line 1, key: .*expected a column, since rows are grouped by their key/],
    ['checks: { accounts: maybe }', /line 2, checks\.accounts: expected/],
    ['checks: { iban: warn }', /line 2, checks/],
  ])('%j', async (settings, problem) => {
    const problems = await problemsIn(`operation: counterparty.draft\n${settings}`);
    expect(problems).toContainEqual(expect.stringMatching(problem));
  });

  test.each([
    ['/v1/things', '', '/id', /path: expected a path with \{key\} in it, such as .*, got "\/v1\/things"\.$/],
    ['https://x/{key}', '', '/id', /path: expected a path with \{key\} in it/],
    ['/x/{key}/{id}', '', '/id', /path: expected a path with \{key\} in it/],
    ['/x/{key}#a', '', '/id', /path: expected a path with \{key\} in it/],
    ['/x/{key}', 'items', '/id', /match: expected a JSON pointer such as \/items\/0 .*, got "items"\.$/],
    ['/x/{key}', '', null, /id: is missing; expected text$/],
    ['/x/{key}', '', '/id, absence: prof', /absence: .* "unknown" or "proof", got "prof"\. .* "proof"\?$/],
  ])('a look-up by %s, %j and %s', async (path, match, id, problem) => {
    const lookup = `lookup: { path: "${path}", match: "${match}"${id === null ? '' : `, id: ${id}`} }`;
    const [found, ...others] = await problemsIn(`operation: subclient.create\nkey: a\n${lookup}`);
    expect(found).toMatch(problem);
    expect(found).toMatch(/^line 3, lookup\./);
    expect(others).toEqual([]);
  });

  const lines = (count: number, line: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => line(n)).join('\n');

  test.each([
    ['settings', lines(6_000, (n) => `s${n}: x`), /^line 2, s0: there is no such setting/],
    ['wrong fields', `fields:\n${lines(6_000, (n) => ` f${n}: 5`)}`, /^line 3, fields\.f0: expected text/],
    ['fields', `fields:\n${lines(2_001, (n) => ` f${n}: x`)}`, /^line 2, fields: expected at most 2000 f/],
    ['fields of a large file', `fields:\n${lines(60_000, (n) => ` f${n}: x`)}`, /of at most 262144 bytes/],
  ])('thousands of %s are told in a bounded time and text', async (_, settings, first) => {
    const spentMs = startCpuClock();
    const problems = await problemsIn(`operation: subclient.create\n${settings}`);
    expect(spentMs()).toBeLessThan(4_000);
    expect(problems[0]).toMatch(first);
    expect(problems.length).toBeLessThanOrEqual(22);
  });

  test('bytes that are no UTF-8 are refused', async () => {
    const path = await write('job.yaml', Buffer.from([0x6b, 0x3a, 0xff]));
    expect(await problemsOf(loadJobFile(path))).toEqual([expect.stringContaining('expected UTF-8 text')]);
  });
});

describe('when a job is looked up by name', () => {
  test('an unknown one names the folder, the jobs there and the nearest', async () => {
    await write('subclients-create.yaml', 'operation: subclient.create');
    await write('payments.yml', 'operation: payment.documents');
    expect(await problemsOf(loadJob('subclient-create', folder))).toEqual([
      `there is no job "subclient-create": ${folder} has payments, subclients-create. Did you mean "subclients-create"? Use --job-file for a definition from elsewhere.`,
    ]);
  });

  test('one of the shipped ones is found from everywhere, and gives way to one of that name in the folder', async () => {
    const shipped = await loadJob('payment-documents', folder);
    expect(shipped.definition.operation).toBe('payment.documents');
    await write('payment-documents.yaml', 'operation: subclient.create');
    expect((await loadJob('payment-documents', folder)).definition.operation).toBe('subclient.create');
    expect(await listJobs(folder)).toEqual(['payment-documents']);
    expect(await knownJobs(folder)).toEqual(
      expect.arrayContaining(['subclients-create', 'payment-documents']),
    );
  });

  test('an empty folder and one that is missing are said to have none', async () => {
    await expectProblem(loadJob('a', folder), 'has no job definitions. Set ONBOARD_JOBS to the folder');
    await expectProblem(loadJob('a', join(folder, 'gone')), 'has no job definitions.');
  });

  test.each(['../secret', 'a/b', '.hidden', '', '..', 'a\0'])('%j leads nowhere', async (name) => {
    await mkdir(join(folder, 'jobs'));
    await write('secret.yaml', 'operation: subclient.create');
    await write('jobs/.hidden.yaml', 'operation: subclient.create');
    await expectProblem(loadJob(name, join(folder, 'jobs')), 'there is no job');
  });

  test('two files for one name are refused', async () => {
    await write('a.yaml', 'operation: subclient.create');
    await write('a.yml', 'operation: subclient.create');
    await expectProblem(loadJob('a', folder), 'has both a.yaml and a.yml');
  });

  test('the folder is listed by name, definitions only', async () => {
    await write('b.yml', '');
    await write('a.yaml', '');
    await write('notes.txt', '');
    await mkdir(join(folder, 'c.yaml'));
    expect(await listJobs(folder)).toEqual(['a', 'b']);
  });

  test.each(['job.txt', 'my job.yaml'])('the file %s is refused for its name', async (name) => {
    const path = await write(name, 'operation: subclient.create');
    await expectProblem(loadJobFile(path), 'expected a job definition, a file such as');
  });

  test('a file that is not there is refused with the reason', async () => {
    expect(await problemsOf(loadJobFile(join(folder, 'gone.yaml')))).toEqual([
      'gone.yaml: there is no such file: expected the path of a job definition; check the spelling and the folder',
    ]);
    await mkdir(join(folder, 'folder.yaml'));
    expect(await problemsOf(loadJobFile(join(folder, 'folder.yaml')))).toEqual([
      'folder.yaml: is a folder: expected the path of a job definition in it',
    ]);
  });
});

describe('when a job comes after others', () => {
  /** `payees`, after those named, beside `subclients`. */
  async function payeesAfter(after: string): Promise<string> {
    await write('subclients.yaml', 'operation: subclient.create\n');
    return write('payees.yaml', `operation: counterparty.draft\nafter: ${after}\n`);
  }

  test('one of its folder is found', async () => {
    await payeesAfter('[subclients]');
    expect((await loadJob('payees', folder)).definition.after).toEqual(['subclients']);
  });

  test('one that there is not is refused, with its line and what was meant', async () => {
    await payeesAfter('subclient');
    expect(await problemsOf(loadJob('payees', folder))).toEqual([
      'payees.yaml, line 2, after: there is no job "subclient" beside this one. Did you mean "subclients"?',
    ]);
  });

  test('a definition from elsewhere may name jobs that can not be seen from there', async () => {
    const { definition } = await loadJobFile(await payeesAfter('elsewhere'));
    expect(definition.after).toBe('elsewhere');
  });

  test('waiting for itself is refused, wherever it is', async () => {
    await expectProblem(loadJobFile(await payeesAfter('payees')), 'a job can not wait for itself');
  });
});

describe('when a definition comes from the page', () => {
  const SAID = [
    'operation: subclient.create',
    'key: Ref',
    'format: { header: 2, delimiter: ";" }',
    'fields: { details.name: Name, "kyc.details.incorporationDate": { column: Since, pattern: dd.MM.yyyy } }',
    'ignore: [Remarks]',
    'required: [details.name]',
    '',
  ].join('\n');

  test('what its form can say is taken', () => {
    expect(parseFormJob(SAID, 'partner').definition).toMatchObject({ key: 'Ref', format: { header: 2 } });
  });

  test.each([
    'inbox: /srv/others',
    'files: "*"',
    'onKnownKey: update',
    'lookup: { path: "/v1/things?ref={key}", match: /items, id: /id, absence: proof }',
    'query: { validate: "false" }',
    'send: { notExecuted: [503] }',
    'schedule: { cron: "0 22 * * *" }',
    'after: another',
    'checks: { accounts: off }',
    'stopAfter: 100%',
    'emptyCell: "null"',
  ])('%s is refused, though a file may say so', async (setting) => {
    const text = `${SAID}${setting}\n`;
    const [name = ''] = setting.split(':');
    if (!setting.startsWith('after'))
      await expect(loadJobFile(await write('job.yaml', text))).resolves.toBeDefined();
    expect(() => parseFormJob(text, 'partner')).toThrow(
      `partner.yaml, line 7, ${name}: the form of the page`,
    );
  });

  test.each([
    ['a constant', SAID.replace('details.name: Name,', 'details.name: { value: Acme },')],
    ['cells that mean something else', SAID.replace('pattern: dd.MM.yyyy', 'values: { x: y }')],
    ['another way of reading cells', SAID.replace('header: 2', 'trim: true')],
    ['an own request', SAID.replace('subclient.create', 'custom\nrequest: { method: GET, path: /v1/x }')],
  ])('%s is refused too', (_, text) => {
    expect(() => parseFormJob(text, 'partner')).toThrow(UsageError);
  });
});
