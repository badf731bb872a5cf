import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foreignForm } from '../../src/journal/read-journal.ts';
import { appendWritten, intent, ownJournal, readAll, settled, writtenIn } from './sample-journal.ts';

const RUN = { kind: 'run', run: 'r1', target: 'https://x', fields: { state: 'running', rows: '9' } } as const;

describe('what was written', () => {
  test('is read back: runs first, then the highest chunk, what was settled, and open intents last', async () => {
    const { folder, journal } = await ownJournal();
    await journal.write({ kind: 'added', run: 'r1', chunk: 2 });
    await journal.write({ kind: 'intended', run: 'r1', rows: [intent(1, 1), intent(1, 2), intent(1, 3)] });
    await journal.write(RUN);
    await journal.write({ kind: 'added', run: 'r1', chunk: 1 });
    journal.note(settled('r1', [1, 1, 'created "é\n\u2028" 😀']));
    journal.note({ kind: 'withdrawn', run: 'r1', rows: [[1, 2, 'i a 1']] });
    await journal.flush();
    const read = await readAll(folder, journal.worker);
    expect(read.kinds).toEqual(['run', 'added', 'settled', 'intended']);
    expect(read.runs.get('r1')).toEqual({ target: RUN.target, fields: RUN.fields });
    expect(read.added.get('r1')).toBe(2);
    expect([...read.settled.values()]).toEqual([[1, 1, 'created "é\n\u2028" 😀']]);
    expect([...read.intended.values()]).toEqual([intent(1, 3)]);
    expect(journal.runs()).toEqual(['r1']);
  });

  test('is for its owner alone', async () => {
    const { folder, path, journal, files } = await ownJournal();
    await journal.write(RUN);
    const modes = [folder, path, join(path, (await files())[0] ?? '')].map(
      async (p) => (await stat(p)).mode & 0o777,
    );
    expect(await Promise.all(modes)).toEqual([0o700, 0o700, 0o600]);
  });

  test('is all on the disk when concurrent writes have resolved', async () => {
    const { folder, journal } = await ownJournal();
    const rows = Array.from({ length: 2_000 }, (_, i) => i + 1);
    await Promise.all(
      rows.map((row) => journal.write({ kind: 'intended', run: 'r1', rows: [intent(1, row)] })),
    );
    expect((await readAll(folder, journal.worker)).intended.size).toBe(2_000);
  });
});

describe('a segment', () => {
  test('is prepared with zeros up to 256 KiB ahead, and not beyond where it is full', async () => {
    for (const [segmentBytes, size] of [
      [100_000, 100_000],
      [1_000_000, 262_144],
    ] as const) {
      const { path, journal, files } = await ownJournal(segmentBytes);
      await journal.write(RUN);
      const file = join(path, (await files())[0] ?? '');
      const { length } = await writtenIn(file);
      expect((await stat(file)).size).toBe(Math.min(segmentBytes, length + size));
      await journal.write({ ...RUN, run: 'r2' });
      expect((await stat(file)).size).toBe(Math.min(segmentBytes, length + size));
    }
  });

  test('that is full ends with its last line', async () => {
    const { path, journal, files } = await ownJournal(1_000);
    const rows = Array.from({ length: 40 }, (_, i) => intent(1, i));
    await journal.write({ kind: 'intended', run: 'r1', rows: rows.slice(0, 2) });
    await journal.write({ kind: 'intended', run: 'r1', rows });
    await journal.write(RUN);
    expect(await files()).toEqual(['000001.log', '000002.log']);
    const file = join(path, '000001.log');
    expect((await readFile(file)).at(-1)).toBe(10);
  });
});

describe('a row', () => {
  test('whose second intent was refused and withdrawn keeps its first', async () => {
    const { folder, journal } = await ownJournal();
    await journal.write({ kind: 'intended', run: 'r1', rows: [intent(1, 1, 'i a 1')] });
    await journal.write({ kind: 'intended', run: 'r1', rows: [intent(1, 1, 'i b 1')] });
    await journal.write({ kind: 'withdrawn', run: 'r1', rows: [[1, 1, 'i b 1']] });
    const read = await readAll(folder, journal.worker);
    expect([...read.intended.values()]).toEqual([intent(1, 1, 'i a 1')]);
  });

  test('that a later segment has on its way again is not settled by an earlier one', async () => {
    const { folder, journal, files } = await ownJournal(1);
    await journal.write(settled('r1', [1, 1, 'denied'], [1, 2, 'denied']));
    await journal.write({ kind: 'intended', run: 'r1', rows: [intent(1, 2)] });
    expect(await files()).toEqual(['000001.log', '000002.log']);
    const read = await readAll(folder, journal.worker);
    expect([...read.settled.keys()]).toEqual(['r1 1 1']);
    expect([...read.intended.keys()]).toEqual(['r1 1 2']);
  });
});

