import { existsSync } from 'node:fs';
import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { commandOf, explain, loadCommands, runProgram } from '../../../src/faces/cli/program.ts';
import { asCalled } from '../../../src/lib/terminal.ts';
import { programVersion } from '../../../src/lib/version.ts';
import { BrokenOffError } from '../../../src/runs/redis-wait.ts';
import { ownFolder } from '../../support/folder.ts';
import { MemoryStream, memoryIo, onboard } from './memory-io.ts';

const COMMANDS = (
  'run preview check try start watch work runs status report rerun resolve pause resume approve cancel ' +
  'template map schema sandbox doctor rekey reply completion'
).split(' ');

/** A file of the test's own, and the environment of a home that is not there yet. */
async function ownStart(env: Readonly<Record<string, string>> = {}) {
  const folder = await ownFolder();
  const file = join(folder, 'a.csv');
  await writeFile(file, 'externalId,details.name\nK1,Company 1\n');
  const home = join(folder, 'home');
  return { folder, file, home, env: { ONBOARD_HOME: home, ONBOARD_JOBS: 'jobs', ...env } };
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

describe('help', () => {
  test.each(COMMANDS)('of %s says what it does and shows an example of it', async (command) => {
    const said = await onboard([command, '--help']);
    expect([said.exitCode, said.stderr]).toEqual([0, '']);
    expect(said.stdout).toContain(`Usage: onboard ${command}`);
    expect(said.stdout).not.toMatch(/default:\s+(\[\]|"")/);
    expect(said.stdout).toMatch(new RegExp(`\\nExamples?:\\n  (\\w+=\\S+ )?onboard ${command}\\b`));
  });

  test('of the program names every command, the environment and the exit statuses', async () => {
    const said = await onboard(['--help']);
    expect(said.exitCode).toBe(0);
    for (const command of COMMANDS) expect(said.stdout).toMatch(new RegExp(`^  ${command}\\b`, 'm'));
    for (const word of 'MSB_BASE_URL MSB_TOKEN_FILE REDIS_URL ONBOARD_HOME Exit Example'.split(' '))
      expect(said.stdout).toContain(word);
    expect(await onboard(['help'])).toEqual(said);
  });

  test('of the program shows each command in the group of what it is for, and what the token needs', async () => {
    const { stdout } = await onboard(['--help']);
    const groups = [...stdout.matchAll(/^([A-Z][a-z ]+):\n((?: {2}.*\n)+)/gm)].map(([, name, lines = '']) => [
      name,
      [...lines.matchAll(/^ {2}([a-z-]+)/gm)].map(([, command]) => command),
    ]);
    expect(Object.fromEntries(groups)).toMatchObject({
      'Load files': ['preview', 'check', 'try', 'run', 'adopt', 'rerun'],
      Look: ['status', 'runs', 'report', 'audit', 'account', 'reply'],
      Decide: ['resolve', 'write-off', 'release', 'pause', 'resume', 'approve', 'cancel', 'purge'],
      'Keep running': ['start', 'watch', 'work', 'web'],
      'Set up': ['map', 'template', 'schema', 'doctor', 'rekey', 'sandbox', 'completion', 'help'],
    });
    expect(stdout).not.toMatch(/^Commands:/m);
    expect(stdout).toContain("'Subclient / Create'");
  });

  test('of the sandbox names every fault that it knows, and what a 403 stands for', async () => {
    const { stdout } = await onboard(['sandbox', '--help']);
    const { stderr } = await onboard(['sandbox', '--fault', 'none-such=always']);
    const names = /expected one of (.*)\.\n/.exec(stderr)?.[1]?.split(', ') ?? [];
    expect(names.length).toBeGreaterThan(15);
    for (const name of names) expect(stdout).toContain(name);
    expect(stdout).toContain('403 a missing permission');
  });

  test('breaks its lines between words where the window is narrower than they are', async () => {
    for (const args of [['--help'], ['start', '--help'], ['template', '--help']]) {
      const io = { ...memoryIo(), stdout: Object.assign(new MemoryStream(true), { columns: 72 }) };
      await runProgram(args, io);
      const prose = io.stdout.text.split('\n').filter((line) => !line.includes('onboard '));
      expect(Math.max(...prose.map((line) => line.length))).toBeLessThanOrEqual(72);
    }
  });

  test('is shown on stderr where no command is given', async () => {
    const said = await onboard([]);
    expect([said.exitCode, said.stdout]).toEqual([3, '']);
    expect(said.stderr).toContain('Usage: onboard');
  });
});

test.each(['--version', '-V'])('%s prints the version alone', async (flag) => {
  expect(await onboard([flag])).toEqual({ exitCode: 0, stdout: `${programVersion()}\n`, stderr: '' });
});

test.each([
  [['rnu'], "unknown command 'rnu'", 'Did you mean run?'],
  [['tempalte', 'subclients-create'], "unknown command 'tempalte'", 'Did you mean template?'],
  [['runs', '--limt', '3'], "unknown option '--limt'", 'Did you mean --limit?'],
  [['run', '--sandbx', 'job', 'a.csv'], "unknown option '--sandbx'", 'Did you mean --sandbox?'],
  [['report'], "missing required argument 'run'", 'onboard --help shows what there is'],
  [['report', 'r1', 'r2'], 'too many arguments', 'onboard --help shows what there is'],
  [['runs', '--limit', '0'], 'expected a whole number from 1', 'onboard --help shows what there is'],
  [['preview', 'a.csv', '--rows', 'ten'], 'expected a whole number from 1', ''],
  [['check', '--job-file'], "option '--job-file <file>' argument missing", ''],
])('the wrong command line %j: exit status 3, the mistake, the likely sense', async (args, problem, hint) => {
  const said = await onboard(args);
  expect([said.exitCode, said.stdout]).toEqual([3, '']);
  expect(said.stderr).toContain(problem);
  expect(said.stderr).toContain(hint);
});

describe('what has to be mended before the start', () => {
  test('every problem of the environment is a line on stderr, and the exit status is 3', async () => {
    const env = { MSB_BASE_URL: 'nowhere', LOG_LEVEL: 'loud', MSB_TOKEN: 'a', MSB_TOKEN_FILE: 'b' };
    const said = await onboard(['runs'], env);
    expect([said.exitCode, said.stdout]).toEqual([3, '']);
    expect(said.stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^onboard: MSB_BASE_URL: /),
      expect.stringMatching(/^onboard: LOG_LEVEL: /),
      expect.stringMatching(/^onboard: MSB_TOKEN and MSB_TOKEN_FILE are both set/),
    ]);
  });

  test.each([
    ['no job', ['run'], 'No job: expected'],
    ['no file', ['run', 'subclients-create'], 'No file: expected `onboard run JOB '],
    ['a job that there is not', ['check', 'subclient-create', 'FILE'], 'Did you mean "subclients-create"?'],
    ['a file that there is not', ['check', 'subclients-create', 'FILE.gone'], 'FILE.gone'],
    ['a long delimiter', ['preview', 'FILE', '--format', 'delimiter=::'], '--format delimiter: expected'],
    ['all rows for people', ['preview', 'FILE', '--all'], 'expected --json beside it'],
  ])('%s', async (_, args, problem) => {
    const { file, env } = await ownStart();
    const typed = args.map((argument) => argument.replace('FILE', file));
    const said = await onboard(typed, env);
    expect([said.exitCode, said.stdout]).toEqual([3, '']);
    expect(said.stderr).toContain(problem.replace('FILE', file));
    expect(said.stderr).toMatch(/^onboard: /);
  });

  test.each([
    ['no service and no token', {}, ['MSB_BASE_URL is not set', 'No credentials']],
    ['no token', { MSB_BASE_URL: 'https://api.example.com' }, ['No credentials']],
  ])('%s: neither `run` nor `work` begins, and nothing is made in the home', async (_, env, problems) => {
    const own = await ownStart(env);
    for (const args of [['run', 'subclients-create', own.file], ['work']]) {
      const said = await onboard(args, own.env);
      expect([said.exitCode, said.stdout]).toEqual([3, '']);
      const lines = said.stderr.trimEnd().split('\n');
      expect(lines.map((line) => line.replace('onboard: ', ''))).toEqual(
        problems.map((problem) => expect.stringContaining(problem)),
      );
    }
    expect(await exists(own.home)).toBe(false);
  });
});

