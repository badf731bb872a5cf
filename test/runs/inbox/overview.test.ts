import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Account } from '../../../src/model/account.ts';
import { countUnsuccessful, noOutcomes, type OutcomeCounts } from '../../../src/model/outcome.ts';
import type { Run } from '../../../src/model/run.ts';
import { openJobBook } from '../../../src/runs/inbox/job-book.ts';
import { countFiles, findNeeds } from '../../../src/runs/inbox/overview.ts';
import { stateOf } from '../../../src/runs/status.ts';
import { sampleRun } from '../../faces/cli/sample-run.ts';
import { ownFolder } from '../../support/folder.ts';
import { setUpInbox } from './files.ts';

const HOME = '/home/ops/.onboard';

/** A run of ten rows; `leased`: a process is at work on it. */
function shown(id: string, over: Partial<Run>, counts: Partial<OutcomeCounts> = {}, leased = false) {
  const run = sampleRun({ id, ...over, outcomes: { ...noOutcomes(), created: 10, ...counts } });
  return { run, state: stateOf(run, leased) };
}

const finished = { state: 'finished' } as const;
const cancelled = { state: 'cancelled', closedChunks: 1 } as const;

/** The account of a file of which no later run has rows. */
async function untouched({ id, rows, outcomes }: Run): Promise<Account> {
  const [open, inDoubt] = [countUnsuccessful(outcomes), outcomes['in-doubt']];
  const counts = { atService: rows - open, writtenOff: 0, takenBack: 0, open, inDoubt, pending: 0 };
  return {
    delivery: id,
    runs: [id],
    rows,
    ...counts,
    notSent: outcomes.cancelled,
    purgedRows: 0,
    holds: true,
  };
}

test.each([
  ['that succeeded', shown('a', finished), null],
  ['that goes on', shown('a', { state: 'running' }, { rejected: 3 }, true), null],
  ['that is paused', shown('a', { state: 'paused', reason: 'credentials' }), [0, 0]],
  ['whose process is gone', shown('a', { state: 'running' }), [0, 0]],
  ['with rows in doubt', shown('a', finished, { 'in-doubt': 2 }), [2, 0]],
  ['under way with rows in doubt', shown('a', { state: 'running' }, { 'in-doubt': 2 }, true), [2, 0]],
  ['with rows to correct', shown('a', finished, { rejected: 3, invalid: 1, failed: 1, denied: 1 }), [0, 6]],
  ['that was cancelled', shown('a', cancelled, { rejected: 60, cancelled: 8_559 }), [0, 60, 8_559]],
])('a run %s: in doubt, to correct and not sent %j', async (_, run, expected) => {
  const { runs } = await findNeeds([{ ...run, isLatest: true }], HOME, untouched);
  expect(runs.map(({ inDoubt, toCorrect, notSent }) => [inDoubt, toCorrect, notSent])).toEqual(
    expected === null ? [] : [[...expected, 0].slice(0, 3)],
  );
});

test('rows of a file that others have taken up wait for nobody, rows in doubt do', async () => {
  const first = shown('a', finished, { failed: 3, 'in-doubt': 1 });
  const account = async (run: Run) => ({ ...(await untouched(run)), open: 1 });
  const { runs } = await findNeeds([{ ...first, isLatest: true }], HOME, account);
  expect(runs.map(({ run, inDoubt, toCorrect }) => [run.id, inDoubt, toCorrect])).toEqual([['a', 1, 0]]);
});

test('a refused file is named with the note that says why', async () => {
  const home = await ownFolder();
  await mkdir(join(home, 'failed', 'partner'), { recursive: true });
  const file = join(home, 'failed', 'partner', 'march.csv');
  const other = join(home, 'failed', 'b.csv');
  const locks = ['.~lock.b.csv#', '~$b.csv'].map((name) => join(home, 'failed', name));
  for (const path of [file, `${file}.note.txt`, other, ...locks]) await writeFile(path, 'x');
  const { refused } = await findNeeds([], home, untouched);
  expect(refused).toEqual([
    { file: other, note: null },
    { file, note: `${file}.note.txt` },
  ]);
});

test('files on their way count as waiting, what is passed over does not', async () => {
  const { home } = await setUpInbox({ 'a.csv': '', 'b.part': '', 'c.in': '', 'c.bak': '', 'Thumbs.db': '' });
  const book = await openJobBook(join(home, 'jobs'), home, () => []);
  expect((await countFiles({ book, home })()).waiting.files).toBe(3);
});
