import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { runProgram } from '../../../src/faces/cli/program.ts';
import { SHIPPED_TIMES } from '../../../src/lib/times.ts';
import { ownFolder } from '../../support/folder.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { serveHttp } from '../../support/server.ts';
import { MemoryStream, memoryIo } from './memory-io.ts';

const own = useOwnRedis();
const ACCEPT = '--accept-redis-settings';
const TIMES = { ...SHIPPED_TIMES, lookUpAfterMs: 0 };

/** Clears a screen, sets a title, turns the direction of text, hides, and begins a line of its own. */
const EVIL = 'x\u001b[2J\u001b]0;t\u0007\u009b31m\u007f\u202e\u2066\u2028\u200b\u0085\nFORGED: y';
/** A cell with a control character makes its row unreadable. */
const CELL = EVIL.replaceAll(/[^\P{Cc}\n]/gu, '');
const EVIL_IN_JSON = JSON.stringify(EVIL).slice(1, -1);
const ACTS = /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/u;

/** Refuses with a body that has the signs as they are, creates with an id that has them, and does not answer some. */
const startService = () =>
  serveHttp(async (request, response) => {
    const body = await text(request);
    if (body.includes('lost')) request.socket.destroy();
    else if (body.includes('refused')) response.writeHead(418).end(`{"message":"${EVIL}"}`);
    else response.end(`{"id":"${EVIL_IN_JSON}"}`);
  });

const column = (name: string) => `"${name} ${EVIL}"`;
const DEFINITION = JSON.stringify({
  operation: 'subclient.create',
  files: '*.csv',
  key: `key ${EVIL}`,
  fields: { 'additionalInformation.crmId': `key ${EVIL}`, 'details.name': `name ${EVIL}` },
  lookup: { path: '/v1/find?ref={key}', match: '/items', id: '/id' },
});
const HEADER = `${column('key')},${column('name')}`;
const ROWS = ['made', 'refused', 'lost'].map((name, i) => `"K${i} ${CELL}","${name} ${CELL}"`);

