import { spawnSync } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startFlow } from '../support/flow.ts';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** `onboard` on the PATH, one run in its ledger. */
async function startShell() {
  const flow = await startFlow();
  const { summary } = await flow.load('subclients-create', 'externalId,details.name\nK1,Company 1\n');
  const folder = join(flow.home, 'shell');
  await mkdir(folder);
  const program = join(folder, 'onboard');
  await writeFile(program, `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`);
  await chmod(program, 0o755);
  const env = {
    HOME: folder,
    ZDOTDIR: folder,
    PATH: `${folder}:${process.env.PATH ?? ''}`,
    ONBOARD_HOME: flow.home,
    ONBOARD_JOBS: fileURLToPath(new URL('../../jobs', import.meta.url)),
    ONBOARD_ENCRYPTION_KEY: process.env.ONBOARD_ENCRYPTION_KEY ?? '',
    REDIS_URL: flow.redisUrl,
  };
  return { env, folder, run: summary.run };
}

test('bash completes commands, flags, jobs and runs, and leaves files to itself', async () => {
  const { env, run } = await startShell();
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
  expect(complete('onboard status ')).toEqual(['latest', run]);
  expect(complete('onboard audit --run ')).toEqual(['latest', run]);
  expect(complete('onboard map --operation subclient.u')).toEqual(['subclient.update', 'subclient.upsert']);
  // The shell's own completion of files goes on.
  expect(complete('onboard run subclients-create /no/such/')).toEqual([]);
});

const hasZsh = spawnSync('zsh', ['-f', '-c', 'zmodload zsh/zpty']).status === 0;

/** Types each line and a tab at a shell in a terminal of its own; prints what then stands there. */
const TYPING = `
zmodload zsh/zpty
zpty shell zsh -d -i
typed() { zpty -w -n shell "$1"$'\\C-xm'; zpty -r -m shell seen '*<<*>>*' && seen=\${seen##*<<} && print -r -- "\${seen%%>>*}" }
typed '' > /dev/null
for line in "$@"; do typed $'\\C-u'"$line"$'\\t'; done`;

const RC = `autoload -Uz compinit && compinit -u -D
source ~/.onboard-completion.zsh
as-it-stands() { print -rn -- "<<$BUFFER>>" }
zle -N as-it-stands && bindkey '^Xm' as-it-stands
`;

test.skipIf(!hasZsh)(
  'zsh (where it is installed) completes the same, also behind another command',
  async () => {
    const { env, folder, run } = await startShell();
    const { stdout: script } = spawnSync('onboard', ['completion', 'zsh'], { env, encoding: 'utf8' });
    await writeFile(join(folder, '.onboard-completion.zsh'), script);
    await writeFile(join(folder, '.zshrc'), RC);
    await writeFile(join(folder, 'portfolio.csv'), '');
    const cases = [
      ['onboard stat', 'onboard status '],
      ['onboard cancel --rea', 'onboard cancel --reason '],
      ['onboard run subclients-c', 'onboard run subclients-create '],
      [`onboard status ${run.slice(0, 2)}`, `onboard status ${run} `],
      ['onboard audit --run la', 'onboard audit --run latest '],
      ['onboard run subclients-create portf', 'onboard run subclients-create portfolio.csv '],
      [
        'cd . && A=1 onboard run --job-file "my job" --fre',
        'cd . && A=1 onboard run --job-file "my job" --fresh ',
      ],
    ] as const;
    const lines = cases.map(([line]) => line);
    const typed = spawnSync('zsh', ['-f', '-c', TYPING, 'zsh', ...lines], {
      env: { ...env, TERM: 'dumb' },
      cwd: folder,
      timeout: 60_000,
      encoding: 'utf8',
    });
    expect(typed.stdout.split('\n').filter((line) => line !== '')).toEqual(cases.map(([, whole]) => whole));
  },
);
