import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startFlow } from '../support/flow.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The lines of the README's `sh` blocks that call the program. */
async function readmeCommands(): Promise<string[]> {
  const text = await readFile(join(ROOT, 'README.md'), 'utf8');
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block);
  return blocks
    .flatMap((block) => block.split('\n'))
    .flatMap((line) => (line.startsWith('npx onboard ') ? [line] : []));
}

/** The commands of its other blocks: they need a run that went wrong, and are carried out by tests of their own. */
async function otherCommands(): Promise<string[]> {
  const text = await readFile(join(ROOT, 'README.md'), 'utf8');
  const names = [...text.matchAll(/^npx onboard ([a-z]+)\b/gm)].map(([, name = '']) => name);
  return [...new Set(names)];
}

test('every command that the README names is there, with an example in its help', async () => {
  const flow = await startFlow();
  const names = await otherCommands();
  expect(names.length).toBeGreaterThan(12);
  await Promise.all(
    names.map(async (name) => {
      const { exitCode, stdout } = await flow.onboard([name, '--help']);
      expect([name, exitCode]).toEqual([name, 0]);
      expect(stdout).toContain(`onboard ${name}`);
      expect(stdout).toMatch(/Examples?:/);
    }),
  );
});

/** Rows that do not succeed, and files with issues, are part of the samples. */
const ENDS = [0, 1];

test('every command of the README works as it stands', async () => {
  const flow = await startFlow();
  const out = await mkdtemp(join(tmpdir(), 'onboard-readme-'));
  const commands = await readmeCommands();
  expect(commands.length).toBeGreaterThan(10);
  for (const command of commands) {
    const words = command.split(' ').slice(2);
    const latest = words.includes('<run>') ? await latestRun(flow) : '';
    const args = words
      .map((word) => word.replace('<run>', latest).replace('<folder>', out))
      .map((word) => (word.includes('/') && !word.startsWith('/') ? join(ROOT, word) : word));
    const { exitCode, stdout, stderr } = await flow.onboard(args, { MSB_BASE_URL: '', MSB_TOKEN: '' });
    expect(ENDS, `${command}\n${stderr}`).toContain(exitCode);
    expect(stdout, command).not.toBe('');
  }
  await rm(out, { recursive: true });
});

async function latestRun(flow: Awaited<ReturnType<typeof startFlow>>): Promise<string> {
  const { stdout } = await flow.onboard(['runs', '--json', '--limit', '1']);
  return JSON.parse(stdout.trim()).id;
}