test('no command lets a name, a cell, a key, an id or an answer act on the terminal, or make a line of its own', async () => {
  const folder = join(await ownFolder(), `folder ${EVIL}`);
  const home = join(folder, 'home');
  const jobs = join(folder, 'jobs');
  for (const made of [jobs, join(home, 'inbox', `sub ${EVIL}`)]) await mkdir(made, { recursive: true });
  const at = (name: string) => join(folder, `${name} ${EVIL}`);
  await writeFile(join(jobs, 'evil.yaml'), DEFINITION);
  await writeFile(join(folder, 'job.yaml'), DEFINITION);
  await writeFile(
    join(folder, 'broken.yaml'),
    `${JSON.stringify(EVIL)}: 1\noperation: ${JSON.stringify(EVIL)}`,
  );
  await writeFile(at('rows.csv'), [HEADER, ...ROWS, ''].join('\n'));
  await writeFile(at('unknown.csv'), `${column('key')},${column('names')}\na,b\n`);
  await writeFile(at('rows.json'), JSON.stringify([{ [`a ${EVIL}`]: EVIL }]));
  await writeFile(join(home, 'inbox', 'a.csv'), [HEADER, '"I1","made"', ''].join('\n'));
  await writeFile(join(home, 'inbox', `sub ${EVIL}`, 'b.csv'), 'x');
  await writeFile(join(home, 'inbox', `c ${EVIL}.csv`), 'x');
  await writeFile(join(home, 'inbox', 'd\u200b\u00ad.txt'), 'x');

  const env = {
    ONBOARD_HOME: home,
    ONBOARD_JOBS: jobs,
    REDIS_URL: own().url,
    MSB_BASE_URL: await startService(),
    MSB_TOKEN: 't',
    ONBOARD_ACTOR: 'me\u202e',
    LOG_LEVEL: 'debug',
  };
  const commands = new Set<string>();
  const say = async (...args: readonly string[]) => {
    // A terminal: into a pipe goes a template as it is.
    const io = { ...memoryIo({ env }), stdout: new MemoryStream(true), times: TIMES };
    const exitCode = await runProgram(args, io);
    const said = { exitCode, stdout: io.stdout.text, stderr: io.stderr.text };
    for (const shown of [said.stdout, said.stderr]) {
      // The colours are the program's own.
      const plain = ['1', '2', '3', '9'].reduce(
        (rest, colour) => rest.replaceAll(`\u001b[3${colour}m`, ''),
        shown,
      );
      expect(plain, args.join(' ')).not.toMatch(ACTS);
      expect(plain, args.join(' ')).not.toMatch(/^FORGED/m);
    }
    commands.add(args[0] ?? '');
    return said;
  };
  const jsonOf = async (...args: readonly string[]) => JSON.parse((await say(...args, '--json')).stdout);

  await say('preview', at('rows.csv'));
  const [head = '', first = ''] = (await say('preview', at('rows.csv'), '--json')).stdout.split('\n');
  expect(JSON.parse(head).header).toEqual([`key ${EVIL}`, `name ${EVIL}`]);
  expect(JSON.parse(first).cells).toEqual([`K0 ${CELL}`, `made ${CELL}`]);
  await say('preview', at('gone.csv'));
  await say('map', at('rows.csv'), '--operation', 'subclient.create');
  await say('map', at('rows.json'), '--operation', 'subclient.create', '--out', join(folder, 'made.yaml'));
  await say('check', 'evil', at('rows.csv'));
  expect((await jsonOf('check', 'evil', at('rows.csv'))).file).toBe(at('rows.csv'));
  expect((await say('check', 'evil', at('unknown.csv'))).exitCode).not.toBe(0);
  await say('check', '--job-file', join(folder, 'broken.yaml'), at('rows.csv'));
  await say('template', '--job-file', join(folder, 'job.yaml'), '--json');
  await say('doctor');
  await say('doctor', '--json');
  await say('rekey');
  await say('completion', 'bash');
  await say('purge', '--older-than', '1d', '--dry-run');
  await say('schema');
  await say('sandbox', '--data-file', at('gone/data'), '--fault', EVIL);
  for (const args of [
    [EVIL],
    ['runs', `--${EVIL}`],
    ['run', 'evil', '--limit', EVIL],
    ['preview', 'a', EVIL],
  ])
    await say(...args);
  commands.delete(EVIL);

  expect((await say('run', EVIL, at('rows.csv'), ACCEPT)).exitCode).toBe(3);
  expect((await say('run', 'evil', at('rows.csv'), ACCEPT)).exitCode).toBe(5);
  const { run, file } = await jsonOf('run', 'evil', at('rows.csv'), ACCEPT);
  expect(file).toBe(at('rows.csv'));
  for (const command of ['runs', 'status']) {
    await say(command);
    await say(command, '--json');
  }
  expect((await jsonOf('status', run)).file).toBe(at('rows.csv'));
  await say('status', run);
  for (const args of [['evil'], ['evil', '--run', run], ['evil', '--json'], [EVIL]])
    await say('try', ...args);
  await say('report', run);
  await say('report', run, '--out', at('report'));
  await say('account', run, '--open', at('open.csv'));
  await say('account', EVIL);
  await say('reply', run);
  await say('reply', EVIL, '--lang', 'de');
  await say('write-off', run, '--only', EVIL, '--reason', EVIL);
  await say('write-off', run, EVIL, '--reason', 'closed');
  await say('adopt', 'evil', at('rows.csv'), '--id', column('name'), '--dry-run');
  await say('adopt', 'evil', at('rows.csv'), '--id', `name ${EVIL}`, ACCEPT);
  await say('adopt', EVIL, at('rows.csv'));
  await say('adopt', '--undo', run, '--reason', 'closed');
  await say('release', run, EVIL, '--reason', 'closed');
  await say('release', run, '1', '--reason', EVIL);
  await say('resolve', run, '--lookup');
  await say('resolve', run, '--file', join(home, 'reports', run, 'in-doubt.csv'));
  await say('resolve', run, '3', '--created', EVIL);
  await say('resolve', run, '3', '--created', 'd\u200b1');
  for (const option of ['--run=latest', '--json', '--verify', `--verify=${at('rows.csv')}`])
    await say('audit', option);
  for (const command of ['pause', 'resume', 'approve', 'cancel', 'status', 'report', 'rerun', 'resolve'])
    await say(command, EVIL, ...(command === 'resolve' ? ['--lookup'] : []));
  await say('rerun', run, ACCEPT);
  await say('start', '--once', '--rest', '0', ACCEPT);
  await say('watch', '--once', '--rest', '0', ACCEPT);
  await say('work', EVIL);
  await say('web', '--listen', EVIL);
  await say('web', '--add', EVIL, '--role', 'viewer');
  await say('web', '--remove', EVIL);

  const notes = (await readdir(join(home, 'failed'), { recursive: true })).filter((name) =>
    name.endsWith('.note.txt'),
  );
  // Of the file and the folder with such names, and of the file that no job takes.
  expect(notes.map(([first]) => first).sort()).toEqual(['c', 'd', 's']);
  for (const name of notes) expect(await readFile(join(home, 'failed', name), 'utf8')).not.toMatch(ACTS);
  const rejections = await readFile(join(home, 'reports', run, 'rejections.jsonl'), 'utf8');
  expect(rejections).not.toMatch(ACTS);
  expect(JSON.parse(rejections).body).toBe(`{"message":"${EVIL}"}`);

  const { stdout } = await say('--help');
  const all = [...stdout.matchAll(/^ {2}([\w-]+)(?= [ [<].*\S)/gm)].map(([, name = '']) => name);
  expect(all.filter((name) => !['help', 'onboard'].includes(name) && !commands.has(name))).toEqual([]);
});
