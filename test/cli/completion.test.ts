import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { ownFile, ownFolder } from '../support/folder.ts';
import { onboard } from './memory-io.ts';

/** What bash offers at the end of these words. */
async function offered(...words: readonly string[]): Promise<string[]> {
  const { stdout } = await onboard(['completion', 'bash']);
  const script = await ownFile(stdout, 'onboard.bash');
  const jobs = await ownFolder({ 'partner-x.yaml': '', 'partner-y.yml': '', 'notes.txt': '' });
  const asked = `source ${script}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _onboard; printf '%s\n' "\${COMPREPLY[@]}"`;
  const env = { ...process.env, ONBOARD_JOBS: jobs };
  const said = execFileSync('bash', ['-c', asked, 'bash', 'onboard', ...words], {
    encoding: 'utf8',
    env,
    cwd: jobs,
  });
  return said.split('\n').filter((line) => line !== '');
}

test.each([
  [['st'], ['start', 'status']],
  [['status', '--w'], ['--watch']],
  [['rerun', '--o'], ['--only']],
  [
    ['run', 'partner-x'],
    ['partner-x', 'partner-x.yaml'],
  ],
  [['run', 'partner-x', 'no'], ['notes.txt']],
])('bash completes %j with %j', async (words, expected) => {
  expect(await offered(...words)).toEqual(expected);
});

test.each(['zsh', 'fish'])('the script for %s names every command and its options', async (shell) => {
  const { stdout, exitCode } = await onboard(['completion', shell]);
  expect(exitCode).toBe(0);
  for (const word of ['resolve', 'not-created', 'completion', 'watch']) expect(stdout).toContain(word);
});

test('another shell is refused with those that there are', async () => {
  const { stderr, exitCode } = await onboard(['completion', 'tcsh']);
  expect([exitCode, stderr]).toEqual([3, expect.stringContaining('expected one of bash, zsh, fish')]);
});
