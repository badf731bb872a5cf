import { expect, test } from 'vitest';
import { noOutcomes } from '../../../src/model/outcome.ts';
import {
  changedNote,
  doneNote,
  endedWords,
  type Fault,
  knownNote,
  type Note,
  refusedNote,
  renderNote,
  takenWords,
} from '../../../src/runs/inbox/note.ts';
import { summarize } from '../../../src/runs/report/summary.ts';
import { sampleRun } from '../../faces/cli/sample-run.ts';

const ORIGIN = { path: 'north east/a.csv', inbox: '/in', written: { bytes: 41, ms: 0 } };
const DONE = { state: 'finished', finishedAt: '2026-11-21T10:00:09.000Z' } as const;
const ENDED = sampleRun({ ...DONE, outcomes: { ...noOutcomes(), created: 10 } });
const PLACES = { report: '/home/reports/r', file: '/home/my done/a.r.csv' };

const lastLines = (note: Note, n: number) => renderNote(note).trimEnd().split('\n').slice(-n);

test.each([
  ['sandbox', ' --sandbox'],
  ['https://api.example.com', ''],
])('what sends a known file all the same goes to where it went, %s, and can be pasted', (target, flag) => {
  const note = knownNote(ORIGIN, { ...ENDED, target }, PLACES);
  expect(lastLines(note, 2)).toEqual([
    'To send it all the same, as a new run:',
    `  onboard run subclients-create${flag} --again '/home/my done/a.r.csv'`,
  ]);
});

test.each<[Fault, RegExp]>([
  ['content', /Correct that, and put the file into the inbox again under its first name/],
  ['name', /under another name/],
  ['no-load', /where its name and folder belong to a kind of load/],
  ['several-loads', /belong to one of them\./],
  ['kind', /a plain file/],
  ['job', /once there is such a job/],
])('the advice on a refused file is that for its %s', (fault, advice) => {
  const text = renderNote(refusedNote(ORIGIN, { why: ['so it is'], fault })).replaceAll('\n', ' ');
  expect(text).toContain('Why: so it is');
  expect(text).toMatch(advice);
  expect(text.includes('first name')).toBe(fault === 'content');
});

test('a file without rows is said to have none, in its line and in its note', () => {
  const run = sampleRun({ ...DONE, rows: 0 });
  expect(endedWords('a.csv', run, '/r')).toBe(
    `a.csv: run ${run.id} finished: the file has no rows. Report: /r`,
  );
  const text = renderNote(doneNote(ORIGIN, { run, summary: summarize(run, new Date()) }, '/r'));
  expect(text).toContain('north east/a.csv has no rows: nothing was sent.');
  expect(text).not.toContain('Nothing is left to be done');
});

test('a note has at most 80 columns, but for paths and commands, which stay whole', () => {
  const long = `${'a folder/'.repeat(12)}a.csv`;
  const origin = { ...ORIGIN, path: long };
  const notes = [
    changedNote(origin, sampleRun({ state: 'paused' }), '/r'),
    knownNote(origin, ENDED, { ...PLACES, file: `/home/${long}` }),
    refusedNote(origin, { why: ['word '.repeat(60).trim()], fault: 'content' }),
  ];
  for (const note of notes) {
    const lines = renderNote(note).split('\n');
    const tooLong = lines.filter((line) => line.length > 80);
    expect(tooLong.every((line) => line.includes(long))).toBe(true);
    expect(lines[0]).toBe(long);
  }
});

test('a run that an earlier process began is gone on with, not taken again', () => {
  const run = sampleRun({ rows: 1, startedAt: null });
  expect(takenWords('a.csv', run)).toBe(`a.csv: taken as run ${run.id}, job subclients-create, 1 row`);
  expect(takenWords('a.csv', sampleRun())).toContain(`a.csv: goes on with run ${run.id},`);
});

test('a note records size and time of a file', () => {
  const written = { bytes: 41, ms: Date.parse('2026-11-21T19:28:57.609Z') };
  const note = refusedNote({ ...ORIGIN, written }, { why: [], fault: 'content' });
  expect(note.facts).toContainEqual(['size', '41 bytes, last written 2026-11-21T19:28:57.609Z']);
});

test('a name can neither move the cursor nor add a line to its note', () => {
  const path = 'a.csv was taken.\n  created  10\u001b[2J\u202e';
  const text = renderNote(refusedNote({ ...ORIGIN, path }, { why: [`odd\u001b[2J name`], fault: 'name' }));
  expect(text).not.toMatch(/^ {2}created/m);
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});
