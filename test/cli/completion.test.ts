import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownFile, ownFolder } from '../support/folder.ts';
import { onboard } from './memory-io.ts';

const CAPTURE = join(import.meta.dirname, '../support/capture-completion.zsh');

/** How each shell is asked what it offers at the end of `words`, with the script at `script`. */
const ASKED: Readonly<Record<string, (script: string, words: readonly string[]) => readonly string[]>> = {
  bash: (script, words) => [
    '--norc',
    '-c',
    `source ${script}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _onboard; printf '%s\n' "\${COMPREPLY[@]}"`,
    'bash',
    ...words,
  ],
  zsh: (_, words) => ['-f', CAPTURE, words.join(' ')],
};

async function offered(shell: string, words: readonly string[]): Promise<string[]> {
  const { stdout } = await onboard(['completion', shell]);
  const script = await ownFile(stdout, `onboard.${shell}`);
  const cwd = await ownFolder({ 'notes.txt': '', 'two words.csv': '' });
  const jobs = await ownFolder({ 'partner-x.yaml': '', 'partner two.yml': '', 'partner.txt': '' });
  const env = { ...process.env, ONBOARD_JOBS: jobs, ONBOARD_SCRIPT: script, HOME: cwd, TERM: 'xterm' };
  const said = execFileSync(shell, ASKED[shell]?.(script, ['onboard', ...words]) ?? [], {
    encoding: 'utf8',
    env,
    cwd,
    timeout: 20_000,
  });
  // What a word is for stands behind a tab; blanks are escaped where the shell itself puts the word in.
  const lines = said.split('\n').map((line) => line.replace(/\t.*/, '').replaceAll('\\ ', ' '));
  return lines.filter((line) => line !== '').sort();
}

const has = (shell: string) => spawnSync(shell, ['-c', 'exit']).status === 0;

const CASES: readonly (readonly [words: readonly string[], expected: readonly string[]])[] = [
  [['st'], ['start', 'status']],
  [['status', '--w'], ['--watch']],
  [['rerun', '--o'], ['--only']],
  [
    ['run', 'part'],
    ['partner two', 'partner-x'],
  ],
  [['run', 'partner-x', 'no'], ['notes.txt']],
  [['run', 'partner-x', 'tw'], ['two words.csv']],
  [['check', '--job-file', 'no'], ['notes.txt']],
];

for (const shell of ['bash', 'zsh']) {
  test.skipIf(!has(shell)).each(CASES)(`${shell} completes %j with %j`, async (words, expected) => {
    expect(await offered(shell, words)).toEqual(expected);
  });
}

test('another shell is refused with those that there are', async () => {
  const { stderr, exitCode } = await onboard(['completion', 'fish']);
  expect([exitCode, stderr]).toEqual([3, expect.stringContaining('Allowed choices are bash, zsh.')]);
});
