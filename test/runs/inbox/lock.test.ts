import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rmdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readEnvironment } from '../../../src/config/environment.ts';
import { createReleasers } from '../../../src/lib/releasers.ts';
import { newWorkerId } from '../../../src/lib/worker-id.ts';
import { lockInboxes } from '../../../src/runs/inbox/watch.ts';
import { memoryIo } from '../../faces/cli/memory-io.ts';
import { ownFolder } from '../../support/folder.ts';
import { until } from '../../support/until.ts';

async function setUp() {
  const home = await ownFolder();
  const env = readEnvironment({ ONBOARD_HOME: home });
  const lock = (interrupted?: AbortSignal) => {
    const io = memoryIo(interrupted === undefined ? {} : { interrupted });
    const releasers = createReleasers(() => undefined);
    return { io, release: releasers.release, locked: lockInboxes({ env, io, releasers }) };
  };
  /** As a process leaves it that is killed. */
  const held = async (by: string) => {
    await mkdir(join(home, 'watching'));
    await writeFile(join(home, 'watcher'), by);
  };
  return { home, lock, held };
}

const otherPid = (id: string) => id.replace(/\.\d+\.(\d+|x)\.([0-9a-f]+)$/, '.4194303.1.$2');
const onAnotherHost = 'another-host.x.x.17.x.0123abcd';

test('a second watcher is told whose the inboxes are, and has them once that one ends', async () => {
  const { lock } = await setUp();
  const first = lock();
  await first.locked;
  await expect(lock().locked).rejects.toThrow(
    /^process \d+ on .* watches the inboxes of this ONBOARD_HOME: expected one/,
  );
  await first.release();
  const second = lock();
  await second.locked;
  await second.release();
});

test('a killed watcher of this machine has lost the inboxes at once', async () => {
  const { lock, held } = await setUp();
  await held(otherPid(newWorkerId()));
  const { io, locked, release } = lock();
  await locked;
  expect(io.stderr.text).toBe('');
  await release();
});

test('while a watcher takes the inboxes, nothing names the one that had them: it would be taken for killed', async () => {
  const { home, lock } = await setUp();
  const [watching, watcher] = [join(home, 'watching'), join(home, 'watcher')];
  const gone = otherPid(newWorkerId());
  await writeFile(watcher, gone);
  const { locked, release } = lock();
  let isTaken = false;
  void locked.then(() => {
    isTaken = true;
  });
  while (!isTaken) {
    const named = existsSync(watching) && existsSync(watcher) ? readFileSync(watcher, 'utf8') : '';
    expect(named).not.toBe(gone);
    await new Promise(setImmediate);
  }
  await release();
});

test('a watcher of another machine is waited for: who is told to end meanwhile has not taken its place', async () => {
  const { home, lock, held } = await setUp();
  await held(onAnotherHost);
  const told = new AbortController();
  const { io, locked } = lock(told.signal);
  void until(() => io.stderr.text !== '').then(() => told.abort());
  await expect(locked).rejects.toThrow('process 17 on another-host watches the inboxes');
  expect(io.stderr.text).toContain('process 17 on another-host may still watch');
  expect(await readdir(home)).toContain('watching');
});

test('a watcher of another machine that has not renewed its lock has lost it', async () => {
  const { home, lock, held } = await setUp();
  await held(onAnotherHost);
  const before = new Date(Date.now() - 60_000);
  await utimes(join(home, 'watching'), before, before);
  const { locked, release } = lock();
  await locked;
  await release();
  await expect(rmdir(join(home, 'watching'))).rejects.toThrow('ENOENT');
});
