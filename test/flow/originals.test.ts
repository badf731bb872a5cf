import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseRedisUrl, shownAddress } from '../../src/config/redis-address.ts';
import { claimFolder } from '../../src/inbox/claim.ts';
import { type Flow, startFlow } from '../support/flow.ts';
import { fileLines, rowsOf, startInboxFlow } from '../support/inbox.ts';

const JOB = [
  'operation: counterparty.draft',
  'key: ref',
  'ignore: [note]',
  'report: { originals: false }',
  'send: { attempts: 1, canary: 0 }',
  '',
].join('\n');

const ROWS = [
  { ref: '=A', name: 'Ada', email: 'ada@example.com', isSelf: 'true', note: 'secret' },
  { ref: 'B', name: 'Bob', email: 'no-address', isSelf: 'true', note: 'secret' },
  { ref: 'C', name: 'Cleo', email: 'cleo@example.com', isSelf: 'perhaps', note: 'secret' },
  { ref: 'D', name: 'Dora', email: 'dora@example.com', isSelf: 'true', note: 'secret' },
];
const CELLS = /Ada|Bob|Cleo|Dora|example|no-address|perhaps|secret|@/;

const FORMS = {
  csv: [
    'ref,name,email,isSelf,note',
    ...ROWS.map((row) => Object.values(row).join()),
    'E,too,short',
    '',
  ].join('\n'),
  ndjson: `${ROWS.map((row) => JSON.stringify(row)).join('\n')}\n{"ref": "E", secret\n`,
};

/** The first row's outcome is not known, the next is refused, two are invalid, one is drafted. */
async function load(flow: Flow, form: keyof typeof FORMS) {
  const job = await flow.file('job.yaml', JOB);
  const file = await flow.file(`rows.${form}`, FORMS[form]);
  const ended = await flow.onboard(['run', '--job-file', job, file]);
  const [run = ''] = await readdir(join(flow.home, 'reports'));
  const folder = join(flow.home, 'reports', run);
  const read = (name: string) => readFile(join(folder, name), 'utf8');
  return { ended, job, run, folder, read };
}

describe.each(['csv', 'ndjson'] as const)('with report.originals: false, of a %s file', (form) => {
  test('files to correct have row, key and reason alone, settle rows in doubt, are refused as rows, and are written whole when asked for', async () => {
    const flow = await startFlow({ faults: ['reset-after-create=first:1'] });
    const { ended, job, run, folder, read } = await load(flow, form);
    const names = [`failed.${form}`, `in-doubt.${form}`, `rejected.${form}`];
    const own = ['digest.json', 'report.html', 'results.csv', 'summary.json'];
    expect(ended.exitCode, ended.stderr).toBe(5);
    expect((await readdir(folder)).sort()).toEqual([...own, ...names].sort());
    for (const name of names) expect((await read(name)).replaceAll('@', ''), name).not.toMatch(CELLS);
    for (const name of await readdir(folder))
      expect((await stat(join(folder, name))).mode & 0o777, name).toBe(0o600);
    expect(ended.stdout).toContain(`onboard report ${run} --originals`);
    expect(ended.stdout).not.toMatch(/onboard run .*(failed|rejected)/);

    const made = flow.sandbox.stats().made.drafts;
    const loaded = await flow.onboard(['run', '--job-file', job, join(folder, `failed.${form}`)]);
    expect([loaded.exitCode, flow.sandbox.stats().made.drafts]).toEqual([3, made]);
    expect(loaded.stderr).toContain('`onboard report <run> --originals` writes it');

    const doubts = await read(`in-doubt.${form}`);
    const decided =
      form === 'csv'
        ? doubts.replace(/\n$/, 'created:id-1\n')
        : doubts.replace('"resolution":""', '"resolution":"created:id-1"');
    await writeFile(join(folder, `in-doubt.${form}`), decided.replace('=A', 'Z'));
    const wrong = await flow.onboard(['resolve', run, '--file', join(folder, `in-doubt.${form}`)]);
    expect(wrong.stderr).toContain('key');
    await writeFile(join(folder, `in-doubt.${form}`), decided);
    const resolved = await flow.onboard(['resolve', run, '--file', join(folder, `in-doubt.${form}`)]);
    expect([resolved.exitCode, resolved.stderr]).toEqual([0, '']);

    const written = await flow.onboard(['report', run, '--originals']);
    expect(written.stdout).toMatch(new RegExp(`onboard run .*failed\\.${form}`));
    expect(await read(`failed.${form}`)).toContain('Cleo');
    expect(await read('rejections.jsonl')).toContain('expected an e-mail address');
    await writeFile(
      join(folder, `failed.${form}`),
      (await read(`failed.${form}`)).replace('perhaps', 'true'),
    );
    const whole = await flow.onboard(['run', '--job-file', job, join(folder, `failed.${form}`)]);
    expect(whole.exitCode, whole.stderr).toBe(1);
    expect(flow.sandbox.stats().made.drafts).toBe(made + 1);
    await flow.look(['report', run]);
    expect((await readdir(folder)).filter((name) => name.endsWith('.jsonl'))).toEqual([]);
  });
});

describe('keep: none', () => {
  const JOBS = {
    subclients: 'operation: subclient.create\nfiles: "subclients*"\nkey: externalId\nkeep: none\n',
  };

  test('removes a file of which no row is open, and the same again; one that has open rows stays', async () => {
    const { flow, drop, begin, list, inbox } = await startInboxFlow(JOBS);
    await drop('subclients-a.csv', rowsOf('A', 3));
    await drop('subclients-b.csv', `${rowsOf('B', 2)},a row without a key\n`);
    const first = await begin(['start', '--once', '--no-web']).ended;
    const [a, b] = fileLines(first).toSorted((one, other) => one.file.localeCompare(other.file));
    expect(a).toMatchObject({ result: 'done', rows: 3, exitCode: 0, moved: null, note: null });
    expect(b).toMatchObject({ result: 'done', exitCode: 1, moved: expect.stringContaining('/done/') });
    expect(await list('done')).toHaveLength(2);
    await drop('subclients-c.csv', rowsOf('A', 3));
    expect(fileLines(await begin(['start', '--once', '--no-web']).ended)).toMatchObject([
      { result: 'done', moved: null },
    ]);
    expect([await list('done'), await list('inbox/.processing')]).toMatchObject([{ length: 2 }, []]);
    expect(await list(`reports/${a?.run}`)).toContain('report.html');

    // As a kill between the removal and the end of the claim leaves it.
    const left = join(flow.home, 'left');
    await mkdir(left);
    await chmod(left, 0o700);
    const info = {
      job: 'subclients',
      target: new URL(flow.sandbox.url).origin,
      ledger: shownAddress(parseRedisUrl(flow.redisUrl)),
      path: 'subclients-a.csv',
      claimedAt: '',
      stamp: '',
      marker: null,
    };
    await claimFolder(left, { id: a?.run ?? '', inbox, info });
    const after = await begin(['start', '--once', '--no-web']).ended;
    expect([after.exitCode, after.stdout, after.stderr]).toEqual([
      0,
      '',
      expect.not.stringContaining('by somebody'),
    ]);
    expect(await list('inbox/.processing')).toEqual([]);
  });
});
