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

test('a group that fails is refused, notes and all, and not tried again', async () => {
  const { group, groups, troubles } = ownDisk(1);
  group.note('a');
  await expect(group.write('b')).rejects.toThrow('full');
  await group.write('c');
  expect(groups).toEqual(['c']);
  expect(troubles).toEqual(['the journal could not be written: full']);
});

test('a flush resolves after all notes before it, and is refused where they are not written', async () => {
  const { group, groups } = ownDisk(1);
  group.note('a');
  await expect(group.flush()).rejects.toThrow('full');
  group.note('b');
  await group.flush();
  expect(groups).toEqual(['b']);
});
