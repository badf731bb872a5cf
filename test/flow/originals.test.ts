import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseRedisUrl, shownAddress } from '../../src/config/redis-address.ts';
import { claimFolder } from '../../src/runs/inbox/claim.ts';
import { startFlow } from '../support/flow.ts';
import { fileLines, rowsOf, startInboxFlow } from '../support/inbox.ts';

const JOB = `
operation: counterparty.draft
key: ref
report: { originals: false }
send: { attempts: 1, canary: 0 }
`;

/** The first one's outcome is not known, the next is refused, two are invalid with the unreadable one, one is drafted. */
const ROWS = [
  { ref: '=A', name: 'Ada', email: 'ada@example.com', isSelf: 'true' },
  { ref: 'B', name: 'Bob', email: 'no-address', isSelf: 'true' },
  { ref: 'C', name: 'Cleo', email: 'cleo@example.com', isSelf: 'perhaps' },
  { ref: 'D', name: 'Dora', email: 'dora@example.com', isSelf: 'true' },
];
const CELLS = /Ada|Bob|Cleo|Dora|example|no-address|perhaps|too.short|e-mail/;
const CSV = ['ref,name,email,isSelf', ...ROWS.map((row) => Object.values(row).join()), 'E,too,short,a,b', ''];
const NDJSON = [...ROWS.map((row) => JSON.stringify(row)), '{"ref": "E", too short', ''];

test.each([
  ['csv', CSV.join('\n'), /\n$/, 'created:id-1\n'],
  ['ndjson', NDJSON.join('\n'), '"resolution":""', '"resolution":"created:id-1"'],
] as const)(
  'with report.originals: false %s files to correct have row, key and reason alone, settle doubts, are no rows, and are written whole when asked for',
  async (form, rows, open, created) => {
    const flow = await startFlow({ faults: ['reset-after-create=first:1'] });
    const job = await flow.file('job.yaml', JOB);
    const load = (path: string) => flow.onboard(['run', '--job-file', job, path]);
    const ended = await load(await flow.file(`rows.${form}`, rows));
    expect(ended.exitCode, ended.stderr).toBe(5);
    const [run = ''] = await readdir(join(flow.home, 'reports'));
    const folder = join(flow.home, 'reports', run);
    const [failed, doubts, rejected] = ['failed', 'in-doubt', 'rejected'].map((name) =>
      join(folder, `${name}.${form}`),
    );
    if (failed === undefined || doubts === undefined || rejected === undefined)
      throw new Error('three names');
    const read = (path: string) => readFile(path, 'utf8');

    for (const path of [failed, doubts, rejected]) expect(await read(path), path).not.toMatch(CELLS);
    const names = await readdir(folder);
    expect(names.filter((name) => name.endsWith('.jsonl'))).toEqual([]);
    for (const name of names) expect((await stat(join(folder, name))).mode & 0o777, name).toBe(0o600);
    expect(ended.stdout).toContain(`onboard report ${run} --originals`);
    expect(ended.stdout).not.toMatch(/onboard run .*(failed|rejected)/);

    const refused = await load(failed);
    expect([refused.exitCode, flow.sandbox.stats().made.drafts]).toEqual([3, 2]);
    expect(refused.stderr).toContain('`onboard report RUN --originals` writes it');

    const decided = (await read(doubts)).replace(open, created);
    await writeFile(doubts, decided.replace('=A', 'Z'));
    expect((await flow.onboard(['resolve', run, '--file', doubts])).stderr).toContain('has the key "Z" here');
    await writeFile(doubts, decided);
    expect(await flow.onboard(['resolve', run, '--file', doubts])).toMatchObject({ exitCode: 0, stderr: '' });

    expect(await flow.look(['report', run, '--originals'])).toMatch(/onboard run .*failed/);
    expect(await read(join(folder, 'rejections.jsonl'))).toContain('e-mail');
    await writeFile(failed, (await read(failed)).replace('perhaps', 'true'));
    expect((await load(failed)).exitCode).toBe(1);
    expect(flow.sandbox.stats()).toMatchObject({ made: { drafts: 3 }, duplicateKeys: 0 });
    await flow.look(['report', run]);
    expect(await readdir(folder)).not.toContain('rejections.jsonl');
  },
);

test('keep: none removes a file all of whose rows succeeded, and the same again; one that has open rows stays', async () => {
  const job = 'operation: subclient.create\nfiles: "subclients*"\nkey: externalId\nkeep: none\n';
  const { flow, drop, begin, list, inbox } = await startInboxFlow({ subclients: job });
  const once = () => begin(['start', '--once', '--no-web']).ended;
  await drop('subclients-a.csv', rowsOf('A', 3));
  await drop('subclients-b.csv', `${rowsOf('B', 2)},a row without a key\n`);
  const [a, b] = fileLines(await once()).toSorted((one, other) => one.file.localeCompare(other.file));
  expect(a).toMatchObject({ result: 'done', rows: 3, exitCode: 0, moved: null, note: null });
  expect(b).toMatchObject({ result: 'done', exitCode: 1, moved: expect.stringContaining('/done/') });
  await drop('subclients-c.csv', rowsOf('A', 3));
  expect(fileLines(await once())).toMatchObject([{ result: 'done', moved: null }]);
  expect([await list('done'), await list('inbox')]).toMatchObject([{ length: 2 }, []]);
  expect(await list(`reports/${a?.run}`)).toContain('report.html');

  // As a kill between the removal and the end of the claim leaves it.
  const left = join(flow.home, 'left');
  await mkdir(left, { mode: 0o700 });
  const place = { target: flow.sandbox.url, ledger: shownAddress(parseRedisUrl(flow.redisUrl)) };
  const info = { ...place, job: 'subclients', path: 'a.csv', claimedAt: '', stamp: '', marker: null };
  await claimFolder(left, { id: a?.run ?? '', inbox, info });
  expect(await once()).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('by somebody') });
  expect(await readdir(join(inbox, '.processing'))).toEqual([]);
});