describe('a damaged journal', () => {
  test.each([
    ['the end of the file', 0],
    ['zeros that the file is prepared with', 5_000],
  ])(
    'with its last line torn at any byte, and behind it %s, is read up to there, without a word',
    async (_, zeros) => {
      const { folder, path, journal, files } = await ownJournal();
      await journal.write({ kind: 'intended', run: 'r1', rows: [intent(1, 1)] });
      const file = join(path, (await files())[0] ?? '');
      const whole = (await writtenIn(file)).length;
      await journal.write({ kind: 'intended', run: 'r1', rows: [intent(1, 2, 'é')] });
      const bytes = await writtenIn(file);
      for (let size = bytes.length - 1; size >= whole; size -= 1) {
        await writeFile(file, Buffer.concat([bytes.subarray(0, size)], size + zeros));
        const read = await readAll(folder, journal.worker);
        // Without its line feed alone the line is whole.
        expect(read.intended.size, `${size} bytes`).toBe(size === bytes.length - 1 ? 2 : 1);
        expect(read.damage).toEqual([]);
      }
      await writeFile(file, bytes);
    },
  );

  test('that has zeros where something was written, and something behind them, is not whole', async () => {
    const { folder, path, journal, files } = await ownJournal();
    for (const row of [1, 2, 3]) {
      await journal.write({ kind: 'intended', run: 'r1', rows: [intent(1, row)] });
    }
    const file = join(path, (await files())[0] ?? '');
    const bytes = await writtenIn(file);
    for (let from = 0; from < bytes.length; from += 13) {
      for (const to of [from + 1, bytes.indexOf(10, from), bytes.indexOf(10, from) + 1, bytes.length - 1]) {
        if (to <= from || to >= bytes.length) continue;
        await writeFile(file, Buffer.concat([bytes], 100_000).fill(0, from, to));
        const { damage } = await readAll(folder, journal.worker);
        expect(damage, `zeros from ${from} to ${to}`).not.toEqual([]);
      }
    }
    await writeFile(file, bytes);
  });

  test('after a power cut has all that was acknowledged, whatever parts the disk kept of the write after it', async () => {
    const { folder, path, journal, files } = await ownJournal(2_000);
    await journal.write({ kind: 'intended', run: 'r1', rows: [intent(1, 1)] });
    const file = join(path, (await files())[0] ?? '');
    const start = (await writtenIn(file)).length;
    const lines = [2, 3, 4].map((row) => ({ kind: 'intended', run: 'r1', rows: [intent(1, row)] }) as const);
    for (const line of lines) journal.note(line);
    await journal.flush();
    const bytes = await readFile(file);
    const parts = fc.array(fc.boolean(), { minLength: 12, maxLength: 12 });
    const property = fc.asyncProperty(parts, fc.constantFrom(32, 64), async (kept, size) => {
      const left = Buffer.from(bytes);
      kept.forEach((isKept, i) => {
        if (!isKept) left.fill(0, Math.max(start, i * size + start - 16), start + (i + 1) * size - 16);
      });
      await writeFile(file, left);
      const { intended, damage } = await readAll(folder, journal.worker);
      const rows = [...intended.values()].map(([, row]) => row);
      expect(rows[0]).toBe(1);
      // Where a line is missing in front of another one, it is said.
      if (rows.some((row, i) => row !== i + 1)) expect(damage).not.toEqual([]);
    });
    await fc.assert(property, { numRuns: 150 });
    await writeFile(file, bytes);
  });

  test('with a damaged line in the middle is read without it, and says where', async () => {
    const { folder, path, journal, files } = await ownJournal();
    for (const row of [1, 2, 3]) {
      await journal.write({ kind: 'intended', run: 'r1', rows: [intent(1, row)] });
    }
    const file = join(path, (await files())[0] ?? '');
    const lines = (await readFile(file, 'utf8')).split('\n');
    await writeFile(file, lines.map((line, i) => (i === 2 ? line.replace('[1,2', '[1,7') : line)).join('\n'));
    const read = await readAll(folder, journal.worker);
    expect([...read.intended.keys()]).toEqual(['r1 1 1', 'r1 1 3']);
    expect(read.damage).toEqual([{ file, line: 3 }]);
  });

  test('with any one byte changed is never taken for whole', async () => {
    const { folder, path, journal, files } = await ownJournal(100_000);
    await journal.write({ kind: 'intended', run: 'r1', rows: [intent(1, 1)] });
    await journal.write(settled('r1', [1, 1, 'created']));
    const file = join(path, (await files())[0] ?? '');
    const bytes = await readFile(file);
    const { length } = await writtenIn(file);
    // One byte right behind the last line is how the next line begins: nothing that was written is lost by it.
    const zeros = [length + 1, 65_535, 65_536, bytes.length - 1];
    for (const at of [...bytes.subarray(0, length).keys(), ...zeros]) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(bytes.readUInt8(at) ^ 1, at);
      await writeFile(file, changed);
      const { damage } = await readAll(folder, journal.worker);
      expect(damage, `byte ${at}`).not.toEqual([]);
    }
    await writeFile(file, bytes);
    expect((await readAll(folder, journal.worker)).damage).toEqual([]);
  });

  test('whose last but one line feed is changed, and the line behind it torn, is not whole', async () => {
    const { folder, path, journal, files } = await ownJournal();
    await journal.write({ kind: 'intended', run: 'r1', rows: [intent(1, 1)] });
    const file = join(path, (await files())[0] ?? '');
    const size = (await writtenIn(file)).length;
    await journal.write({ kind: 'intended', run: 'r1', rows: [intent(1, 2)] });
    const bytes = await writtenIn(file);
    bytes.writeUInt8(11, size - 1);
    await writeFile(file, bytes.subarray(0, bytes.length - 9));
    expect((await readAll(folder, journal.worker)).damage).toEqual([{ file, line: 2 }]);
  });

  test('with a line of a kind that nobody knows is not whole', async () => {
    const { folder, path, journal, files } = await ownJournal();
    await journal.write(RUN);
    const file = join(path, (await files())[0] ?? '');
    const json = '{"kind":"promised","run":"r1"}';
    await appendWritten(file, `${crc32(json).toString(16).padStart(8, '0')} ${json}\n`);
    expect((await readAll(folder, journal.worker)).damage).toEqual([{ file, line: 3 }]);
  });
});

