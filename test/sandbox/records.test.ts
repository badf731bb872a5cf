import { appendFileSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { UsageError } from '../../src/lib/usage-error.ts';
import { openRecords } from '../../src/sandbox/records.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { ownFolder } from '../support/folder.ts';
import { call, DRAFTS, openSandbox, SUBCLIENTS } from './call-sandbox.ts';

test('the duplicates are exactly the keys that were made more than once, with the first 20 identifiers', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(fc.constantFrom('a', 'b', 'c', '__proto__'))), async (keys) => {
      const { entities } = await openRecords(null);
      const ids = keys.map((key) => entities.draft.add(key).id);
      expect(new Set(ids).size).toBe(ids.length);
      for (const [i, id] of ids.entries()) expect(entities.draft.find(id)?.number).toBe(i);
      const expected = [...new Set(keys)].flatMap((key) => {
        const same = ids.filter((_, i) => keys[i] === key);
        return key === null || same.length < 2 ? [] : [{ key, count: same.length, ids: same.slice(0, 20) }];
      });
      const byKey = (x: { key: string }, y: { key: string }) => (x.key < y.key ? -1 : 1);
      expect([...entities.draft.duplicates(100)].sort(byKey)).toEqual(expected.sort(byKey));
      expect(entities.draft.duplicateKeys()).toBe(expected.length);
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
  expect(second.stats()).toMatchObject({ made: { subclients: 1, drafts: 1 }, updated: 2 });
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
  await second.close();

  const third = await openSandbox({ dataFile });
  expect([...third.entities('subclient')].map((entity) => entity.key)).toEqual(['whole', 'next']);
});

test('a line of another kind is dropped', async () => {
  const dataFile = await newFile();
  appendFileSync(dataFile, '{"kind":"other"}\n[]\n');
  const sandbox = await openSandbox({ dataFile });
  expect(sandbox.stats()).toMatchObject({ made: { subclients: 0, drafts: 0 } });
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
