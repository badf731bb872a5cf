import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readEnvironment } from '../../src/config/environment.ts';
import { jobDefinitionSchema } from '../../src/config/job-definition.ts';
import { cautions, prepareHome } from '../../src/runs/before-start.ts';
import { onboard } from '../cli/memory-io.ts';
import { newRun } from '../support/runs.ts';

async function ownFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'onboard-home-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('a home that does not exist is made and said to be new; the next time it is not', async () => {
  const env = readEnvironment({ ONBOARD_HOME: join(await ownFolder(), 'home') });
  expect([await prepareHome(env), await prepareHome(env)]).toEqual([true, false]);
});

test('a home that can not be a folder is refused before anything is sent', async () => {
  const path = join(await ownFolder(), 'file');
  await writeFile(path, '');
  await expect(prepareHome(readEnvironment({ ONBOARD_HOME: path }))).rejects.toThrow(
    /ONBOARD_HOME .*file can't be used: ENOTDIR/,
  );
});

const FILE = join(import.meta.dirname, '../../samples/subclients-create.csv');

/** /proc says that it may be written to, and takes nothing in. */
test.runIf(existsSync('/proc/self')).each([
  ['run', ['run', 'subclients-create', FILE, '--sandbox']],
  ['run, for the service', ['run', 'subclients-create', FILE]],
  ['start', ['start', '--sandbox', '--once']],
  ['work', ['work']],
  ['runs', ['runs']],
  ['status', ['status', '20261122-000000-aaaa']],
  ['report', ['report', '20261122-000000-aaaa']],
])('%s ends at once, with one message, where the home can not be made', async (_, args) => {
  const env = { ONBOARD_HOME: '/proc/onboard', MSB_BASE_URL: 'http://127.0.0.1:9', MSB_TOKEN: 't' };
  expect(await onboard(args, env)).toEqual({
    exitCode: 3,
    stdout: '',
    stderr: expect.stringMatching(
      /^onboard: ONBOARD_HOME \/proc\/onboard can't be used: .*\. Expected a folder .*: set ONBOARD_HOME to one\.\n$/,
    ),
  });
});

test.each(['redis', 'reports', 'journal'])(
  'a file where the home has its folder %s is named before anything is sent',
  async (name) => {
    const home = await ownFolder();
    await writeFile(join(home, name), '');
    const env = { ONBOARD_HOME: home, MSB_BASE_URL: 'http://127.0.0.1:9', MSB_TOKEN: 't' };
    const { exitCode, stderr } = await onboard(['run', 'subclients-create', FILE], env);
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(
      new RegExp(`^onboard: ONBOARD_HOME .* can't be used: EEXIST: .*${name}'\\. Expected a folder`, 'm'),
    );
  },
);

const job = (definition: unknown) => ({ name: 'j', definition: jobDefinitionSchema.parse(definition) });
const { facts } = newRun({ rows: 3 });

test.each([
  ['a create without a key', { operation: 'subclient.create' }, [facts], [/no key/]],
  ['a create with a key', { operation: 'subclient.create', key: 'A' }, [facts], []],
  ['an update without a key', { operation: 'subclient.update' }, [facts], []],
  ['a file without rows', { operation: 'subclient.update' }, [{ ...facts, rows: 0 }], [/no rows/]],
] as const)('%s is worth the right caution', (_, definition, files, expected) => {
  expect(cautions(job(definition), files)).toEqual(expected.map((text) => expect.stringMatching(text)));
});
