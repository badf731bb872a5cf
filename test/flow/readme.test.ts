import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startFlow } from '../support/flow.ts';
import { ownFolder } from '../support/folder.ts';
import { newestRun } from '../support/run-control.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

type Shown = { readonly commands: readonly string[]; readonly output: readonly string[] };

/** The README's `sh` blocks: the lines that call the program, and those of the `text` block that shows what they print. */
async function readmeCommands(): Promise<Shown[]> {
  const text = await readFile(join(ROOT, 'README.md'), 'utf8');
  return [...text.matchAll(/^```sh\n(.*?)^```\n(?:\n```text\n(.*?)^```)?/gms)].map(
    ([, commands = '', output = '']) => ({
      commands: commands.split('\n').filter((line) => line.startsWith('npx onboard ')),
      output: output.split('\n').filter((line) => line !== '' && line !== '…'),
    }),
  );
}

/** Rows that do not succeed, and files with issues, are part of the samples. */
const ENDS = [0, 1];

test('every command of the README works as it stands, in the built program, and prints what is shown', async () => {
  const flow = await startFlow({ redis: 'embedded' });
  const folder = await ownFolder();
  for (const name of ['samples', 'jobs']) await cp(join(ROOT, name), join(folder, name), { recursive: true });
  const env = { MSB_BASE_URL: '', MSB_TOKEN: '', ONBOARD_JOBS: 'jobs' };
  const within = ['sh', '-c', 'cd "$0" && exec "$@"', folder];
  const blocks = await readmeCommands();
  expect(blocks.flatMap(({ commands }) => commands).length).toBeGreaterThan(10);
  expect(blocks.filter(({ output }) => output.length > 0).length).toBeGreaterThan(3);
  for (const { commands, output } of blocks) {
    let printed = '';
    for (const command of commands) {
      const words = command.split(' ').slice(2);
      const latest = words.includes('<run>') ? await newestRun(flow) : '';
      const args = words.map((word) =>
        word.replace('<run>', latest).replace('<folder>', join(folder, 'out')),
      );
      const { exitCode, stdout, stderr } = await flow.start(args, env, within).ended;
      expect(ENDS, `${command}\n${stderr}`).toContain(exitCode);
      expect(`${stdout}${stderr}`, command).not.toBe('');
      printed += `${stdout}${stderr}`;
    }
    const lines = asInReadme(printed, folder, flow.home).split('\n');
    expect(output.map(withoutNumbers).filter((line) => !lines.includes(line))).toEqual([]);
  }
});

/** As the README has it, with its folder for the test's. */
function asInReadme(printed: string, folder: string, home: string): string {
  const text = printed
    .replaceAll(/ONBOARD_HOME=\S+ /g, '')
    .replaceAll(home, '/srv/onboard/.onboard')
    .replaceAll(folder, '/srv/onboard');
  return withoutNumbers(text);
}

/** What differs from run to run, and how the program was started. */
function withoutNumbers(text: string): string {
  return text
    .replaceAll(/\d{8}-\d{6}-[a-z0-9]{4}/g, '<run>')
    .replaceAll(/\d[\d.,]* rows\/s/g, '<rate>')
    .replaceAll('npx onboard', 'onboard');
}
