import { expect, test } from 'vitest';
import {
  type Circumstances,
  leftWords,
  sortOut,
  type Waiting,
  type WaitReason,
  waitingLines,
} from '../../src/inbox/sort-out.ts';
import { entryOf, inboxOf, jobOf } from './files.ts';

const CALM: Circumstances = {
  restLeft: () => 0,
  broken: new Set(),
  isHeldByWindow: () => false,
  releasedAt: () => null,
  busy: new Map(),
};

const subclients = jobOf('subclients', { files: 'subclients*' });
const payees = jobOf('payees', { files: ['payees*', 'north/**/payees*'], after: 'subclients' });

/** What becomes of files of the main inbox, in a few words each. */
function fates(
  paths: readonly string[],
  jobs = [subclients, payees],
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

test('a file is taken by the job whose pattern its path in the inbox matches', () => {
  expect(
    fates(
      ['subclients-1.csv', 'north/a/payees.json'],
      [subclients, jobOf('p', { files: 'north/**/payees*' })],
    ),
  ).toEqual({ 'subclients-1.csv': 'take subclients', 'north/a/payees.json': 'take p' });
});

test('a file that no job or more than one takes is refused, with what was expected', () => {
  const found = fates(['other.csv', 'subclients-1.csv'], [subclients, jobOf('all', { files: 'sub*' })]);
  expect(found['other.csv']).toContain('expected a name such as one of these: sub*, subclients*');
  expect(found['subclients-1.csv']).toContain('(subclients and all)');
});

test('what is at fault with a refused file is known, so that its sender gets the right advice', () => {
  const jobs = [subclients, jobOf('all', { files: 'sub*' })];
  const entries = [
    entryOf('other.csv'),
    entryOf('subclients-1.csv'),
    entryOf('a..csv'),
    entryOf('link.csv', { kind: 'link' }),
    entryOf('hard.csv', { links: 2 }),
  ];
  const { refuse } = sortOut([{ inbox: inboxOf(jobs), entries }], CALM);
  expect(refuse.map(({ fault }) => fault)).toEqual(['no-load', 'several-loads', 'name', 'kind', 'kind']);
});

test('an unfinished upload waits, and what is hidden is passed over', () => {
  expect(fates(['subclients.csv.part', '.subclients.csv.part', 'x.csv~'])).toEqual({
    'subclients.csv.part': 'wait unfinished',
    'x.csv~': 'wait unfinished',
  });
});

test('the inbox of a job of its own takes every name, unless the job says which', () => {
  const inbox = inboxOf([jobOf('own', { inbox: 'own' })], { folder: '/own', isMain: false });
  expect(sortOut([{ inbox, entries: [entryOf('any.csv')] }], CALM).take).toHaveLength(1);
  const choosy = inboxOf([jobOf('own', { inbox: 'own', files: 'b*' })], { folder: '/own', isMain: false });
  expect(sortOut([{ inbox: choosy, entries: [entryOf('any.csv')] }], CALM).refuse).toHaveLength(1);
  expect(fates(['any.csv'], [jobOf('own', { inbox: 'own' })])['any.csv']).toMatch(/^refuse/);
});

test('nothing is decided on an entry that is not at rest, and it is said when it may be', () => {
  const found = sortOut(
    [{ inbox: inboxOf([subclients]), entries: [entryOf('stray'), entryOf('subclients')] }],
    {
      ...CALM,
      restLeft: ({ entry }) => (entry.path === 'stray' ? 300 : 200),
    },
  );
  expect(found).toMatchObject({ take: [], refuse: [], nextMs: 200 });
  expect(found.wait.map(({ why }) => why.kind)).toEqual(['writing', 'writing']);
});

test('a file waits for the marker of its job beside it, and the marker is no file itself', () => {
  const marked = [jobOf('marked', { files: '**/*', marker: '.done' })];
  expect(fates(['a.csv', 'a.csv.done', 'b.csv', 'sub/b.csv.done'], marked)).toEqual({
    'a.csv': 'take marked',
    'b.csv': 'wait marker',
  });
});

test('a file with a schedule is taken once that fired after the last change of the file', () => {
  const nightly = [jobOf('nightly', { files: '*', schedule: { cron: '0 22 * * *' } })];
  const at = (releasedAt: number | null) =>
    fates(['a.csv'], nightly, { releasedAt: () => releasedAt })['a.csv'];
  expect([at(null), at(999), at(1_000), at(5_000)]).toEqual([
    'wait schedule',
    'wait schedule',
    'take nightly',
    'take nightly',
  ]);
});

test.each([
  ['whole in the inbox', ['subclients.csv']],
  ['still being uploaded', ['subclients.csv.part']],
])('a file waits while one of the job before it is %s', (_, others) => {
  expect(fates(['payees.csv', ...others])['payees.csv']).toBe('wait after');
});

test('a file waits while a run of the job before it is under way, and no longer', () => {
  const busy = new Map([['subclients', 'run r is running']]);
  expect(fates(['payees.csv'], undefined, { busy })['payees.csv']).toBe('wait after');
  expect(fates(['payees.csv'])['payees.csv']).toBe('take payees');
});

test('a marker that was left behind holds nobody up', () => {
  const jobs = [jobOf('subclients', { files: 'subclients*', marker: '.done' }), payees];
  expect(fates(['payees.csv', 'subclients.csv.done'], jobs)).toEqual({ 'payees.csv': 'take payees' });
});

test('while a definition can not be used its files wait, and so do those that no other job takes', () => {
  const broken = new Set(['subclients']);
  expect(fates(['subclients.csv', 'stray.csv', 'x.tmp'], [subclients], { broken })).toEqual({
    'subclients.csv': 'wait broken',
    'stray.csv': 'wait broken',
    'x.tmp': 'wait unfinished',
  });
});

test('a file waits in the inbox where enough runs wait for the window of its job', () => {
  const jobs = [jobOf('subclients', { files: '*', window: '22:00-05:00 Europe/London' })];
  expect(fates(['a.csv'], jobs, { isHeldByWindow: () => true })).toEqual({ 'a.csv': 'wait window' });
  expect(fates(['a.csv'], jobs)).toEqual({ 'a.csv': 'take subclients' });
});

test('what never comes to rest is left in the end, and nothing is waited for any more', () => {
  const look = [{ inbox: inboxOf([subclients]), entries: [entryOf('stray'), entryOf('subclients')] }];
  const asked: boolean[] = [];
  const found = sortOut(look, {
    ...CALM,
    restLeft: () => 300,
    isGivenUp: (_, hasJob) => {
      asked.push(hasJob);
      return true;
    },
  });
  expect(asked).toEqual([false, true]);
  expect(found.nextMs).toBeNull();
  expect(found.wait.map(({ why }) => why.kind)).toEqual(['restless', 'restless']);
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
  [
    { kind: 'after', job: 'first', because: 'x.csv waits in the inbox' },
    'a waits for job first: x.csv waits in the inbox',
  ],
  [{ kind: 'broken', jobs: ['j'] }, 'a waits until the definition of j is corrected'],
  [{ kind: 'schedule' }, 'a waits for the schedule of job j, which no watcher has set yet'],
])('%j is said in words', (why, words) => {
  expect([...waitingLines([waiting('a', why)], new Map()).values()]).toEqual([words]);
});

test.each([{ kind: 'writing' }, { kind: 'unfinished' }] as const)(
  'a file that is $kind is no news',
  (why) => {
    expect(waitingLines([waiting('a', why)], new Map()).size).toBe(0);
  },
);

test('at the end all that was left is named, with why', () => {
  const left = [waiting('a.part', { kind: 'unfinished' }), waiting('b', { kind: 'marker', marker: '.done' })];
  expect(leftWords(left, new Map()).split('\n')).toEqual([
    'Left in the inbox:',
    '  a.part waits until it is renamed: its name says that it is not whole yet',
    '  b waits for its marker file, of its own name and .done',
  ]);
  expect(leftWords([], new Map())).toBe('');
});
