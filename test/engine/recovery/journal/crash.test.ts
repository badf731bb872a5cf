import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';

import { listWorkers } from '../../../../src/engine/recovery/journal/folder.ts';
import { journalFolder, readAll } from './sample-journal.ts';

const BUILT = new URL('../../../../dist/engine/recovery/journal/', import.meta.url);
const LIB = new URL('../../../../dist/lib/', import.meta.url);

/** Writes rows one after the other and says which are on the disk, or why one isn't. */
const WRITER = `
import { openJournal } from '${BUILT}journal.js';
import { newWorkerId } from '${LIB}worker-id.js';
process.on('SIGXFSZ', () => {});
const [folder, rows] = process.argv.slice(1);
const worker = newWorkerId();
const onTrouble = (event, error) => process.stderr.write(event + ': ' + error.message + '\\n');
const journal = await openJournal({ folder, worker, onTrouble });
await journal.write({ kind: 'run', run: 'r1', fields: {} });
for (let row = 1; row <= Number(rows); row += 1) {
  const intent = { chunk: 1, row, mark: 'i a 1', key: { bucket: 'b'.repeat(100), digest: 'd' } };
  try {
    await journal.write({ kind: 'intended', run: 'r1', next: JSON.stringify({ ranges: [], rows: [intent] }) });
    process.stdout.write(row + '\\n');
  } catch (error) {
    process.stdout.write('failed ' + row + ' ' + error.message + '\\n');
  }
}
process.stdout.write('end\\n');
setInterval(() => {}, 1000);
`;

type Writer = { readonly child: ChildProcess; readonly lines: AsyncIterable<string> };

function startWriter(args: readonly string[], shell = ''): Writer {
  const script = `${shell} exec "$0" "$@"`;
  const node = [process.execPath, '--input-type=module', '-e', WRITER, ...args];
  const child = spawn('sh', ['-c', script, ...node], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, lines: createInterface({ input: child.stdout }) };
}

test('a process killed at any moment leaves all that was acknowledged', async () => {
  for (const after of [7, 333]) {
    const folder = await journalFolder();
    const { child, lines } = startWriter([folder, '100000']);
    let last = 0;
    for await (const line of lines) {
      last = Number(line);
      if (last === after) child.kill('SIGKILL');
    }
    const [worker = ''] = await listWorkers(folder);
    const read = await readAll(folder, worker);
    const rows = [...read.intended.values()].map(({ row }) => row);
    expect(rows.slice(0, last)).toEqual(Array.from({ length: last }, (_, i) => i + 1));
    expect(last).toBeGreaterThanOrEqual(after);
    expect(read.damage).toEqual([]);
  }
});

test('a disk that is full refuses the write, and what was and is acknowledged is read', async () => {
  const folder = await journalFolder();
  const { child, lines } = startWriter([folder, '200'], 'ulimit -f 16;');
  const acknowledged: number[] = [];
  const failed: string[] = [];
  for await (const line of lines) {
    if (line === 'end') child.kill('SIGKILL');
    else if (line.startsWith('failed')) failed.push(line);
    else acknowledged.push(Number(line));
  }
  const [worker = ''] = await listWorkers(folder);
  const read = await readAll(folder, worker);
  expect(failed[0]).toMatch(/r1\.log could not be written: EFBIG/);
  expect(acknowledged.length).toBeGreaterThan(10);
  expect(acknowledged.length + failed.length).toBe(200);
  expect([...read.intended.values()].map(({ row }) => row)).toEqual(acknowledged);
  expect(read.damage).toEqual([]);
});
