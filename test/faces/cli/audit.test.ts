import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { ledgerKeys } from '../../../src/engine/ledger/keys.ts';
import { createRunIndex } from '../../../src/engine/ledger/run-index.ts';
import { digestOf } from '../../../src/model/audit.ts';
import { seedRun } from '../../support/doubts.ts';
import { ownFile, ownFolder } from '../../support/folder.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { newRun } from '../../support/runs.ts';
import { doubtOf } from '../../support/settled-row.ts';
import { setAudit } from '../../support/stored.ts';
import { onboard } from './memory-io.ts';

const own = useOwnRedis();
const KEYS = ledgerKeys('sandbox');
let home = '';

beforeEach(async () => {
  home = await ownFolder();
  await own().redis.flushall();
});

const say = (...args: readonly string[]) =>
  onboard(args, { ONBOARD_HOME: home, REDIS_URL: own().url, ONBOARD_ACTOR: 'Ann' });
const audit = (...args: readonly string[]) => say('audit', ...args);
const entries = async (...args: readonly string[]) => {
  const { stdout } = await audit('--json', ...args);
  return stdout.trimEnd().split('\n');
};

/** A run that is over, with rows in doubt. */
async function seed(rows: number): Promise<string> {
  const settlements = Array.from({ length: rows }, (_, i) => doubtOf(i + 1));
  const run = newRun({ rows });
  await createRunIndex(own().redis).add(run.id, 'sandbox', new Date());
  await seedRun(own().redis, KEYS, { run, settlements, closed: true });
  return run.id;
}

test('what somebody does is listed, with who did it and without a value of a row', async () => {
  const [run, other] = [await seed(3), await seed(1)];
  await say('resolve', run, '1', '--created', 'the-id-of-it');
  await say('resolve', run, '2', '--not-created');
  await say('write-off', run, '2', '--reason', 'closed');
  await say('reply', run);
  await say('web', '--add', 'bob', '--role', 'viewer');
  await say('web', '--remove', 'bob');
  const { stdout } = await audit();
  const lines = stdout.split('\n').map((line) => line.replaceAll(/ {2,}/g, '|'));
  const acts = lines.filter((line) => line.includes('Ann (ONBOARD_ACTOR)')).map((line) => line.split('|'));
  expect(acts.map(([, , what, ...rest]) => [what, rest.at(-1)])).toEqual([
    ['resolved', 'created 1'],
    ['resolved', 'notCreated 2'],
    ['written-off', 'count 1, rows 2, why closed'],
    ['replied', 'rows 0, language en'],
    ['person-added', 'person bob, role viewer'],
    ['person-removed', 'person bob'],
  ]);
  for (const kept of [stdout, ...(await entries())]) expect(kept).not.toMatch(/the-id-of-it|a\.csv|K1/);
  const ofOther = (await entries('--run', other)).map((line) => JSON.parse(line));
  expect(ofOther.map(({ run: id, what }) => [id, what])).toEqual(
    ['registered', 'began', 'ended'].map((what) => [other, what]),
  );
});

test('an act that is refused is not told', async () => {
  const run = await seed(1);
  const before = await entries();
  expect((await say('pause', run)).exitCode).toBe(3);
  expect((await say('write-off', run, '1', '--reason', 'closed')).exitCode).toBe(3);
  expect((await say('web', '--remove', 'nobody')).exitCode).toBe(3);
  expect(await entries()).toEqual(before);
});

test('a report and its page have the digest of the latest entry', async () => {
  const run = await seed(1);
  await say('report', run);
  const folder = join(home, 'reports', run);
  const { audit: head } = JSON.parse(await readFile(join(folder, 'summary.json'), 'utf8'));
  const texts = await entries();
  expect(head).toEqual({ n: texts.length, head: digestOf(texts.at(-1) ?? '') });
  const page = await readFile(join(folder, 'report.html'), 'utf8');
  expect(page).toContain(`entry ${head.n}, sha256 ${head.head}`);
});

test('the chain and an exported file are verified, each by itself', async () => {
  await seed(1);
  const texts = await entries();
  const whole = await audit('--verify');
  const digest = digestOf(texts.at(-1) ?? '');
  expect(whole).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(`sandbox: 3 entries .*${digest}`),
  });
  const file = await ownFile([...texts, ''].join('\n'), 'audit.ndjson');
  const alone = (path: string) => onboard(['audit', '--verify', path]);
  const unseen = "Whether later ones were cut shows in a later report's digest or the ledger.\n";
  const told = { exitCode: 0, stdout: `${whole.stdout}${unseen}` };
  expect(await alone(file)).toMatchObject(told);
  expect(await alone(await ownFile(texts.join('\r\n')))).toMatchObject(told);
  const shorter = await ownFile(texts.toSpliced(1, 1).join('\n'));
  expect(await alone(shorter)).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining('line 2 does not fit'),
  });
  await setAudit(own().redis, KEYS, texts.with(1, (texts[1] ?? '').replace('began', 'resumed')));
  expect(await audit('--verify')).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining('line 3 does not fit'),
  });
  expect(await alone(join(home, 'gone'))).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining("can't be read (ENOENT)"),
  });
  expect((await alone(await ownFile('\n'))).exitCode).toBe(3);
  expect(await alone(await ownFile('externalId\nA1\n'))).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining('line 1 is no entry of the audit'),
  });
});

