import { expect, test } from 'vitest';
import type { Job } from '../../../src/config/job-definition.ts';
import { leftLines, sortOut, waitingLines } from '../../../src/runs/inbox/sort-out.ts';
import { entryOf, inboxOf, jobOf } from './files.ts';

type Circumstances = Parameters<typeof sortOut>[1];
type Waiting = Parameters<typeof leftLines>[0][number];
type WaitReason = Waiting['why'];

const CALM: Circumstances = {
  now: 1_000,
  restLeft: () => 0,
  isBroken: false,
  isHeldByWindow: () => false,
  releasedAt: () => null,
  replyJob: () => null,
  busy: new Map(),
};

const subclients = jobOf('subclients', { files: 'subclients*' });
const payees = jobOf('payees', { files: ['payees*', 'north/**/payees*'], after: 'subclients' });

/** What becomes of files of the main inbox, in a few words each. */
function fates(
  paths: readonly string[],
  jobs: readonly Job[] = [subclients, payees],
  circumstances: Partial<Circumstances> = {},
): Record<string, string> {
  const entries = paths.map((path) => entryOf(path));
  const sorted = sortOut([{ inbox: inboxOf(jobs), entries }], { ...CALM, ...circumstances });
  return Object.fromEntries([
    ...sorted.take.map(({ entry, job }) => [entry.path, `take ${job.name}`]),
    ...sorted.wait.map(({ entry, why }) => [entry.path, `wait ${why.kind}`]),
    ...sorted.refuse.map(({ entry, why }) => [entry.path, `refuse ${why}`]),
  ]);
}

const byPath = jobOf('payees', { files: 'north/**/payees*' });
const marked = jobOf('marked', { files: '**/*', marker: '.done' });
const nightly = jobOf('nightly', { files: '*', schedule: { cron: '0 22 * * *' } });
const windowed = jobOf('windowed', { files: '*', window: '22:00-05:00 Europe/London' });
const markedParents = jobOf('subclients', { files: 'subclients*', marker: '.done' });
const BOTH = [subclients, payees];
const all = jobOf('all', { files: '**/*' });
const inFiles = jobOf('in', { files: ['o/*.in', '*.BAK'] });
const busy = new Map([['subclients', 'run r is running']]);

test.each<[string, Record<string, string | null>, (readonly Job[])?, Partial<Circumstances>?]>([
  [
    'is taken by the job whose pattern its path in the inbox matches',
    { 'subclients-1.csv': 'take subclients', 'north/a/payees.json': 'take payees' },
    [subclients, byPath],
  ],
  [
    'waits where its name says that it is unfinished; is passed over where it is hidden',
    { 'subclients.csv.part': 'wait unfinished', '.subclients.csv.part': null, 'x.csv~': 'wait unfinished' },
  ],
  [
    'is passed over where its name says so, and only a pattern with that ending takes it',
    { 'a.in': null, 'o/a.in': 'take in', 'o/~$a.in': null, 'o/a.in.part': 'wait unfinished' },
    [all, inFiles],
  ],
  ['waits for one of the job before it that is half', { 'payees.csv': 'wait after', 'subclients.in': null }],
  ['does not wait for a copy of one', { 'payees.csv': 'take payees', 'subclients.csv.bak': null }],
  [
    'waits for the marker of its job beside it, and the marker is no file itself',
    { 'a.csv': 'take marked', 'a.csv.done': null, 'b.csv': 'wait marker', 'sub/b.csv.done': null },
    [marked],
  ],
  ['waits for its schedule to fire', { 'a.csv': 'wait schedule' }, [nightly]],
  [
    'waits where its schedule fired before it changed',
    { 'a.csv': 'wait schedule' },
    [nightly],
    { releasedAt: () => 999 },
  ],
  [
    'is taken where its schedule fired after it changed',
    { 'a.csv': 'take nightly' },
    [nightly],
    { releasedAt: () => 1_000 },
  ],
  ['waits for one of the job before it', { 'payees.csv': 'wait after', 'subclients.csv': 'take subclients' }],
  [
    'waits for one of the job before it that is uploaded',
    { 'payees.csv': 'wait after', 'subclients.csv.part': 'wait unfinished' },
  ],
  ['waits while a run of the job before it is under way', { 'payees.csv': 'wait after' }, BOTH, { busy }],
  ['is taken where nothing is of the job before it', { 'payees.csv': 'take payees' }],
  [
    'does not wait for a marker left behind',
    { 'payees.csv': 'take payees', 'subclients.csv.done': null },
    [markedParents, payees],
  ],
  [
    'waits while its definition can not be used, and where no other job takes it',
    { 'subclients.csv': 'wait broken', 'stray.csv': 'wait broken', 'x.tmp': 'wait unfinished' },
    [subclients],
    { isBroken: true },
  ],
  [
    'waits while its window is closed',
    { 'a.csv': 'wait window' },
    [windowed],
    { isHeldByWindow: () => true },
  ],
  ['is taken while the window of its job is open', { 'a.csv': 'take windowed' }, [windowed]],
])('a file %s', (_, expected, jobs = BOTH, circumstances = {}) => {
  const decided = Object.entries(expected).filter(([, fate]) => fate !== null);
  expect(fates(Object.keys(expected), jobs, circumstances)).toEqual(Object.fromEntries(decided));
});

test('a file that no job or more than one takes is refused, with what was expected', () => {
  const found = fates(['other.csv', 'subclients-1.csv'], [subclients, jobOf('all', { files: 'sub*' })]);
  expect(found['other.csv']).toContain('expected a name such as one of these: sub*, subclients*');
  expect(found['subclients-1.csv']).toContain('(subclients and all)');
});

