import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createEntityList, MAX_IDS_PER_DUPLICATE } from '../../src/sandbox/entity-list.ts';

test('every identifier is a UUID of its own and finds its entity again', () => {
  const list = createEntityList();
  const made = ['a', 'b', null].map((key) => list.add(key));
  expect(new Set(made.map((entity) => entity.id)).size).toBe(3);
  for (const entity of made) {
    expect(entity.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(list.find(entity.id)).toEqual(entity);
  }
});

test('an identifier of another list, or one not made yet, finds nothing', () => {
  const list = createEntityList();
  const other = createEntityList();
  const { id } = list.add('a');
  other.add('a');
  expect(other.find(id)).toBeNull();
  expect(list.find(id.replace(/0$/, '1'))).toBeNull();
  expect(list.find('')).toBeNull();
});

test('a restored entity keeps its identifier beside the ones made now', () => {
  const list = createEntityList();
  list.restore('11111111-1111-8111-8111-000000000000', 'old');
  const made = list.add('new');
  expect([...list.from(0)].map(({ id, key }) => [id, key])).toEqual([
    ['11111111-1111-8111-8111-000000000000', 'old'],
    [made.id, 'new'],
  ]);
  expect(list.find('11111111-1111-8111-8111-000000000000')?.key).toBe('old');
  expect([...list.from(1)]).toEqual([made]);
});

test('the duplicates are exactly the keys that were made more than once', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.constantFrom('a', 'b', 'c', '__proto__'))), (keys) => {
      const list = createEntityList();
      const ids = keys.map((key) => list.add(key).id);
      const expected = [...new Set(keys)].flatMap((key) => {
        const same = ids.filter((_, i) => keys[i] === key);
        return key === null || same.length < 2
          ? []
          : [{ key, count: same.length, ids: same.slice(0, MAX_IDS_PER_DUPLICATE) }];
      });
      const byKey = (x: { key: string }, y: { key: string }) => (x.key < y.key ? -1 : 1);
      expect([...list.duplicates(100)].sort(byKey)).toEqual(expected.sort(byKey));
      expect(list.duplicateKeys()).toBe(expected.length);
    }),
  );
});
