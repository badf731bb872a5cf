import { mkdir, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claimEntry } from '../../src/inbox/claim.ts';
import { createRecovery, elsewhereLines } from '../../src/inbox/recover.ts';
import { createTeller } from '../../src/inbox/watcher.ts';
import { newWorkerId } from '../../src/journal/worker-registry.ts';
import { memoryIo } from '../cli/memory-io.ts';
import { entryIn, newClaim, setUpInbox } from './files.ts';

const ELSEWHERE = 'another-host.x.x.17.x.0123abcd';
const INFO_ELSEWHERE = `.claim.${ELSEWHERE}.json`;

/** A claim of that member, and how another watcher sees it. */
async function setUp(member: string, target = 'https://service') {
  const { home, inbox, base: processing } = await setUpInbox({ 'a.csv': 'text' });
  const entry = await entryIn(inbox, 'a.csv');
  const given = newClaim({ inbox, base: processing }, entry, { target });
  const claim = await claimEntry(entry, { ...given, member });
  if (claim === null) throw new Error('not claimed');
  const clock = { now: 0 };
  const recovery = createRecovery({
    places: { inbox, processing, done: '', failed: '' },
    teller: createTeller(memoryIo(), false),
    member: newWorkerId(),
    target: 'https://service',
    isMine: () => false,
    now: () => clock.now,
  });
  const seen = async () => {
    const { others, left } = await recovery.look([]);
    return { others: others.length, left: left.length };
  };
  return { claim, clock, recovery, seen, home };
}

test('a claim of a process on another host is left alone while that shows that it lives', async () => {
  const { claim, clock, seen } = await setUp(ELSEWHERE);
  expect(await seen()).toEqual({ others: 1, left: 0 });
  clock.now = 59_000;
  expect(await seen()).toEqual({ others: 1, left: 0 });
  const beat = new Date('2026-11-21T10:00:30Z');
  await utimes(join(claim.folder, INFO_ELSEWHERE), beat, beat);
  clock.now = 100_000;
  expect(await seen()).toEqual({ others: 1, left: 0 });
});

test('a claim of a process on another host that has not shown for a minute that it lives is taken over', async () => {
  const { clock, recovery, seen } = await setUp(ELSEWHERE);
  await seen();
  clock.now = 60_000;
  const { left } = await recovery.look([]);
  const [first] = left;
  if (first === undefined) throw new Error('expected a claim');
  expect((await recovery.takeUp(first))?.name).toBe('a.csv');
  expect(await recovery.takeUp(first)).toBeNull();
});

test('a claim of a process of this host that is gone is taken over at once', async () => {
  const dead = newWorkerId().replace(/\.\d+\.(\d+|x)\.([0-9a-f]+)$/, '.4194303.1.$2');
  expect(await (await setUp(dead)).seen()).toEqual({ others: 0, left: 1 });
});

test('a claim of a process of this host that lives is left alone', async () => {
  expect(await (await setUp(newWorkerId())).seen()).toEqual({ others: 1, left: 0 });
});

test('a claim for another target is left alone, whoever had it, and it is said what goes on with it', async () => {
  const dead = newWorkerId().replace(/\.\d+\.(\d+|x)\.([0-9a-f]+)$/, '.4194303.1.$2');
  const { recovery, seen, claim } = await setUp(dead, 'sandbox');
  expect(await seen()).toEqual({ others: 0, left: 0 });
  const { elsewhere } = await recovery.look([]);
  expect(elsewhere.map(({ id }) => id)).toEqual([claim.id]);
  expect([...elsewhereLines(elsewhere).values()]).toEqual([
    'a.csv is being processed for a rehearsal: left alone; `onboard start --sandbox` for it goes on',
  ]);
});

test('a claim that can not be looked into is passed over, and the others are found', async () => {
  const { home, seen } = await setUp(newWorkerId());
  const bad = join(home, 'processing', '20261121-100000-bbbb');
  await mkdir(join(bad, '.claim.x.json'), { recursive: true });
  await symlink('/dev/zero', join(home, 'processing', '20261121-100000-cccc'));
  expect(await seen()).toEqual({ others: 2, left: 0 });
});

test('a file that lies on another file system, in what is no inbox of its job any more, is not fetched', async () => {
  const { claim, recovery, clock } = await setUp(ELSEWHERE);
  await rm(claim.file);
  const info = join(claim.folder, INFO_ELSEWHERE);
  await writeFile(info, (await readFile(info, 'utf8')).replace('"isAbroad":false', '"isAbroad":true'));
  await recovery.look([]);
  clock.now = 60_000;
  const [first] = (await recovery.look([])).left;
  if (first === undefined) throw new Error('expected a claim');
  expect(await recovery.takeUp(first)).toBeNull();
  expect(await readdir(claim.folder)).toEqual([INFO_ELSEWHERE]);
});
