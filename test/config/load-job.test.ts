import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listJobs, loadJob, loadJobFile } from '../../src/config/load-job.ts';
import { UsageError } from '../../src/lib/usage-error.ts';

const SHIPPED = join(import.meta.dirname, '../../jobs');
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'jobs-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function write(name: string, text: string | Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

/** Each problem without the folder before it. */
async function problemsOf(loading: Promise<unknown>): Promise<readonly string[]> {
  const error = await loading.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof UsageError)) throw new Error(`expected a UsageError, got ${String(error)}`);
  return error.problems.map((problem) => problem.replaceAll(`${folder}/`, '').replace('job.yaml, ', ''));
}

async function problemsIn(lines: readonly string[]): Promise<readonly string[]> {
  return problemsOf(loadJobFile(await write('job.yaml', lines.join('\n'))));
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

  test('an anchor gives its settings to both places', async () => {
    const text =
      'operation: counterparty.draft\nfields:\n  address.country: &c { column: Country }\n  country: *c\n';
    const { definition } = await loadJobFile(await write('job.yml', text));
    expect(definition.fields.country).toEqual({ column: 'Country' });
  });

  test('a look-up has its defaults: absence proves nothing, and a create may be under way for ten seconds', async () => {
    const lookup = 'lookup: { path: "/v1/things?ref={key}&again={key}", match: "", id: /id }';
    const path = await write('job.yaml', `operation: counterparty.draft\nkey: Ref\n${lookup}`);
    expect((await loadJobFile(path)).definition.lookup).toEqual({
      path: '/v1/things?ref={key}&again={key}',
      match: '',
      id: '/id',
      absence: 'unknown',
      afterSeconds: 10,
    });
  });

  test.each(['null', '"null"'])('emptyCell: %s sends nulls', async (written) => {
    const path = await write('job.yaml', `operation: subclient.update\nemptyCell: ${written}`);
    expect((await loadJobFile(path)).definition.emptyCell).toBe('null');
  });
});

