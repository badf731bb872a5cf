import { expect, test } from 'vitest';
import { shellFilter } from '../../src/lib/shell-filter.ts';

const WITHIN = { timeoutMs: 60_000, failed: (problem: string) => new Error(problem) };

async function* blocks(...texts: string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}

async function textOf(bytes: AsyncIterable<Buffer>): Promise<string> {
  const all: Buffer[] = [];
  for await (const block of bytes) all.push(block);
  return Buffer.concat(all).toString('utf8');
}

test('what a command prints of the bytes is what comes out', async () => {
  expect(await textOf(shellFilter(blocks('Zm9v', 'IGJhcg=='), 'base64 -d', WITHIN))).toBe('foo bar');
});

test('far more than a pipe holds passes, both ways', async () => {
  const large = 'x'.repeat(1_000_000);
  expect(await textOf(shellFilter(blocks(large, large, large), 'cat', WITHIN))).toHaveLength(3_000_000);
});

test('a command that reads no further leaves nothing unread', async () => {
  let read = 0;
  async function* counted() {
    for (let i = 0; i < 50; i += 1) {
      read += 1;
      yield Buffer.alloc(100_000, 'x');
    }
  }
  expect(await textOf(shellFilter(counted(), 'head -c 3', WITHIN))).toBe('xxx');
  expect(read).toBe(50);
});

test.each([
  ['cat; exit 3', 'ended with status 3'],
  ['no-such-command-anywhere', 'ended with status 127'],
  ['kill -9 $$', 'was ended by SIGKILL'],
])('%s has failed: it %s', async (command, problem) => {
  await expect(textOf(shellFilter(blocks('a'), command, WITHIN))).rejects.toThrow(problem);
});

test('one that takes too long is ended', async () => {
  const soon = { ...WITHIN, timeoutMs: 20 };
  await expect(textOf(shellFilter(blocks('a'), 'sleep 600', soon))).rejects.toThrow('did not end within');
});
