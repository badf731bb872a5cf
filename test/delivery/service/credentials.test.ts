import { spawnSync } from 'node:child_process';
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createCredentials } from '../../../src/delivery/service/credentials.ts';
import { UsageError } from '../../../src/lib/usage-error.ts';
import { ownFolder } from '../../support/folder.ts';
import { until } from '../../support/until.ts';

const SECRET = 'hunter2';
let folder = '';

beforeEach(async () => {
  folder = await ownFolder();
});

async function tokenFile(text: string): Promise<string> {
  const path = join(folder, 'token');
  await writeFile(path, text, { mode: 0o600 });
  return path;
}

/** The error that the source ends in: one for the user, and without a secret. */
async function failureOf(origin: Parameters<typeof createCredentials>[0]): Promise<string> {
  const error = await createCredentials(origin)
    .current()
    .catch((e: unknown) => e);
  expect(error).toBeInstanceOf(UsageError);
  const text = error instanceof Error ? `${error.message} ${error.stack} ${String(error.cause)}` : '';
  expect(text).not.toContain(SECRET);
  return text;
}

describe('a fixed token', () => {
  test('is given as it is, and there is no other', async () => {
    const credentials = createCredentials({ kind: 'value', value: 'abc' });
    expect(await credentials.current()).toBe('abc');
    expect(await credentials.refresh('abc')).toBeNull();
    expect(credentials.warning()).toBeNull();
  });

  test.each(['', '  ', `two ${SECRET}`, `two\n${SECRET}`, `${SECRET}é`, `Bearer ${SECRET}`])(
    '%j is refused',
    async (token) => {
      expect(await failureOf({ kind: 'value', value: token })).toMatch(
        /MSB_TOKEN.*expected the bearer token/,
      );
    },
  );
});

describe('a token file', () => {
  test('is read once, without the line break at its end', async () => {
    const path = await tokenFile('abc\n');
    const credentials = createCredentials({ kind: 'file', path });
    expect(await credentials.current()).toBe('abc');
    await writeFile(path, 'def');
    expect(await credentials.current()).toBe('abc');
  });

  test('is read again on a refresh', async () => {
    const path = await tokenFile('abc');
    const credentials = createCredentials({ kind: 'file', path });
    await credentials.current();
    expect(await credentials.refresh('abc')).toBeNull();
    await writeFile(path, 'def');
    expect(await credentials.refresh('abc')).toBe('def');
    expect(await credentials.current()).toBe('def');
  });

  test('that everybody can read is warned of', async () => {
    const path = await tokenFile('abc');
    const credentials = createCredentials({ kind: 'file', path });
    await credentials.current();
    expect(credentials.warning()).toBeNull();
    await chmod(path, 0o644);
    await credentials.refresh('abc');
    expect(credentials.warning()).toMatch(/every user/);
    expect(credentials.warning()).toContain(path);
  });

  test('that is missing, empty, too large or of several lines says what to do', async () => {
    expect(await failureOf({ kind: 'file', path: join(folder, 'none') })).toMatch(/ENOENT.*MSB_TOKEN_FILE/);
    expect(await failureOf({ kind: 'file', path: await tokenFile(' \n') })).toMatch(/is empty/);
    expect(await failureOf({ kind: 'file', path: await tokenFile(`a\n${SECRET}`) })).toMatch(/one line/);
    expect(await failureOf({ kind: 'file', path: await tokenFile('x'.repeat(70_000)) })).toMatch(/64 KiB/);
  });

  test('that is a pipe or a device is refused at once', async () => {
    const pipe = join(folder, 'pipe');
    expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
    expect(await failureOf({ kind: 'file', path: pipe })).toMatch(/no plain file.*MSB_TOKEN_COMMAND/);
    expect(await failureOf({ kind: 'file', path: '/dev/zero' })).toMatch(/no plain file/);
    expect(await failureOf({ kind: 'file', path: folder })).toMatch(/no plain file/);
  });

  test('that went away keeps the refresh from giving anything, and the problem is told', async () => {
    const path = await tokenFile('abc');
    const credentials = createCredentials({ kind: 'file', path });
    await credentials.current();
    await rm(path);
    expect(await credentials.refresh('abc')).toBeNull();
    expect(credentials.whyRefused()).toMatch(/could not be read/);
    await tokenFile('def');
    expect(await credentials.refresh('abc')).toBe('def');
    expect(credentials.whyRefused()).not.toMatch(/could not be read/);
  });
});