describe('when a definition has problems, each is named with its line and setting', () => {
  test.each([
    [
      'an unknown operation',
      ['operation: subclient.creat'],
      /^line 1, operation: expected "subclient\.create", .*, got "subclient\.creat"\. Did you mean "subclient\.create"\?$/,
    ],
    ['no operation', ['key: Ref'], /^line 1, operation: is missing; expected "subclient\.create",/],
    [
      'an unknown setting',
      ['operation: subclient.create', 'emptycell: omit'],
      /^line 2, emptycell: there is no such setting; expected one of operation, .* Did you mean "emptyCell"\?$/,
    ],
    [
      'an unknown setting of send',
      ['operation: subclient.create', 'send:', '  concurency: 5'],
      /^line 3, send\.concurency: .* Did you mean "concurrency"\?$/,
    ],
    [
      'an unknown setting of a field',
      ['operation: subclient.create', 'fields:', '  details.name: { column: Name, az: string }'],
      /^line 3, fields\."details\.name"\.az: there is no such setting; expected one of column, as, .* Did you mean "as"\?$/,
    ],
    [
      'an unknown conversion',
      ['operation: subclient.create', 'fields:', '  details.name:', '    column: Name', '    as: dat'],
      /^line 5, fields\."details\.name"\.as: expected "string", .*, got "dat"\. Did you mean "date"\?$/,
    ],
    [
      'a number for a column',
      ['operation: subclient.create', 'fields: { details.name: 5 }'],
      /^line 2, fields\."details\.name": expected text or settings with names, got 5\.$/,
    ],
    [
      'a constant of nothing',
      ['operation: subclient.create', 'fields: { details.name: { value: null } }'],
      /^line 2, fields\."details\.name"\.value: expected text, a number or true or false, got null\.$/,
    ],
    [
      'a conversion without a column',
      ['operation: subclient.create', 'fields: { details.name: { as: string } }'],
      /^line 2, fields\."details\.name"\.column: is missing; expected text$/,
    ],
    [
      'a list that is none',
      ['operation: subclient.create', 'required: details.name'],
      /^line 2, required: expected a list, got "details\.name"\.$/,
    ],
    [
      'a wrong item of a list',
      ['operation: subclient.create', 'ignore:', '  - a', '  - 5'],
      /^line 4, ignore\.1: expected text, got 5\.$/,
    ],
    [
      'a number out of range',
      ['operation: subclient.create', 'send: { concurrency: 0 }'],
      /^line 2, send\.concurrency: expected at least 1, got 0\.$/,
    ],
    [
      'a fraction',
      ['operation: subclient.create', 'send: { attempts: 1.5 }'],
      /^line 2, send\.attempts: expected a whole number, got 1\.5\.$/,
    ],
    [
      'a rate without a unit',
      ['operation: subclient.create', 'send: { rate: "5" }'],
      /^line 2, send\.rate: expected a number per s, min or h, .*, got "5"\.$/,
    ],
    [
      'a delimiter of two characters',
      ['operation: subclient.create', 'format: { delimiter: ";;" }'],
      /^line 2, format\.delimiter: expected exactly 1 character, got ";;"\.$/,
    ],
    [
      'a share that is none',
      ['operation: subclient.create', 'stopAfter: lots'],
      /^line 2, stopAfter: expected a count or a percentage such as 20%, got "lots"\.$/,
    ],
    [
      'a list instead of settings',
      ['- operation'],
      /^line 1: expected settings with names, got \["operation"\]\.$/,
    ],
    [
      'a setting written twice',
      ['operation: subclient.create', 'key: a', 'key: b'],
      /^line 3: this setting is written twice; expected it once$/,
    ],
    ['a tag of its own', ['operation: !mine x'], /^line 1: Unresolved tag: !mine$/],
    ['binary data', ['operation: subclient.create', 'key: !!binary aGk='], /^line 2: Unresolved tag: /],
    [
      'a merge key',
      ['operation: subclient.create', '<<: { key: a }'],
      /^line 2, "<<": there is no such setting/,
    ],
    [
      'the name __proto__',
      ['operation: subclient.create', 'fields: { __proto__: Name }'],
      /^line 2: "__proto__" is refused as a name$/,
    ],
    [
      'an alias inside its own anchor',
      ['operation: &a', '  b: *a'],
      /^line 1: expected plain settings: .*circular/,
    ],
    [
      'aliases that multiply',
      ['a: &a [1]', `b: &b [${'*a,'.repeat(20)}]`, `c: [${'*b,'.repeat(20)}]`],
      /^line 1: expected plain settings: .*alias/,
    ],
    [
      'a look-up without the key in its path',
      ['operation: subclient.create', 'key: a', 'lookup: { path: /v1/things, match: "", id: /id }'],
      /^line 3, lookup\.path: expected a path with \{key\} in it, such as .*, got "\/v1\/things"\.$/,
    ],
    [
      'a look-up elsewhere than below the base URL',
      ['operation: subclient.create', 'key: a', 'lookup: { path: "https://x/{key}", match: "", id: /id }'],
      /^line 3, lookup\.path: expected a path with \{key\} in it/,
    ],
    [
      'a look-up with another name in braces',
      ['operation: subclient.create', 'key: a', 'lookup: { path: "/x/{key}/{id}", match: "", id: /id }'],
      /^line 3, lookup\.path: expected a path with \{key\} in it/,
    ],
    [
      'a look-up with a fragment in its path',
      ['operation: subclient.create', 'key: a', 'lookup: { path: "/x/{key}#a", match: "", id: /id }'],
      /^line 3, lookup\.path: expected a path with \{key\} in it/,
    ],
    [
      'a look-up with a path that is no JSON pointer',
      ['operation: subclient.create', 'key: a', 'lookup: { path: "/x/{key}", match: items, id: /id }'],
      /^line 3, lookup\.match: expected a JSON pointer such as \/items\/0 \(RFC 6901\), got "items"\.$/,
    ],
    [
      'a look-up that lacks its id',
      ['operation: subclient.create', 'key: a', 'lookup: { path: "/x/{key}", match: "" }'],
      /^line 3, lookup\.id: is missing; expected text$/,
    ],
    [
      'an unknown word for absence',
      [
        'operation: subclient.create',
        'key: a',
        'lookup: { path: "/x/{key}", match: "", id: "", absence: prof }',
      ],
      /^line 3, lookup\.absence: expected "unknown" or "proof", got "prof"\. Did you mean "proof"\?$/,
    ],
    [
      'a look-up of rows without a key',
      ['operation: subclient.create', 'lookup: { path: "/x/{key}", match: "", id: /id }'],
      /^line 1, key: is missing; expected a column, since a row without a key cannot be looked up$/,
    ],
    [
      'a look-up where nothing is created',
      ['operation: payment.documents', 'key: a', 'lookup: { path: "/x/{key}", match: "", id: /id }'],
      /^line 3, lookup: expected no look-up: this operation creates nothing, so no row of it is ever in doubt, got /,
    ],
    [
      'two documents',
      ['key: a', '---', 'key: b'],
      /^line 2: a second document begins here; expected one definition per file$/,
    ],
    ['broken YAML', ['operation: subclient.create', 'key: [a'], /^line 2: Flow sequence /],
    ['nothing in it', [''], /^job\.yaml: the file has no settings; expected at least "operation: …"$/],
  ])('%s', async (_, lines, problem) => {
    const problems = await problemsIn(lines);
    expect(problems).toContainEqual(expect.stringMatching(problem));
  });

  test('several at once are all listed', async () => {
    const problems = await problemsIn([
      'operation: x',
      'send: { rate: 5, concurrency: 0 }',
      'stopAfter: -1',
      'kee: a',
    ]);
    expect(problems).toHaveLength(5);
  });

  test.each([
    ['schedule: { cron: nightly }', /line 2, schedule\.cron: expected five cron fields .* got "nightly"/],
    ['schedule: { cron: "0 0 22 * * *" }', /expected five cron fields/],
    ['schedule: { cron: "0 22 * * *", timezone: London }', /expected a time zone such as Europe\/London/],
    ['window: 22:00-05:00', /line 2, window: expected two times and a time zone/],
    ['window: 22:00-22:00 Europe/London', /expected two times and a time zone/],
    ['group: accounts', /line 1, key: .*expected a column, since rows are grouped by their key/],
    ['checks: { iban_invalid: maybe }', /line 2, checks\.iban_invalid: expected/],
    ['checks: { iban: warn }', /line 2, checks/],
    ['fields: { parent.id: { column: P, ref: client } }', /ref: expected/],
    ['format: { encoding: latin1 }', /line 2, format\.encoding: expected/],
    ['format: { records: items }', /expected a JSON pointer/],
    ['send: { canary: 0 }', /line 2, send\.canary: expected/],
    [
      'priority: hihg',
      /line 2, priority: expected "low", "normal" or "high", got "hihg"\. Did you mean "high"\?/,
    ],
    ['priority: 5', /line 2, priority: expected "low", "normal" or "high", got 5\./],
  ])('%s', async (line, problem) => {
    const problems = await problemsIn(['operation: counterparty.draft', line]);
    expect(problems).toEqual([expect.stringMatching(problem)]);
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

  test('an empty folder and one that is missing are said to have none', async () => {
    expect(await problemsOf(loadJob('a', folder))).toEqual([
      expect.stringContaining('has no job definitions. Set ONBOARD_JOBS to the folder'),
    ]);
    expect(await problemsOf(loadJob('a', join(folder, 'gone')))).toEqual([
      expect.stringContaining('has no job definitions.'),
    ]);
  });

  test.each(['../secret', 'a/b', '.hidden', '', '..', 'a\0'])('%j leads nowhere', async (name) => {
    await mkdir(join(folder, 'jobs'));
    await write('secret.yaml', 'operation: subclient.create');
    await write('jobs/.hidden.yaml', 'operation: subclient.create');
    expect(await problemsOf(loadJob(name, join(folder, 'jobs')))).toEqual([
      expect.stringContaining('there is no job'),
    ]);
  });

  test('two files for one name are refused', async () => {
    await write('a.yaml', 'operation: subclient.create');
    await write('a.yml', 'operation: subclient.create');
    expect(await problemsOf(loadJob('a', folder))).toEqual([
      expect.stringContaining('has both a.yaml and a.yml'),
    ]);
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
    expect(await problemsOf(loadJobFile(path))).toEqual([
      expect.stringContaining('expected a job definition, a file such as'),
    ]);
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

test('every shipped job can be loaded', async () => {
  const names = await listJobs(SHIPPED);
  expect(names).toEqual(
    expect.arrayContaining([
      'subclients-create',
      'subclients-update',
      'subclients-upsert',
      'counterparty-drafts',
      'payment-documents',
    ]),
  );
  for (const name of names) await expect(loadJob(name, SHIPPED)).resolves.toMatchObject({ name });
});
