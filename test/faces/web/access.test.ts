import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { assertSafe, hostNameOf, readAccess } from '../../../src/faces/web/access.ts';
import { addPerson, readPeople, removePerson } from '../../../src/faces/web/people.ts';
import { ownFile, ownFolder } from '../../support/folder.ts';

const PROXY = {
  ONBOARD_WEB_USER_HEADER: 'X-User',
  ONBOARD_WEB_PROXY: '127.0.0.1',
  ONBOARD_WEB_PROXY_SECRET_FILE: '/nowhere',
};
const TOKEN = 'a-token-that-several-know';

test.each<[Record<string, string>, string]>([
  [{ ONBOARD_WEB_TOKEN: 'short' }, 'ONBOARD_WEB_TOKEN: expected at least 16 characters'],
  [{ ONBOARD_WEB_ORIGIN: 'http://onboard.example.com' }, 'ONBOARD_WEB_ORIGIN: expected where browsers see'],
  [{ ONBOARD_WEB_ORIGIN: 'https://onboard.example.com/' }, 'ONBOARD_WEB_ORIGIN: expected where browsers see'],
  [{ ONBOARD_WEB_ORIGIN: 'onboard.example.com' }, 'ONBOARD_WEB_ORIGIN: expected where browsers see'],
  [{ ONBOARD_WEB_USER_HEADER: 'X-User' }, 'expected all three'],
  [{ ONBOARD_WEB_PROXY: '10.0.0.5' }, 'expected all three'],
  [{ ONBOARD_WEB_PROXY_SECRET_FILE: '/etc/hostname' }, 'expected all three'],
  [{ ONBOARD_WEB_USER_HEADER: 'X-User', ONBOARD_WEB_PROXY: '10.0.0.5' }, 'X-Onboard-Proxy-Secret'],
  [{ ...PROXY, ONBOARD_WEB_USER_HEADER: 'X User' }, 'expected the name of a header'],
  [{ ...PROXY, ONBOARD_WEB_PROXY_SECRET_FILE: '/nowhere/secret' }, 'ENOENT'],
])('%j is refused before anybody could get in', (env, problem) => {
  expect(() => readAccess(env, '/nowhere')).toThrow(problem);
});

test('an empty variable is one that is not set, addresses are a list, and the secret is one line of a file', async () => {
  const file = await ownFile('a-secret-of-the-proxy\n', 'secret');
  await chmod(file, 0o600);
  const env = {
    ONBOARD_WEB_TOKEN: '',
    ONBOARD_WEB_USER_HEADER: 'X-User',
    ONBOARD_WEB_PROXY: '10.0.0.5, ::1',
    ONBOARD_WEB_PROXY_SECRET_FILE: file,
  };
  expect(readAccess(env, '/nowhere')).toMatchObject({
    sharedToken: null,
    origin: null,
    proxy: { header: 'X-User', addresses: ['10.0.0.5', '::1'], secret: 'a-secret-of-the-proxy' },
  });
});

test.each([
  ['that others may read', 'a-secret-of-the-proxy', 0o644, 'chmod 600'],
  ['that is short', 'short', 0o600, 'openssl rand -hex 32'],
  ['of several lines', 'a-secret-of-the-proxy\nand-another', 0o600, 'openssl rand -hex 32'],
])('a file %s is no secret of a proxy', async (_, text, mode, problem) => {
  const file = await ownFile(text, 'secret');
  await chmod(file, mode);
  const env = { ...PROXY, ONBOARD_WEB_PROXY_SECRET_FILE: file };
  expect(() => readAccess(env, '/nowhere')).toThrow(problem);
  expect(() => readAccess(env, '/nowhere')).not.toThrow(text.slice(0, 5));
});