describe('a token command', () => {
  /** Prints t1, t2, … and leaves a line in the log for every time it runs. */
  const counting = () => `echo x >> '${folder}/log'; printf 't%d\\n' $(wc -l < '${folder}/log')`;
  const runs = async () => (await readFile(join(folder, 'log'), 'utf8')).split('\n').length - 1;

  test('runs once for callers at the same time, and again for a refresh', async () => {
    const credentials = createCredentials({ kind: 'command', command: counting() });
    const tokens = await Promise.all([credentials.current(), credentials.current(), credentials.current()]);
    expect(tokens).toEqual(['t1', 't1', 't1']);
    const fresh = await Promise.all([1, 2, 3, 4].map(() => credentials.refresh('t1')));
    expect(fresh).toEqual(['t2', 't2', 't2', 't2']);
    expect(await runs()).toBe(2);
  });

  test('does not run again for a caller whose token was replaced meanwhile', async () => {
    const credentials = createCredentials({ kind: 'command', command: counting() });
    await credentials.current();
    await credentials.refresh('t1');
    expect(await credentials.refresh('t1')).toBe('t2');
    expect(await runs()).toBe(2);
  });

  test.each([
    [`echo ${SECRET} >&2; exit 3`, /status 3/],
    [`echo ${SECRET} ${SECRET}`, /one line/],
    [`printf '${SECRET}\\nb'`, /one line/],
    ['true', /is empty/],
    ['kill -9 $$', /ended by SIGKILL/],
    [`yes ${SECRET}`, /64 KiB/],
    [`no-such-program-${SECRET}`, /status 127/],
  ])('%s says what to do, without its output', async (command, message) => {
    const text = await failureOf({ kind: 'command', command });
    expect(text).toMatch(message);
    expect(text).toMatch(/MSB_TOKEN_COMMAND/);
  });

  test('that reads its input gets none', async () => {
    const credentials = createCredentials({ kind: 'command', command: 'cat; echo abc' });
    expect(await credentials.current()).toBe('abc');
  });

  test('that ignores signals is killed with all it started when its time is up', async () => {
    const file = join(folder, 'pids');
    const command = `trap '' TERM INT HUP; sleep 300 & echo $$ $! > '${file}'; while :; do sleep 300; done`;
    const error = await createCredentials({ kind: 'command', command }, 2_000)
      .current()
      .catch((e: unknown) => e);
    expect(String(error)).toMatch(/MSB_TOKEN_COMMAND did not end within 2 s/);
    const pids = (await readFile(file, 'utf8')).trim().split(' ').map(Number);
    await until(() => pids.every((pid) => !isAtWork(pid)));
  });

  test('is over when it has ended, although a process that it left behind holds its output', async () => {
    const file = join(folder, 'pid');
    const command = `printf 'abc\\n'; sleep 300 & echo $! > '${file}'`;
    const credentials = createCredentials({ kind: 'command', command }, 60_000);
    expect(await credentials.current()).toBe('abc');
    const pid = Number(await readFile(file, 'utf8'));
    expect(isAtWork(pid)).toBe(true);
    process.kill(pid, 'SIGKILL');
  });
});

