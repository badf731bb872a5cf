import { appendFile, readFile, stat, writeFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { isForeignJournal } from '../../../../src/engine/recovery/journal/read-journal.ts';
import { emptyJournal, intended, intent, ownJournal, RUN, readAll, settled } from './sample-journal.ts';

/** Three rows on their way, each in a line of its own behind the run's record. */
async function threeIntents() {
  const own = await ownJournal();
  for (const row of [1, 2, 3]) {
    await own.journal.write(intended('r1', intent(1, row)));
  }
  return { ...own, bytes: await readFile(own.file) };
}

describe('what was written', () => {
  test('is read back: the run, what was settled, the highest chunk, and open intents last', async () => {
    const { folder, journal } = await ownJournal();
    await journal.write({ kind: 'added', run: 'r1', chunk: 2 });
    await journal.write(intended('r1', intent(1, 1), intent(1, 2), intent(1, 3)));
    await journal.write({ kind: 'added', run: 'r1', chunk: 1 });
    journal.note(settled('r1', [1, 1, 'created "é\n\u2028" 😀']));
    journal.note({ kind: 'withdrawn', run: 'r1', rows: [[1, 2, 'i a 1']] });
    await journal.flush();
    const read = await readAll(folder, journal.worker);
    expect(read.kinds).toEqual(['run', 'settled', 'added', 'intended']);
    expect(read.runs.get('r1')).toEqual(RUN.fields);
    expect(read.added.get('r1')).toBe(2);
    expect([...read.settled.values()]).toEqual([{ chunk: 1, row: 1, outcome: 'created "é\n\u2028" 😀' }]);
    expect([...read.intended.values()]).toEqual([intent(1, 3)]);
    expect(journal.runs()).toEqual(['r1']);
  });

  test('is for its owner alone, a file for each run', async () => {
    const { folder, path, file, journal, files } = await ownJournal();
    await journal.write({ ...RUN, run: 'r2' });
    const modes = [folder, path, file].map(async (p) => (await stat(p)).mode & 0o777);
    expect(await Promise.all(modes)).toEqual([0o700, 0o700, 0o600]);
    expect(await files()).toEqual(['r1.log', 'r2.log']);
  });

  test('is all on the disk when concurrent writes have resolved', async () => {
    const { folder, journal } = await ownJournal();
    const rows = Array.from({ length: 2_000 }, (_, i) => i + 1);
    await Promise.all(rows.map((row) => journal.write(intended('r1', intent(1, row)))));
    expect((await readAll(folder, journal.worker)).intended.size).toBe(2_000);
  });

  test('of rows comes in parts of 200 at most, however many have the last word at the end', async () => {
    const { folder, journal } = await ownJournal();
    const rows = Array.from({ length: 1_000 }, (_, i) => i + 1);
    await journal.write(settled('r1', ...rows.map((row) => [1, row, 'in-doubt'] as const)));
    await journal.write(settled('r1', ...rows.map((row) => [1, row, 'created'] as const)));
    await journal.write(intended('r1', ...rows.map((row) => intent(2, 1_000 + row))));
    const read = await readAll(folder, journal.worker);
    expect([read.largest, read.settled.size, read.intended.size]).toEqual([200, 1_000, 1_000]);
  });
});

describe('a run', () => {
  test('that was never remembered has no intents written, and late outcomes are passed over', async () => {
    const { journal, files } = await emptyJournal();
    for (const record of [intended('r1', intent(1, 2)), { kind: 'added', run: 'r1', chunk: 1 }] as const)
      await expect(journal.write(record)).rejects.toThrow('has no record of run r1');
    journal.note(settled('r1', [1, 1, 'created']));
    await journal.flush();
    expect(await files()).toEqual([]);
  });

  test('that is forgotten goes with its file, and the others stay', async () => {
    const { folder, journal, files, troubles } = await ownJournal();
    await journal.write({ ...RUN, run: 'r2' });
    await journal.forget('r1');
    journal.note(settled('r1', [1, 1, 'created']));
    await expect(journal.write({ kind: 'added', run: 'r1', chunk: 1 })).rejects.toThrow('no record');
    expect([await files(), journal.runs(), troubles]).toEqual([['r2.log'], ['r2'], []]);
    expect([...(await readAll(folder, journal.worker)).runs.keys()]).toEqual(['r2']);
  });

  test('that begins anew while it is forgotten, at whatever moment, is remembered', async () => {
    for (let turns = 0; turns < 20; turns += 1) {
      const { folder, journal, troubles } = await ownJournal();
      const forgetting = journal.forget('r1');
      for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
      await journal.write({ ...RUN, fields: { rows: 'again' } });
      await forgetting;
      await journal.close();
      const { runs } = await readAll(folder, journal.worker);
      expect(runs.get('r1'), `${turns} turns`).toEqual({ rows: 'again' });
      expect(troubles).toEqual([]);
    }
  });
});

describe('a damaged journal', () => {
  test('with its last line torn at any byte is read up to there, without a word', async () => {
    const { folder, journal, file, bytes } = await threeIntents();
    const whole = bytes.lastIndexOf(10, bytes.length - 2) + 1;
    for (let size = bytes.length - 1; size >= whole; size -= 1) {
      await writeFile(file, bytes.subarray(0, size));
      const read = await readAll(folder, journal.worker);
      // Without its line feed alone the line is whole.
      expect(read.intended.size, `${size} bytes`).toBe(size === bytes.length - 1 ? 3 : 2);
      expect(read.damage).toEqual([]);
    }
  });

  test('that has zeros where something was written is not whole', async () => {
    const { folder, journal, file, bytes } = await threeIntents();
    for (let from = 0; from < bytes.length; from += 13) {
      for (const to of [from + 1, bytes.indexOf(10, from), bytes.indexOf(10, from) + 1, bytes.length]) {
        if (to <= from) continue;
        await writeFile(file, Buffer.from(bytes).fill(0, from, to));
        const { damage } = await readAll(folder, journal.worker);
        expect(damage, `zeros from ${from} to ${to}`).not.toEqual([]);
      }
    }
  });

  test('with a damaged line in the middle is read without it, and says where', async () => {
    const { folder, journal, file, bytes } = await threeIntents();
    await writeFile(file, bytes.toString().replace('"row":2', '"row":7'));
    const read = await readAll(folder, journal.worker);
    expect([...read.intended.keys()]).toEqual(['r1 1 1', 'r1 1 3']);
    expect(read.damage).toEqual([{ file, line: 3 }]);
  });

  test('with any one byte changed is never taken for whole', async () => {
    const { folder, journal, file, bytes } = await threeIntents();
    for (const at of bytes.keys()) {
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
    const { folder, journal, file, bytes } = await threeIntents();
    bytes.writeUInt8(11, bytes.lastIndexOf(10, bytes.length - 2));
    await writeFile(file, bytes.subarray(0, bytes.length - 9));
    expect((await readAll(folder, journal.worker)).damage).toEqual([{ file, line: 3 }]);
  });

  test('with a line of a kind that nobody knows is not whole', async () => {
    const { folder, journal, file } = await ownJournal();
    const json = '{"kind":"promised","run":"r1"}';
    await appendFile(file, `${crc32(json).toString(16).padStart(8, '0')} ${json}\n`);
    expect((await readAll(folder, journal.worker)).damage).toEqual([{ file, line: 2 }]);
  });
});

test.each([
  '{"kind":"run","run":"r1","fields":{},"version":10}',
  '{"kind":"journal","version":3}',
  '{"kind":"forgotten","run":"r0"}',
])('a journal of another version, %s, is known for that, and not for a run', async (json) => {
  const { folder, journal, file } = await ownJournal();
  await journal.write(intended('r1', intent(1, 1)));
  expect(await isForeignJournal(folder, journal.worker)).toBe(false);
  const [, ...rest] = (await readFile(file, 'utf8')).split('\n');
  const first = `${crc32(json).toString(16).padStart(8, '0')} ${json}`;
  await writeFile(file, [first, ...rest].join('\n'));
  expect(await isForeignJournal(folder, journal.worker)).toBe(true);
  const { runs, damage } = await readAll(folder, journal.worker);
  expect([runs.size, damage]).toEqual([0, [{ file, line: 1 }]]);
});

test('a journal that is closed keeps what was noted, and takes no more', async () => {
  const { folder, journal } = await ownJournal();
  journal.note(settled('r1', [1, 1, 'created']));
  await journal.close();
  await journal.close();
  expect((await readAll(folder, journal.worker)).settled.size).toBe(1);
  await expect(journal.write(RUN)).rejects.toThrow('closed');
  journal.note(settled('r1', [1, 2, 'created']));
});