test('the schema is JSON', async () => {
  const { exitCode, stdout: schema } = await onboard(['schema']);
  expect(exitCode).toBe(0);
  expect(JSON.parse(schema)).toMatchObject({ type: 'object', properties: { operation: {} } });
});

test.each([
  [{}, 'onboard'],
  [{ npm_command: 'exec' }, 'npx onboard'],
  [{ npm_command: 'run-script' }, 'npx onboard'],
  [{ ONBOARD_HOME: '/srv/a b' }, "ONBOARD_HOME='/srv/a b' onboard"],
  [{ ONBOARD_HOME: './.onboard', npm_command: 'exec' }, 'npx onboard'],
  [{ ONBOARD_HOME: 'other', npm_command: 'exec' }, 'ONBOARD_HOME=/work/other npx onboard'],
  [{ ONBOARD_HOME: '' }, 'onboard'],
])('with %j commands are printed as %s', (env, expected) => {
  expect(commandOf(env, '/work')).toBe(expected);
});

test.each([
  [['runs'], 0, 'No runs yet in the ledger of HOME.'],
  [['status'], 0, 'There is no ledger in HOME yet'],
  [['status', 'latest'], 3, 'There is no ledger in HOME yet'],
  [['status', '--json'], 0, '"ledger": "HOME"'],
  [['runs', '--json'], 0, ''],
  [['report', 'latest'], 3, 'There is no ledger in HOME yet'],
  [['cancel', 'latest'], 3, 'There is no ledger in HOME yet'],
])('%j only reads: it makes no ledger where there is none, exit status %i', async (args, exitCode, words) => {
  const home = join(await ownFolder(), 'home');
  const said = await onboard(args, { ONBOARD_HOME: home });
  expect(said.exitCode).toBe(exitCode);
  expect(said.stdout + said.stderr).toContain(words.replace('HOME', home));
  expect(existsSync(home)).toBe(false);
});