test.each<[string, Record<string, string>, string[]]>([
  ['127.0.0.1', {}, []],
  ['::1', {}, []],
  ['localhost', {}, []],
  ['0.0.0.0', {}, ['expected ONBOARD_WEB_ORIGIN', 'nobody could log in']],
  ['::', { ONBOARD_WEB_TOKEN: TOKEN }, ['expected ONBOARD_WEB_ORIGIN']],
  ['10.0.0.7', { ONBOARD_WEB_ORIGIN: 'https://onboard.example.com' }, ['nobody could log in']],
  [
    '10.0.0.7',
    { ONBOARD_WEB_ORIGIN: 'http://127.0.0.1:4780', ONBOARD_WEB_TOKEN: TOKEN },
    ['ONBOARD_WEB_ORIGIN=https'],
  ],
  ['10.0.0.7', { ONBOARD_WEB_ORIGIN: 'https://onboard.example.com', ONBOARD_WEB_TOKEN: TOKEN }, []],
])('listening on %s with %j is refused for %j', async (host, env, problems) => {
  const said = await assertSafe(readAccess(env, '/nowhere'), host).then(
    () => '',
    (error: Error) => error.message,
  );
  expect(said.split('\n').filter((line) => line !== '').length).toBe(problems.length);
  for (const problem of problems) expect(said).toContain(problem);
});

test('people are kept by the digests of their tokens, for their owner alone, until they are removed', async () => {
  const home = await ownFolder();
  expect(await readPeople(home)).toEqual([]);
  const first = await addPerson(home, 'eva', 'viewer');
  await addPerson(home, 'ops-1', 'operator');
  const second = await addPerson(home, 'eva', 'operator');
  expect((await readPeople(home)).map(({ name, role }) => [name, role])).toEqual([
    ['ops-1', 'operator'],
    ['eva', 'operator'],
  ]);
  const file = join(home, 'web', 'people.json');
  const text = await readFile(file, 'utf8');
  expect(text.includes(first) || text.includes(second)).toBe(false);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await removePerson(home, 'eva');
  expect((await readPeople(home)).map(({ name }) => name)).toEqual(['ops-1']);
});

test('no machine becomes a person by a renewed token, nor a person a machine', async () => {
  const home = await ownFolder();
  await addPerson(home, 'ci', 'operator', 'bea@host');
  await addPerson(home, 'eva', 'operator');
  await expect(addPerson(home, 'ci', 'operator')).rejects.toThrow('ci is a machine: expected --machine');
  await expect(addPerson(home, 'eva', 'viewer', 'bea@host')).rejects.toThrow('eva is a person');
  await addPerson(home, 'ci', 'viewer', 'bea@host');
  expect(await readPeople(home)).toMatchObject([{ name: 'eva' }, { name: 'ci', maker: 'bea@host' }]);
});

test('a home has a host name for its page, which is made once, and again where the file holds none', async () => {
  const [home, other] = [await ownFolder(), await ownFolder()];
  const name = await hostNameOf(home);
  expect(name).toMatch(/^onboard-[0-9a-f]{20}\.localhost$/);
  expect([await hostNameOf(home), (await hostNameOf(other)) === name]).toEqual([name, false]);
  const file = join(home, 'web', 'host');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  for (const text of ['', 'evil.example', `${name}\nx`]) {
    await writeFile(file, text);
    expect(await hostNameOf(home)).toMatch(/^onboard-[0-9a-f]{20}\.localhost$/);
  }
});

test('a name that could be taken for something else is refused, and so is removing nobody', async () => {
  const home = await ownFolder();
  for (const name of ['', 'eva (as claimed)', '../eva', 'e\nva', 'x'.repeat(65)])
    await expect(addPerson(home, name, 'viewer')).rejects.toThrow('expected a name such as ops-1');
  await expect(removePerson(home, 'eva')).rejects.toThrow('there is nobody of that name; there are none');
});

test('a file of people that was written by hand and is wrong lets nobody in', async () => {
  const home = await ownFolder();
  await mkdir(join(home, 'web'));
  for (const text of ['', '{}', '[{"name":"eva"}]']) {
    await writeFile(join(home, 'web', 'people.json'), text);
    await expect(readPeople(home)).rejects.toThrow('expected what `onboard web --add` wrote');
  }
});
