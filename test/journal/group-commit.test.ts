import { expect, test } from 'vitest';
import { createGroupCommit } from '../../src/journal/group-commit.ts';
import { deferred } from '../support/deferred.ts';

/** A disk that takes what it is given, or fails as often as it is told to. */
function ownDisk(failures = 0) {
  const groups: string[] = [];
  const troubles: string[] = [];
  const epoch = { open: Promise.resolve(), failures };
  const group = createGroupCommit({
    async commit(text) {
      await epoch.open;
      epoch.failures -= 1;
      if (epoch.failures >= 0) throw new Error('full');
      groups.push(text);
    },
    onTrouble: (event, error) => troubles.push(`${event}: ${error.message}`),
  });
  return { group, groups, troubles, epoch };
}

test('what is asked for during a write goes with the next, in its order', async () => {
  const { group, groups, epoch } = ownDisk();
  const first = deferred<void>();
  epoch.open = first.promise;
  const writes = [group.write('a')];
  group.note('b');
  for (const text of ['c', 'd', 'e']) writes.push(group.write(text));
  first.resolve();
  await Promise.all(writes);
  expect(groups).toEqual(['a', 'bcde']);
});

test('a write that fails is refused and not tried again, a note is, before what comes later', async () => {
  const { group, groups, troubles } = ownDisk(1);
  group.note('a');
  await expect(group.write('b')).rejects.toThrow('full');
  await group.write('c');
  expect(groups).toEqual(['ac']);
  expect(troubles).toEqual(['the journal could not be written: full']);
});

test('a flush resolves after all notes before it, and is refused where they are not written', async () => {
  const { group, groups } = ownDisk(1);
  group.note('a');
  await expect(group.flush()).rejects.toThrow('full');
  await group.flush();
  expect(groups).toEqual(['a']);
});

test('more than memory should hold is dropped, the oldest first, and told of', async () => {
  const { group, groups, troubles } = ownDisk(1);
  const text = 'x'.repeat(6 * 1024 * 1024);
  for (const n of [1, 2, 3]) group.note(`${n}${text}`);
  await expect(group.flush()).rejects.toThrow('full');
  await group.flush();
  expect(groups.map((g) => g.replaceAll('x', ''))).toEqual(['23']);
  expect(troubles.at(-1)).toBe('the journal has dropped what it could not write: 1 records');
});
