import { spawnSync } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startFlow } from '../support/flow.ts';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

test('bash completes commands, flags, jobs and runs, and leaves files to itself', async () => {
  const flow = await startFlow();
  const { summary } = await flow.load('subclients-create', 'externalId,details.name\nK1,Company 1\n');
  const program = join(flow.home, 'onboard');
  await writeFile(program, `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`);
  await chmod(program, 0o755);
  const env = {
    PATH: `${flow.home}:${process.env.PATH ?? ''}`,
    ONBOARD_HOME: flow.home,
    ONBOARD_JOBS: fileURLToPath(new URL('../../jobs', import.meta.url)),
    ONBOARD_ENCRYPTION_KEY: process.env.ONBOARD_ENCRYPTION_KEY ?? '',
    REDIS_URL: flow.redisUrl,
  };
  const complete = (line: string) => {
    const words = line.split(' ');
    const script = `source <(onboard completion bash)
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
COMP_LINE='${line}'; COMP_POINT=${line.length}
_onboard_completion; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = spawnSync('bash', ['--norc', '-c', script], { env, encoding: 'utf8' });
    return stdout.split('\n').filter((answer) => answer !== '');
  };
  expect(complete('onboard re')).toEqual([
    'rerun',
    'report',
    'reply',
    'resolve',
    'release',
    'resume',
    'rekey',
  ]);
  expect(complete('onboard cancel --r')).toEqual(['--reason']);
  expect(complete('onboard run subclients-c')).toEqual(['subclients-create']);
  expect(complete('onboard status ')).toEqual(['latest', summary.run]);
  expect(complete('onboard map --operation subclient.u')).toEqual(['subclient.update', 'subclient.upsert']);
  // The shell's own completion of files goes on.
  expect(complete('onboard run subclients-create /no/such/')).toEqual([]);
});
