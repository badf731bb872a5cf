import { describe, expect, test } from 'vitest';
import { intent, ownJournal, readAll, settled } from './sample-journal.ts';

const runOf = (run: string) => ({ kind: 'run', run, target: 't', fields: { a: 'b' } }) as const;

describe('full segments', () => {
  test('stay while open chunks go on, and rows in flight over their edge are kept', async () => {
    const { folder, journal, files, troubles } = await ownJournal(2_000);
    await journal.write(runOf('r1'));
    for (let row = 1; row <= 200; row += 1) {
      await journal.write({ kind: 'intended', run: 'r1', rows: [intent(1, row)] });
      if (row > 3) journal.note(settled('r1', [1, row - 3, 'created']));
    }
    await journal.flush();
    const read = await readAll(folder, journal.worker);
    expect((await files()).length).toBeGreaterThan(5);
    expect(read.runs.has('r1')).toBe(true);
    expect(read.settled.size).toBe(197);
    expect([...read.intended.keys()]).toEqual(['r1 1 198', 'r1 1 199', 'r1 1 200']);
    expect(troubles).toEqual([]);
  });

  test('are read whole while the next ones are written', async () => {
    const { folder, journal } = await ownJournal(3_000);
    for (let row = 1; row <= 600; row += 1) {
      const write = journal.write({ kind: 'intended', run: 'r1', rows: [intent(1, row)] });
      if (row % 20 !== 0) continue;
      await write;
      const read = await readAll(folder, journal.worker);
      expect(read.intended.size).toBe(row);
    }
  });
});

describe('a forgotten run', () => {
  test('takes nothing with it of one that begins meanwhile, at whatever moment', async () => {
    for (let turns = 0; turns < 20; turns += 1) {
      const { folder, journal, troubles } = await ownJournal();
      await journal.write(runOf('r1'));
      const forgetting = journal.forget('r1');
      for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
      await journal.write(runOf('r2'));
      await forgetting;
      await journal.close();
      expect([...(await readAll(folder, journal.worker)).runs.keys()], `${turns} turns`).toEqual(['r2']);
      expect(troubles).toEqual([]);
    }
  });

  test('beside another is not read any more, and the other is', async () => {
    const { folder, journal, files } = await ownJournal(500);
    await journal.write(runOf('r1'));
    await journal.write(runOf('r2'));
    for (let row = 1; row <= 20; row += 1) await journal.write(settled('r1', [1, row, 'created']));
    await journal.write({ kind: 'intended', run: 'r2', rows: [intent(1, 1)] });
    const before = (await files()).length;
    await journal.forget('r1');
    const read = await readAll(folder, journal.worker);
    expect((await files()).length).toBeLessThan(before);
    expect([...read.runs.keys()]).toEqual(['r2']);
    expect(read.settled.size).toBe(0);
    expect(read.intended.size).toBe(1);
    await journal.close();
    expect([...(await readAll(folder, journal.worker)).runs.keys()]).toEqual(['r2']);
  });

  test.each([
    { kind: 'intended', run: 'r1', rows: [intent(1, 2)] },
    { kind: 'ranged', run: 'r1', ranges: [[1, 'i a 1.', [2, 'bucket', 'digest']]] },
  ] as const)(
    'that gets a late outcome stays forgotten, and begins anew with an intent ($kind)',
    async (record) => {
      const { folder, journal } = await ownJournal();
      await journal.write(runOf('r1'));
      await journal.forget('r1');
      await journal.write(settled('r1', [1, 1, 'created']));
      expect(journal.runs()).toEqual([]);
      await journal.write(record);
      expect(journal.runs()).toEqual(['r1']);
      expect((await readAll(folder, journal.worker)).intended.size).toBe(1);
    },
  );
});
