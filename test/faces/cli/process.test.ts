import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { openStandardStream } from '../../../src/faces/cli/process.ts';
import { orElse } from '../../../src/lib/errors.ts';
import { resultsWritten } from '../../../src/lib/terminal.ts';
import { atTestEnd } from '../../support/at-test-end.ts';
import { ownFolder } from '../../support/folder.ts';
import { MemoryStream, memoryIo } from './memory-io.ts';

/** A file that has room for 64 KiB, and for more as it is read. */
async function smallFile() {
  const path = join(await ownFolder(), 'log');
  execFileSync('mkfifo', [path]);
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  atTestEnd(() => closeSync(fd));
  const bytes = Buffer.alloc(1 << 20);
  return { fd, read: () => orElse('', () => bytes.toString('latin1', 0, readSync(fd, bytes))) };
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i} ${'é'.repeat((from + i) % 120)}\n`);

test.each([['itself'], ['beside']])(
  'lines that find no room are kept, the first and the last 1,000, and written whole when there is some, with the number of those that are missing: %s',
  async (where) => {
    const { fd, read } = await smallFile();
    const beside = new MemoryStream();
    const stream = openStandardStream(new PassThrough(), fd, ...(where === 'beside' ? [beside] : []));
    const io = { ...memoryIo(), stdout: stream };
    for (const line of numbered(1, 3_000)) stream.write(line);
    expect(await resultsWritten(io)).toHaveProperty('code', 'EAGAIN');
    let text = read();
    // Within a line.
    await resultsWritten(io);
    for (const line of numbered(3_001, 5_000)) stream.write(line);
    while ((await resultsWritten(io)) !== null) text += read();
    stream.write('and on\n');
    await resultsWritten(io);
    text += read();
    const notice = /^onboard: .* could not be written for a while; lines missing: (\d+)\n$/;
    const lines = Buffer.from(text, 'latin1').toString().match(/.*\n/g) ?? [];
    const told = [...lines, beside.text].filter((line) => notice.test(line));
    const came = lines.filter((line) => !notice.test(line));
    const missing = Number(notice.exec(told.join())?.[1]);
    const sent = new Set([...numbered(1, 5_000), 'and on\n']);
    expect(came.filter((line) => !sent.has(line))).toEqual([]);
    expect(came.slice(-1_001)).toEqual([...sent].slice(-1_001));
    expect([came.length + missing, beside.text === '']).toEqual([5_001, where === 'itself']);
  },
);
