import { appendFileSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { UsageError } from '../../src/lib/usage-error.ts';
import { createEntityList, MAX_IDS_PER_DUPLICATE } from '../../src/sandbox/records.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { ownFolder } from '../support/folder.ts';
import { call, DRAFTS, openSandbox, SUBCLIENTS } from './call-sandbox.ts';

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

const OLD = '11111111-1111-8111-8111-000000000000';

test('a restored entity keeps its identifier beside the ones made now', () => {
  const list = createEntityList();
  list.restore(OLD, 'old');
  const made = list.add('new');
  expect([...list.from(0)]).toEqual([expect.objectContaining({ id: OLD, key: 'old' }), made]);
  expect(list.find(OLD)?.key).toBe('old');
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

const newFile = async () => join(await ownFolder(), 'made.ndjson');
const idSchema = z.object({ id: z.string() });

test('what was made and updated is there again in the next life', async () => {
  const dataFile = await newFile();
  const first = await openSandbox({ dataFile });
  const { id } = idSchema.parse((await call(first, SUBCLIENTS, { details: { name: 'Ada' } })).json());
  await call(first, DRAFTS, { name: 'Payee' });
  await call(first, `PATCH /v1/subclients/${id}`, { details: { alias: 'a' } });
  await call(first, 'PATCH /v1/subclients/sub-0001', { details: { alias: 'seed' } });
  const made = [...first.entities('subclient'), ...first.entities('draft')];
  await first.close();

  const second = await openSandbox({ dataFile });
  expect([...second.entities('subclient'), ...second.entities('draft')]).toEqual(made);
  expect(second.stats()).toMatchObject({ made: { subclients: 1, drafts: 1 }, updated: 2, droppedLines: 0 });
  const updated = await call(second, `PATCH /v1/subclients/${id}`, { kyc: {} });
  expect(updated.json()).toMatchObject({ id, vanityId: 'S-000001', details: { name: 'Ada', alias: 'a' } });
  const seeded = await call(second, 'PATCH /v1/subclients/sub-0001', {});
  expect(seeded.json()).toMatchObject({ details: { alias: 'seed' } });
});

test('a key made again in a later life is a duplicate', async () => {
  const dataFile = await newFile();
  const first = await openSandbox({ dataFile });
  await call(first, SUBCLIENTS, { details: { name: 'Ada' } });
  await first.close();
  const second = await openSandbox({ dataFile });
  await call(second, SUBCLIENTS, { details: { name: 'Ada' } });
  expect(second.stats().duplicates).toMatchObject([{ key: 'Ada', count: 2 }]);
});

test('two sandboxes on one file at the same time lose nothing of each other', async () => {
  const dataFile = await newFile();
  const [one, two] = [await openSandbox({ dataFile }), await openSandbox({ dataFile })];
  await call(one, SUBCLIENTS, { details: { name: 'Ada' } });
  await call(two, SUBCLIENTS, { details: { name: 'Bob' } });
  const entities = (...of: readonly (typeof one)[]) =>
    of.flatMap((sandbox) => [...sandbox.entities('subclient')].map(({ id, key }) => `${id} ${key}`));
  expect(entities(await openSandbox({ dataFile }))).toEqual(entities(one, two));
});

test('an entity whose answer never came is in the file', async () => {
  const dataFile = await newFile();
  const sandbox = await openSandbox({ dataFile, faults: ['reset-after-create=always'] });
  await expect(call(sandbox, SUBCLIENTS, { details: { name: 'Ada' } })).rejects.toThrow();
  expect(readFileSync(dataFile, 'utf8')).toContain('"key":"Ada"');
});

test('a line torn at the end of the file is dropped, and what follows stands on its own', async () => {
  const dataFile = await newFile();
  const first = await openSandbox({ dataFile });
  await call(first, SUBCLIENTS, { details: { name: 'whole' } });
  await call(first, SUBCLIENTS, { details: { name: 'torn' } });
  await first.close();
  truncateSync(dataFile, readFileSync(dataFile).length - 10);

  const second = await openSandbox({ dataFile });
  await call(second, SUBCLIENTS, { details: { name: 'next' } });
  expect(second.stats().droppedLines).toBe(1);
  await second.close();

  const third = await openSandbox({ dataFile });
  expect([...third.entities('subclient')].map((entity) => entity.key)).toEqual(['whole', 'next']);
});

test('a line of another kind is dropped and counted', async () => {
  const dataFile = await newFile();
  appendFileSync(dataFile, '{"kind":"other"}\n[]\n');
  const sandbox = await openSandbox({ dataFile });
  expect(sandbox.stats()).toMatchObject({ droppedLines: 2, made: { subclients: 0, drafts: 0 } });
});

test('no personal data of a draft but its key is in the file', async () => {
  const dataFile = await newFile();
  const sandbox = await openSandbox({ dataFile });
  await call(sandbox, DRAFTS, { name: 'Payee', alias: 'A-1', email: 'p@example.com' });
  expect(readFileSync(dataFile, 'utf8')).toContain('A-1');
  expect(readFileSync(dataFile, 'utf8')).not.toContain('Payee');
});

test('a file that can not be opened keeps it from starting', async () => {
  await expect(startSandbox({ dataFile: join(await newFile(), 'below', 'file') })).rejects.toThrow(
    UsageError,
  );
});