describe('another token, where the source has none yet', () => {
  /** Waits at once; `before`: what happens during each wait. */
  const waiting = (before: ReadonlyArray<() => Promise<unknown>>, forMs = 60_000) => {
    const pauses: number[] = [];
    const warnings: string[] = [];
    let begun = 0;
    return {
      pauses,
      warnings,
      begun: () => begun,
      edges: {
        forMs,
        async wait(ms: number) {
          pauses.push(ms);
          await before[pauses.length - 1]?.();
          return pauses.length <= before.length;
        },
        begun: () => {
          begun += 1;
        },
        warn: (words: string) => void warnings.push(words),
      },
    };
  };
  const nothing = async () => undefined;

  test('is asked for with growing pauses until it comes', async () => {
    const credentials = createCredentials({ kind: 'file', path: await tokenFile('abc') });
    await credentials.current();
    const { edges, pauses, begun } = waiting([nothing, nothing, nothing, nothing, () => tokenFile('def')]);
    expect(await credentials.another('abc', edges)).toBe('def');
    expect([pauses, begun()]).toEqual([[1_000, 2_000, 4_000, 8_000, 15_000], 1]);
  });

  test('also while the file is away; and no longer than somebody waits', async () => {
    const path = await tokenFile('abc');
    const credentials = createCredentials({ kind: 'file', path });
    await credentials.current();
    const { edges, pauses } = waiting([() => rm(path), nothing]);
    expect(await credentials.another('abc', edges)).toBeNull();
    expect(pauses).toHaveLength(3);
  });

  test('is not waited for where it is at hand, where there is no source, and where the time is over', async () => {
    const path = await tokenFile('abc');
    const credentials = createCredentials({ kind: 'file', path });
    await credentials.current();
    const late = waiting([nothing], 0);
    expect(await credentials.another('abc', late.edges)).toBeNull();
    await tokenFile('def');
    const { edges, pauses, begun } = waiting([]);
    expect(await credentials.another('abc', edges)).toBe('def');
    expect(await createCredentials({ kind: 'value', value: 'abc' }).another('abc', edges)).toBeNull();
    expect([late.pauses, pauses, begun()]).toEqual([[], [], 0]);
  });

  test('is not waited for where its command fails three times', async () => {
    const log = join(folder, 'log');
    const command = `echo x >> '${log}'; test -s '${log}.failing' && exit 3; echo abc`;
    const credentials = createCredentials({ kind: 'command', command });
    await credentials.current();
    await writeFile(`${log}.failing`, 'x');
    const { edges, pauses } = waiting([]);
    expect(await credentials.another('abc', edges)).toBeNull();
    expect(pauses).toEqual([]);
    expect(credentials.whyRefused()).toMatch(/status 3/);
    expect((await readFile(log, 'utf8')).split('\n')).toHaveLength(1 + 3 + 1);
  });

  test('may be there for a run that was paused, unless the source still gives the refused one', async () => {
    const credentials = createCredentials({ kind: 'file', path: await tokenFile('abc') });
    await credentials.current();
    expect(await credentials.mayBeAnother()).toBe(true);
    // What stands in the run's way is not the token: nothing is tried each minute.
    expect(await credentials.mayBeAnother()).toBe(false);
    await credentials.refresh('abc');
    expect(await credentials.mayBeAnother()).toBe(false);
    await tokenFile('def');
    expect(await credentials.mayBeAnother()).toBe(true);
  });

  test('that is refused as soon as it came may be ended by others, and is told as that', async () => {
    const log = join(folder, 'log');
    const command = `echo x >> '${log}'; wc -l < '${log}' | tr -d ' '`;
    const credentials = createCredentials({ kind: 'command', command });
    const { edges, warnings } = waiting([]);
    const second = await credentials.another(await credentials.current(), edges);
    expect(warnings).toEqual([]);
    await credentials.another(second ?? '', edges);
    expect(warnings).toEqual([expect.stringContaining('gets tokens for the same user')]);
    expect(credentials.whyRefused()).toBe(warnings[0]);
  });
});

/** A zombie, which only waits for its parent, has ended. */
function isAtWork(pid: number): boolean {
  const found = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim();
  return found !== '' && !found.startsWith('Z');
}