test('what audit.ndjson of the same home has and the ledger has no more is found', async () => {
  await seed(1);
  const texts = await entries();
  // Of this ledger and another one, and a line whose writing was broken off.
  const other = (texts[2] ?? '').replace('"ledger":"sandbox"', '"ledger":"https://api.example.com"');
  await writeFile(join(home, 'audit.ndjson'), [...texts, other, '{"n":4,'].join('\n'));
  expect((await audit('--verify')).exitCode).toBe(0);
  const lost = {
    exitCode: 1,
    stdout: expect.stringContaining('lost or changed entry 3, which audit.ndjson has'),
  };
  await setAudit(own().redis, KEYS, texts.with(2, (texts[2] ?? '').replace('"via":"', '"via":"x')));
  expect(await audit('--verify')).toMatchObject(lost);
  await setAudit(own().redis, KEYS, texts.slice(0, 2));
  expect(await audit('--verify')).toMatchObject(lost);
});

/** Texts that fit together again after one of them was changed. */
function rechained(texts: readonly string[]): string[] {
  const chain: string[] = [];
  for (const text of texts) {
    const prev = chain.length === 0 ? '' : digestOf(chain.at(-1) ?? '');
    chain.push(JSON.stringify({ ...JSON.parse(text), prev }));
  }
  return chain;
}

const changed = (text = '') => text.replace(/"actor":"[^"]*"/, '"actor":"somebody else"');

test.each<
  readonly [how: string, forge: (texts: readonly string[]) => readonly string[], lost: string, first: number]
>([
  ['whose last entry was changed', (texts) => [...texts.slice(0, -1), changed(texts.at(-1))], '6', 6],
  ['that lacks its last two', (texts) => texts.slice(0, -2), '5 and those up to 6', 5],
  ['that was rewritten from its first', (texts) => rechained(texts.map(changed)), '3', 1],
  ['that is gone', () => [], '1 and those up to 3', 1],
])('a chain %s does not fit what reports and file of the home name', async (_, forge, lost, first) => {
  await say('report', await seed(1));
  const later = await seed(1);
  await say('report', later);
  const text = await readFile(join(home, 'reports', later, 'summary.json'), 'utf8');
  // Of another target, and one that nobody can read: they say nothing of this chain.
  for (const [folder, over] of [['a', { target: 'https://b' }] as const, ['b', { run: 1 }] as const]) {
    await mkdir(join(home, 'reports', folder));
    const summary = { ...JSON.parse(text), audit: { n: 3, head: 'f' }, ...over };
    await writeFile(join(home, 'reports', folder, 'summary.json'), JSON.stringify(summary));
  }
  expect((await audit('--verify')).stdout).toContain('6 entries fit');
  const texts = await entries();
  await setAudit(own().redis, KEYS, forge(texts));
  const found = await audit('--verify');
  const words = `^The ledger has lost or changed entry ${lost}, which reports/[-\\w]+/summary.json has, or the home had another Redis then.\n$`;
  expect(found).toMatchObject({ exitCode: 1, stdout: expect.stringMatching(words) });
  await writeFile(join(home, 'audit.ndjson'), texts.map((one) => `${one}\n`).join(''));
  expect((await audit('--verify')).stdout).toContain(`lost or changed entry ${first}, which`);
});

test('a line of audit.ndjson that can not be read is a misfit, but for the end that a kill has left', async () => {
  await seed(1);
  const path = join(home, 'audit.ndjson');
  const texts = await entries();
  const whole = `${texts.join('\n')}\n`;
  const verified = async (content: string) => {
    await writeFile(path, content);
    const { exitCode, stdout, stderr } = await audit('--verify');
    return { exitCode, stdout, stderr, left: await readFile(path, 'utf8') };
  };
  expect(await verified(whole)).toMatchObject({ exitCode: 0, stderr: '' });
  for (const cut of [1, 2, 40, (texts.at(-1) ?? '').length])
    expect(await verified(whole.slice(0, -cut))).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('was broken off as it was written: it is completed from the ledger'),
      left: whole,
    });
  for (const [content, line] of [
    [whole.replace('"began"', '"began'), 2],
    [`${texts[0]}\n${texts[2]}\n`, 2],
    [`${whole}nothing of it`, 4],
    [`${whole}nothing of it\n`, 4],
    [`${whole}{"n":4,"at":"2026`, 4],
  ] as const)
    expect(await verified(content)).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining(`Line ${line} of audit.ndjson can't be read or does not fit`),
      left: content,
    });
  // A whole one that only lacks its end is no part of one, whatever else is in the file.
  const [other, next] = [texts[0]?.replace('"sandbox"', '"x"'), texts[2]?.replace('"n":3', '"n":4')];
  const { exitCode, stdout } = await verified(`${whole}${other}\n${next}`);
  expect([exitCode, stdout]).toEqual([
    1,
    expect.stringContaining('lost or changed entry 4, which audit.ndjson'),
  ]);
});