test('before the first run into a fresh ledger somebody at the terminal is asked, and may say no', async () => {
  const folder = await ownFolder({ 'a.csv': 'externalId,details.name\na,A\nb,B\n' });
  const env = { ONBOARD_HOME: join(folder, 'home'), MSB_BASE_URL: 'https://api.example.com', MSB_TOKEN: 't' };
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const io = { ...memoryIo({ env }), stderr: new MemoryStream(true), stdin };
  stdin.write('n\n');
  expect(await runProgram(['run', 'subclients-create', join(folder, 'a.csv')], io)).toBe(3);
  expect(io.stderr.text).toContain(
    '2 rows for subclient.create at https://api.example.com, the first run there',
  );
  expect(io.stderr.text).toContain('Nothing is sent.');
  // A no leaves nothing behind.
  expect(existsSync(env.ONBOARD_HOME)).toBe(false);
});

test.each([
  ['by itself', new TypeError('Jane')],
  ['in a run', new BrokenOffError('Jane', { cause: new TypeError('Jane') })],
])('a defect that shows %s has a status of its own, and is told by its place alone', (_, error) => {
  const io = memoryIo();
  expect(explain(error, io)).toBe(70);
  expect(io.stderr.text).toMatch(
    /^onboard: a defect of the program, .+ \(TypeError\):\n +at .*program\.test/,
  );
  expect(io.stderr.text).not.toContain('Jane');
});

test.each([
  ['by itself', false, false, 2, 'onboard: unexpected: It broke.\nTo go on: onboard run a.csv\n'],
  ['while it was ending for a signal', false, true, 4, 'onboard: It broke.\nTo go on: onboard run a.csv\n'],
  ['and is lost', true, false, 2, 'onboard: It broke.\n'],
  ['and is lost, while it was ending for a signal', true, true, 2, 'onboard: It broke.\n'],
])('of a run that broke off %s it is said how to go on', (_, isLost, isInterrupted, exitCode, words) => {
  const interruption = new AbortController();
  if (isInterrupted) interruption.abort();
  const io = memoryIo({ typed: 'onboard run a.csv', interrupted: interruption.signal });
  expect(explain(new BrokenOffError('It broke.', { isLost }), io)).toBe(exitCode);
  expect(io.stderr.text).toBe(words);
});

test('every command is printed as this program was called', async () => {
  const program = new Command('onboard');
  for (const add of await loadCommands([])) add(program, memoryIo(), () => undefined);
  const names = program.commands.map((command) => command.name());
  expect(names).toContain('try');
  const command = 'ONBOARD_HOME=/o onboard';
  for (const name of names) expect(asCalled(`onboard ${name} x`, { command })).toBe(`${command} ${name} x`);
});