test('what is at fault with a refused file is known, so that its sender gets the right advice', () => {
  const jobs = [subclients, jobOf('all', { files: 'sub*' })];
  const named = ['other.csv', 'subclients-1.csv', 'a..csv'].map((path) => entryOf(path));
  const entries = [...named, entryOf('link.csv', { kind: 'link' }), entryOf('hard.csv', { links: 2 })];
  const { refuse } = sortOut([{ inbox: inboxOf(jobs), entries }], CALM);
  expect(refuse.map(({ fault }) => fault)).toEqual(['no-load', 'several-loads', 'name', 'kind', 'kind']);
});

test('the inbox of a job of its own takes every name, unless the job says which', () => {
  const inbox = inboxOf([jobOf('own', { inbox: 'own' })], { folder: '/own', isMain: false });
  expect(sortOut([{ inbox, entries: [entryOf('any.csv')] }], CALM).take).toHaveLength(1);
  const choosy = inboxOf([jobOf('own', { inbox: 'own', files: 'b*' })], { folder: '/own', isMain: false });
  expect(sortOut([{ inbox: choosy, entries: [entryOf('any.csv')] }], CALM).refuse).toHaveLength(1);
  expect(fates(['any.csv'], [jobOf('own', { inbox: 'own' })])['any.csv']).toMatch(/^refuse/);
});

test('a file that differs from a pattern by its letters alone is refused with that pattern', () => {
  const { 'PAYEES-1.csv': alike, 'other.csv': other } = fates(['PAYEES-1.csv', 'other.csv']);
  expect(alike).toMatch(/; it differs from payees\* by capital and small letters alone$/);
  expect(other).not.toContain('differs');
});

test('each file that is passed over is told once it has not changed for an hour, with a pattern that is alike', () => {
  const own = inboxOf([jobOf('own', { inbox: 'own' })], { folder: '/own', isMain: false });
  const entries = ['~$a', '.a.csv.Ab12Cd', 'x.tmp', 'a.bak'].map((path) => entryOf(path));
  const looks = [inboxOf([inFiles]), own].map((inbox) => ({ inbox, entries }));
  const told = (now: number) => waitingLines(sortOut(looks, { ...CALM, now }).wait, new Map());
  expect(told(3_600_999).size).toBe(0);
  const lines = [...told(3_601_000).values()];
  expect(lines).toHaveLength(8);
  for (const { path } of entries) expect(lines.join('\n')).toContain(`${path} waits until it is renamed or`);
  expect(lines[3]).toMatch(/not changed since 1970-01-01 00:00 UTC; it differs from \*\.BAK by/);
});

const UNREST = [{ inbox: inboxOf([subclients]), entries: [entryOf('stray'), entryOf('subclients')] }];

test('nothing is decided on an entry that is not at rest, and it is said when it may be', () => {
  const found = sortOut(UNREST, { ...CALM, restLeft: ({ entry }) => (entry.path === 'stray' ? 300 : 200) });
  expect(found).toMatchObject({ take: [], refuse: [], nextMs: 200 });
  expect(found.wait.map(({ why }) => why.kind)).toEqual(['writing', 'writing']);
});

test('what never comes to rest is left in the end, and nothing is waited for any more', () => {
  const found = sortOut(UNREST, { ...CALM, restLeft: () => Number.POSITIVE_INFINITY });
  expect(found).toMatchObject({ take: [], refuse: [], nextMs: null });
  expect(found.wait.map(({ why }) => why.kind)).toEqual(['writing', 'writing']);
});

function waiting(path: string, why: WaitReason): Waiting {
  return { inbox: inboxOf([]), entry: entryOf(path), job: 'j', why };
}

test('why files wait is said once per job and reason', () => {
  const next = new Map([['j', new Date('2026-11-21T22:00:00Z')]]);
  const lines = waitingLines([waiting('a', { kind: 'schedule' }), waiting('b', { kind: 'schedule' })], next);
  expect([...lines.values()]).toEqual([
    'a and 1 more wait for the schedule of job j, next 2026-11-21 22:00 UTC',
  ]);
});

test.each<[WaitReason, string]>([
  [{ kind: 'marker', marker: '.done' }, 'a waits for its marker file, of its own name and .done'],
  [{ kind: 'after', job: 'first', because: 'x.csv waits' }, 'a waits for job first: x.csv waits'],
  [{ kind: 'broken' }, 'a waits until every job definition can be used'],
  [{ kind: 'schedule' }, 'a waits for the schedule of job j, which no watcher has set yet'],
])('%j is said in words', (why, words) => {
  expect([...waitingLines([waiting('a', why)], new Map()).values()]).toEqual([words]);
});

test.each([{ kind: 'writing', leftMs: 1 }, { kind: 'unfinished' }] as const)(
  'a $kind file is no news',
  (why) => {
    expect(waitingLines([waiting('a', why)], new Map()).size).toBe(0);
  },
);

test('at the end all that was left is named, with why', () => {
  const left = [waiting('a.part', { kind: 'unfinished' }), waiting('b', { kind: 'marker', marker: '.done' })];
  expect(leftLines(left, new Map())).toEqual([
    'Left in the inbox:',
    '  a.part waits until it is renamed: its name says that it is not whole yet',
    '  b waits for its marker file, of its own name and .done',
  ]);
  expect(leftLines([], new Map())).toEqual([]);
});