describe('the version of a journal', () => {
  test('is in its first line, whose form is the same for ever', async () => {
    const { path, journal, files } = await ownJournal();
    await journal.write(RUN);
    const [head] = (await readFile(join(path, (await files())[0] ?? ''), 'utf8')).split('\n');
    expect(head).toBe('3f7f20af {"kind":"journal","version":4}');
  });

  const head = (version: number) => JSON.stringify({ kind: 'journal', version });
  const OLD = '{"kind":"forgotten","run":"r0"}';
  test.each([
    ['newer', head(5), 'form 5; this version of onboard knows form 4 alone'],
    ['older', head(1), 'form 1; this version of onboard knows form 4 alone'],
    [
      'older, without one',
      OLD,
      'an older form, without a version; this version of onboard knows form 4 alone',
    ],
  ])('that is %s is known for that, and nothing of such a journal is put back', async (_, json, words) => {
    const { folder, path, journal, files } = await ownJournal();
    await journal.write({ kind: 'intended', run: 'r1', rows: [intent(1, 1)] });
    expect(await foreignForm(folder, journal.worker)).toBeNull();
    const file = join(path, (await files())[0] ?? '');
    const [, ...rest] = (await readFile(file, 'utf8')).split('\n');
    const first = `${crc32(json).toString(16).padStart(8, '0')} ${json}`;
    await writeFile(file, [first, ...rest].join('\n'));
    expect(await foreignForm(folder, journal.worker)).toBe(words);
    const read = await readAll(folder, journal.worker);
    expect([read.kinds, read.damage]).toEqual([[], [{ file, line: 1 }]]);
  });

  test('of the form that compressed its full segments is known by them, whatever else is there', async () => {
    const { folder, path, journal } = await ownJournal();
    await journal.write(RUN);
    await writeFile(join(path, '000002.gz'), '');
    expect(await foreignForm(folder, journal.worker)).toBe(
      'form 1; this version of onboard knows form 4 alone',
    );
  });
});

describe('closing', () => {
  test('leaves an empty folder where nothing is to be kept, also a second time', async () => {
    const { journal, files } = await ownJournal();
    await journal.write(RUN);
    await journal.forget('r1');
    await journal.close();
    await journal.close();
    expect(await files()).toEqual([]);
  });

  test('keeps what is remembered, and none of the zeros behind it', async () => {
    const { folder, path, journal, files } = await ownJournal();
    await journal.write(RUN);
    journal.note(settled('r1', [1, 1, 'created']));
    await journal.close();
    expect(await files()).toEqual(['000001.log']);
    const [file = ''] = (await files()).map((name) => join(path, name));
    expect((await stat(file)).size).toBe((await writtenIn(file)).length);
    expect((await readAll(folder, journal.worker)).settled.size).toBe(1);
    await expect(journal.write(RUN)).rejects.toThrow('closed');
    journal.note(RUN);
  });
});
