import { appendFile, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { recordAct } from '../../src/engine/ledger/audit.ts';
import { createReleasers } from '../../src/lib/releasers.ts';
import { verifyChains } from '../../src/model/audit.ts';
import { keepAuditFile } from '../../src/runs/audit.ts';
import { useOwnRedis } from '../support/redis.ts';
import { openTestSession } from '../support/session.ts';
import { setAudit } from '../support/stored.ts';

const own = useOwnRedis();

/** A ledger, and what a process that keeps the file for so long leaves in it. */
async function openKept() {
  const session = await openTestSession(own(), onTestFinished);
  const { target } = session.service;
  const { redis } = session.ledger;
  const { keys } = session.ledger.of(target);
  const path = join(session.env.home, 'audit.ndjson');
  return {
    ...{ redis, keys, path },
    act: (person: string) => recordAct(redis, keys, { what: 'person-added', of: { person } }),
    texts: () => redis.lrange(keys.audit, 0, -1),
    async keep(work: () => Promise<unknown> = async () => undefined): Promise<readonly string[]> {
      const releasers = createReleasers();
      keepAuditFile({ ...session, releasers }, target);
      await work();
      await releasers.release();
      return (await readFile(path, 'utf8').catch(() => '')).trimEnd().split('\n');
    },
  };
}

test('the file has every entry once, over restarts and a write that was broken off, for its owner alone', async () => {
  const { act, keep, texts, path } = await openKept();
  expect(await keep()).toEqual(['']);
  await act('a');
  expect(await keep(() => act('b'))).toEqual(await texts());
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await appendFile(path, '{"n":3,"at":"20');
  await act('c');
  expect(await keep()).toEqual(await texts());
  expect(await keep()).toHaveLength(3);
});

test('what Redis lost stays in the file, which goes on from where the chain does, and shows it', async () => {
  const { act, keep, texts, redis, keys } = await openKept();
  for (const person of ['a', 'b', 'c']) await act(person);
  const before = await keep();
  await setAudit(redis, keys, before.slice(0, 1));
  expect(await keep()).toEqual(before);
  const after = await keep(async () => {
    for (const person of ['d', 'e']) await act(person);
  });
  expect(after).toEqual([...before, ...(await texts()).slice(1)]);
  expect(verifyChains(after).misfit).toBe(4);
});
