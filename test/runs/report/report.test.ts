import { chmod, mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LedgerView, SettledChunk, Settlement } from '../../../src/model/settlement.ts';
import { claimReportDirectory, createPendingReport } from '../../../src/runs/report/files.ts';
import { purgeReport } from '../../../src/runs/report/purged.ts';
import { writeSummary } from '../../../src/runs/report/report.ts';
import { summarySchema } from '../../../src/runs/report/summary.ts';
import { readText } from '../../readers/intake/read-text.ts';
import {
  asChunk,
  cells,
  csvRecords,
  filesOf,
  type Held,
  makeRun,
  makeView,
  NOW,
  reportOf,
  settled,
  temporaryDirectory,
} from './make-report.ts';

const BODY = '{\n  "errors": ["iban"],\n  "n": 1.0\n}';

const UNREADABLE = '3 cells where the header has 2';

const MIXED: Held = {
  settlements: [
    settled(1, 'created', { status: 200, id: 'S-1', key: '=k1' }),
    settled(2, 'rejected', { status: 418, code: 'http_418', message: 'refused' }),
    settled(3, 'invalid', { code: 'unreadable_row', message: UNREADABLE, attempts: 0, ms: 0 }),
    settled(4, 'in-doubt', { code: 'timeout', message: 'no answer, in time' }),
    settled(5, 'denied', { status: 403, code: 'http_403', message: 'not permitted' }),
    settled(6, 'failed', { code: 'connection_refused', message: 'nothing was sent' }),
  ],
  sources: [
    cells(2, 'k2', '-dash "q"'),
    { kind: 'unreadable', row: 3, line: 4, text: 'k3,a\n"b,c', problem: UNREADABLE },
    cells(4, 'k4', ' spaced '),
    cells(5, 'k5', ''),
  ],
  bodies: new Map([[2, BODY]]),
};
const ADDED = ['run', 'row', 'outcome', 'status', 'code', 'message'].map((name) => `onboard_${name}`);

async function report(held: Held, given: Parameters<typeof makeRun>[1] = {}, into?: string) {
  const directory = into ?? (await temporaryDirectory());
  const run = makeRun(held.settlements, given);
  const summary = await reportOf({ run, view: makeView(held), directory });
  return { directory, summary, files: await filesOf(directory) };
}

describe('writeReport of a CSV file', () => {
  it('given rows of every kind, writes exactly the files of the contract and names them in the summary', async () => {
    const { files, summary } = await report(MIXED);
    const csv = ['failed.csv', 'in-doubt.csv', 'rejected.csv'];
    const others = ['rejections.jsonl', 'report.html', 'results.csv', 'summary.json'];
    expect(Object.keys(files)).toEqual(['digest.json', ...csv, ...others]);
    expect(summarySchema.parse(JSON.parse(files['summary.json'] ?? ''))).toEqual(summary);
    expect([...summary.files].sort()).toEqual(Object.keys(files).filter((name) => name !== 'summary.json'));
  });

  it('given rows of every kind, gives each its line in results.csv, in file order', async () => {
    const { files } = await report(MIXED);
    const [header, ...lines] = csvRecords(files['results.csv']);
    expect(header?.join(',')).toBe('row,line,key,outcome,status,id,attempts,ms,code,message,advice');
    expect(lines.map((line) => line.slice(0, 10))).toEqual([
      ['1', '2', "'=k1", 'created', '200', 'S-1', '1', '12', '', ''],
      ['2', '3', 'k2', 'rejected', '418', '', '1', '12', 'http_418', 'refused'],
      ['3', '4', 'k3', 'invalid', '', '', '0', '0', 'unreadable_row', '3 cells where the header has 2'],
      ['4', '5', 'k4', 'in-doubt', '', '', '1', '12', 'timeout', 'no answer, in time'],
      ['5', '6', 'k5', 'denied', '403', '', '1', '12', 'http_403', 'not permitted'],
      ['6', '7', 'k6', 'failed', '', '', '1', '12', 'connection_refused', 'nothing was sent'],
    ]);
    expect(lines.map((line) => line[10] !== '')).toEqual([false, true, true, true, true, true]);
  });

  it('given warnings, puts them after the message of the row, and counts them in the summary', async () => {
    const { files, summary } = await report(
      {
        settlements: [
          settled(1, 'created', { warnings: [{ code: 'iban_invalid', column: 'accounts.0.iban' }] }),
          settled(2, 'rejected', {
            message: 'refused',
            warnings: ['a\n"b" c', null].map((column) => ({ code: 'mojibake', column })),
          }),
          settled(3, 'cancelled'),
          settled(4, 'rejected', { message: 'Refused.', warnings: [{ code: 'mojibake', column: null }] }),
        ],
      },
      { state: 'cancelled' },
    );
    const [, ...rows] = csvRecords(files['results.csv']);
    expect(rows.map((row) => row[9])).toEqual([
      'warning: iban_invalid in "accounts.0.iban"',
      'refused; warning: mojibake in "a "b" c"; warning: mojibake',
      '',
      'Refused. warning: mojibake',
    ]);
    expect(summary.topWarnings.map(({ code, count }) => [code, count])).toEqual([
      ['mojibake', 2],
      ['iban_invalid', 1],
      ['mojibake', 1],
    ]);
    expect(summarySchema.parse(JSON.parse(files['summary.json'] ?? ''))).toEqual(summary);
  });

  it('given rows that did not succeed, gives their own columns again and what became of them', async () => {
    const { files } = await report(MIXED);
    expect(csvRecords(files['rejected.csv'])).toEqual([
      ['externalId', 'details.name', ...ADDED],
      ['k2', '\'-dash "q"', 'run-1', '2', 'rejected', '418', 'http_418', 'iban'],
    ]);
    expect(csvRecords(files['in-doubt.csv'])).toEqual([
      ['externalId', 'details.name', ...ADDED, 'onboard_resolution'],
      ['k4', ' spaced ', 'run-1', '4', 'in-doubt', '', 'timeout', 'no answer, in time', ''],
    ]);
  });

  it('given a row that could not be read, gives its text and the reason, and empty columns as where the source is not known', async () => {
    const { files } = await report(MIXED);
    const text = 'k3,a\n"b,c';
    expect(csvRecords(files['failed.csv'])).toEqual([
      ['externalId', 'details.name', ...ADDED, 'onboard_text'],
      ['', '', 'run-1', '3', 'invalid', '', 'unreadable_row', UNREADABLE, text],
      ['k5', '', 'run-1', '5', 'denied', '403', 'http_403', 'not permitted', ''],
      ['', '', 'run-1', '6', 'failed', '', 'connection_refused', 'nothing was sent', ''],
    ]);
  });

  it.each([
    ['has too many cells', 'A,One,1,extra\n'],
    ['has a quote in a cell', 'A7,3.5" disk,2\n'],
    ['has bytes that are no characters', Buffer.from('A7,M\xfcller,2\n', 'latin1')],
    ['begins like a formula', '=1,3.5" disk,2\n'],
    ['is the header again', 'id,name,n\n'],
    ['takes the record before it', 'A,One,1\nTotal\n'],
  ])('given a row that %s, failed.csv gives the same row while nobody fills its cells', async (_, line) => {
    const loaded = async (content: Buffer | string) => {
      const { rows, source } = await readText(Buffer.from(content), {
        format: { encoding: 'utf-8', delimiter: ',' },
      });
      const settlements = rows.map((row) => settled(row.row, 'invalid', { code: 'unreadable_row' }));
      const { files } = await report({ settlements, sources: rows }, { source: source ?? {} });
      return { rows, failed: files['failed.csv'] ?? '' };
    };
    const first = await loaded(Buffer.concat([Buffer.from('id,name,n\n'), Buffer.from(line)]));
    expect(first.rows).toMatchObject([{ kind: 'unreadable' }]);
    expect(csvRecords(first.failed)[1]?.slice(0, 3)).toEqual(['', '', '']);
    const second = await loaded(first.failed);
    const { text } = { text: '', ...first.rows[0] };
    expect(second.rows).toMatchObject([{ kind: 'unreadable', text }]);
    expect(second.failed).toBe(first.failed);
    const corrected = await loaded(first.failed.replace('\n,,', '\nA7,Right,2'));
    expect(corrected.rows).toMatchObject([{ kind: 'cells' }]);
  });

  it('given a file with a dialect of its own, writes in it, with a byte order mark for spreadsheets, and results.csv with its delimiter', async () => {
    const source = { delimiter: ';', quote: "'", columns: ['a;b', 'c'] };
    const held = { settlements: [settled(1, 'failed')], sources: [cells(1, "it's", 'x;y')] };
    const { files } = await report(held, { source });
    expect(files['failed.csv']).toBe(
      `\uFEFF'a;b';c;${ADDED.join(';')};onboard_text\n'it''s';'x;y';run-1;1;failed;;;;\n`,
    );
    expect(files['results.csv']).toMatch(/^row;line;key.*\n1;2;k1;failed;/);
  });

  it.each([
    ['of a workbook', { type: 'xlsx', delimiter: null, quote: null }, ','],
    ['with tabs', { delimiter: '\t' }, '\t'],
    // It is the quote of results.csv.
    ['cut at double quotes', { delimiter: '"', quote: "'" }, ','],
  ] as const)('given a file %s, results.csv has a delimiter that suits it', async (_, source, delimiter) => {
    const { files } = await report({ settlements: [settled(1, 'failed', { message: 'a,b' })] }, { source });
    const [header, line] = csvRecords(files['results.csv'], { delimiter });
    expect([header?.length, line?.at(9)]).toEqual([11, 'a,b']);
  });

  it.each([',', ';', '\t', '|', '^'])(
    'given a file cut at %j, its report files are read back whatever the definition says of the delimiter',
    async (delimiter) => {
      const held = {
        settlements: [settled(1, 'failed'), settled(2, 'rejected')],
        sources: [cells(1, 'a,b;c\td|e^f', '"é"'), cells(2, '=1', 'ü')],
      };
      const { files } = await report(held, { source: { delimiter } });
      for (const format of [{}, { delimiter }, { delimiter: ':' }])
        for (const [name, row] of [
          ['failed.csv', 0],
          ['rejected.csv', 1],
        ] as const) {
          const text = files[name] ?? '';
          expect(text.startsWith('\uFEFF')).toBe(true);
          const read = await readText(Buffer.from(text), { path: name, format });
          expect([read.source?.bom, read.source?.delimiter]).toEqual([true, delimiter]);
          expect(read.rows.map((one) => (one.kind === 'cells' ? one.cells.slice(0, 2) : one))).toEqual([
            held.sources[row]?.kind === 'cells' ? held.sources[row].cells : null,
          ]);
        }
    },
  );

  it('given columns without a name and columns that share one, failed.csv is read with them as they were', async () => {
    const columns = ['', 'id', '', 'x', 'x'];
    const held = { settlements: [settled(1, 'failed')], sources: [cells(1, '0', 'k1', 'note', 'a', '=b')] };
    const { files } = await report(held, { source: { columns } });
    const read = await readText(files['failed.csv'] ?? '');
    expect(read.source?.columns).toEqual([...columns, ...ADDED, 'onboard_text']);
    expect(read.rows).toMatchObject([
      { cells: ['0', 'k1', 'note', 'a', '=b', 'run-1', '1', 'failed', '', '', '', ''] },
    ]);
  });

  it('given an input that was a report file itself, replaces its columns', async () => {
    const source = { columns: ['onboard_row', 'externalId', 'onboard_resolution', '-x', 'onboard_note'] };
    const held = { settlements: [settled(1, 'failed')], sources: [cells(1, '7', 'k1', 'done', 'v', 'n')] };
    const { files } = await report(held, { source });
    expect(csvRecords(files['failed.csv'])).toEqual([
      ['externalId', "'-x", ...ADDED, 'onboard_text'],
      ['k1', 'v', 'run-1', '1', 'failed', '', '', '', ''],
    ]);
  });
});

const source = { type: 'json', delimiter: null, quote: null } as const;

it('writeReport of a JSON file, given records, gives the values of each again on its line with one more member', async () => {
  const held: Held = {
    settlements: [
      settled(1, 'rejected', { status: 418, code: 'http_418' }),
      settled(2, 'in-doubt', { code: 'timeout', message: 'm' }),
      settled(3, 'invalid', { code: 'unreadable_row', message: 'nested too deeply' }),
      settled(4, 'failed', { code: 'gone' }),
    ],
    sources: [
      { kind: 'record', row: 1, line: 2, text: '{\n  "n": 1.00\n}' },
      { kind: 'record', row: 2, line: 5, text: '{"_onboard":{"run":"old"}}' },
      { kind: 'unreadable', row: 3, line: 6, text: '{"a":"\u0001\n', problem: 'nested too deeply' },
    ],
    bodies: new Map([[1, BODY]]),
  };
  const { files } = await report(held, { source });
  const said = JSON.stringify('iban');
  expect(files['rejected.ndjson']).toBe(
    `{"n":1,"_onboard":{"run":"run-1","row":1,"outcome":"rejected","status":418,"code":"http_418","message":${said}}}\n`,
  );
  expect(files['in-doubt.ndjson']).toBe(
    '{"_onboard":{"run":"run-1","row":2,"outcome":"in-doubt","status":null,"code":"timeout","message":"m","resolution":""}}\n',
  );
  const failed = (files['failed.ndjson'] ?? '').trimEnd().split('\n');
  expect(failed.map((line) => JSON.parse(line)._onboard)).toEqual([
    expect.objectContaining({ row: 3, message: 'nested too deeply', text: '{"a":"\u0001\n' }),
    { run: 'run-1', row: 4, outcome: 'failed', status: null, code: 'gone', message: '' },
  ]);
  expect(Object.keys(files).filter((name) => name.endsWith('.csv'))).toEqual(['results.csv']);
  expect(csvRecords(files['results.csv'])[3]?.at(-1)).toContain('failed.ndjson');
});

it('writeReport of payment documents, given listed rows, writes a line per document; without any the file is there and empty', async () => {
  const held = {
    settlements: [
      settled(1, 'listed', { key: 'p1' }),
      settled(2, 'listed', { key: 'p2' }),
      settled(3, 'denied'),
    ],
    documents: new Map([[1, '[{"id":"a"},{"id":"b"}]']]),
  };
  const { files } = await report(held, { operation: 'payment.documents' });
  expect(files['documents.jsonl']).toBe(
    '{"row":1,"paymentId":"p1","document":{"id":"a"}}\n{"row":1,"paymentId":"p1","document":{"id":"b"}}\n',
  );
  const none = await report({ settlements: [] }, { operation: 'payment.documents' });
  expect(none.files['documents.jsonl']).toBe('');
});

describe('the control total', () => {
  it('given a finished run that the ledger has a row less of than it counted, does not hold: exit status 3', async () => {
    const run = makeRun(MIXED.settlements);
    const view = makeView({ ...MIXED, settlements: MIXED.settlements.slice(0, -1) });
    const summary = await reportOf({ run, view, directory: await temporaryDirectory(), now: NOW });
    expect(summary).toMatchObject({ controlTotal: { holds: false }, exitCode: 3 });
  });

  it('given a run with rows that are still open, leaves those out and counts them as open', async () => {
    const given = { rows: 20, state: 'paused', reason: 'interrupted', finishedAt: null } as const;
    const { files, summary } = await report(MIXED, given);
    expect(csvRecords(files['results.csv'])).toHaveLength(7);
    expect(summary).toMatchObject({ settled: 6, pending: 14, controlTotal: { holds: true }, exitCode: 4 });
  });
});

describe('the report directory', () => {
  it('is for its owner alone, and so is every file in it', async () => {
    const { directory, files } = await report(MIXED);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    for (const name of Object.keys(files))
      expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600);
  });

  it('given a folder of the user’s own, leaves its mode as it is', async () => {
    const directory = await temporaryDirectory();
    await mkdir(directory);
    await chmod(directory, 0o755);
    await report(MIXED, {}, directory);
    expect((await stat(directory)).mode & 0o777).toBe(0o755);
  });

  it('of a purged run has no words of the service, however many rows shared them', async () => {
    const settlements = [1, 2, 3].map((row) => settled(row, 'rejected', { code: 'http_418' }));
    const bodies = new Map([1, 2, 3].map((row) => [row, 'Ann Zyx is known']));
    const { directory, files } = await report({ settlements, bodies });
    for (const name of ['digest.json', 'summary.json']) expect(files[name]).toContain('Ann Zyx');
    await purgeReport(directory, { by: 'ann', at: NOW().toISOString(), isDone: true });
    expect(Object.values(await filesOf(directory)).join()).not.toContain('Ann Zyx');
  });

  it('given files of an earlier writing that there is no reason for any more, removes them', async () => {
    const { directory } = await report(MIXED);
    const later = MIXED.settlements.map((s) => ({ ...s, outcome: 'created' }) as const);
    const { files } = await report({ settlements: later }, {}, directory);
    expect(Object.keys(files)).toEqual([
      'digest.json',
      'rejections.jsonl',
      'report.html',
      'results.csv',
      'summary.json',
    ]);
    expect(files['rejections.jsonl']).toBe('');
  });

  it.each(['failed.csv', 'rejected.csv', 'in-doubt.csv'])(
    'given a %s that somebody has changed, leaves it as it is at every writing and puts the new one beside it',
    async (name) => {
      const { directory, files: before } = await report(MIXED);
      await writeFile(join(directory, name), 'corrected');
      await writeSummary({ run: makeRun(MIXED.settlements), directory, now: NOW });
      const second = name.replace('.', '-2.');
      const { files, summary } = await report(MIXED, {}, directory);
      expect(files).toMatchObject({ [name]: 'corrected', [second]: before[name] });
      expect(summary).toMatchObject({ kept: [name], files: expect.arrayContaining([second]) });
      await writeFile(join(directory, second), 'corrected too');
      const third = await report(MIXED, {}, directory);
      expect(third.summary.kept).toEqual([second, name]);
      expect(third.files).toMatchObject({
        [name]: 'corrected',
        [second]: 'corrected too',
        [name.replace('.', '-3.')]: before[name],
      });
    },
  );

  it('given another writer that comes to its end meanwhile, takes no file of it for a changed one', async () => {
    const { directory } = await report(MIXED);
    const claim = () => claimReportDirectory(directory, 'run-1');
    const before = await claim();
    const settlements = MIXED.settlements.map((one) => ({ ...one, message: 'said later' }));
    const other = await report({ ...MIXED, settlements }, {}, directory);
    const pending = createPendingReport(directory);
    const placed = await pending.place({ written: before, writtenMeanwhile: claim, followed: [] });
    expect(placed.kept).toEqual([]);
    expect(other.summary.kept).toEqual([]);
  });

  it('given a changed file whose rows have all succeeded since, leaves it; one that was followed gives way', async () => {
    const { directory } = await report(MIXED);
    await writeFile(join(directory, 'failed.csv'), 'corrected');
    const settlements = MIXED.settlements.map((s) => ({ ...s, outcome: 'created' }) as const);
    const { files, summary } = await report({ settlements }, {}, directory);
    expect(files['failed.csv']).toBe('corrected');
    expect(summary.kept).toEqual(['failed.csv']);
    expect(summary.files).not.toContain('failed.csv');
    const run = makeRun(settlements);
    const options = { run, view: makeView({ settlements }), directory, now: NOW };
    await reportOf({ ...options, followed: ['failed.csv'] });
    expect(await readdir(directory)).not.toContain('failed.csv');
  });

  it('given a ledger that fails half-way, leaves the earlier report whole and nothing unfinished', async () => {
    const { directory, files: before } = await report(MIXED);
    const view: LedgerView = { ...makeView(MIXED), chunks: () => failing(MIXED.settlements) };
    const run = makeRun(MIXED.settlements);
    await expect(reportOf({ run, view, directory, now: NOW })).rejects.toThrow('connection lost');
    expect(await filesOf(directory)).toEqual(before);
  });

  it('given the unfinished files of a writer killed long ago, removes them, but not those of a living one', async () => {
    const { directory } = await report(MIXED);
    const old = join(directory, '.failed.csv.0123456789ab.tmp');
    const fresh = join(directory, '.failed.csv.ba9876543210.tmp');
    await writeFile(old, 'x');
    await writeFile(fresh, 'x');
    await utimes(old, NOW(), new Date(NOW().getTime() - 3_700_000));
    await utimes(fresh, NOW(), new Date(NOW().getTime() - 60_000));
    await report(MIXED, {}, directory);
    expect((await readdir(directory)).filter((name) => name.endsWith('.tmp'))).toEqual([
      '.failed.csv.ba9876543210.tmp',
    ]);
  });

  it('given the report of another run, refuses to write over it', async () => {
    const { directory, files } = await report(MIXED);
    await expect(report(MIXED, { id: 'run-2' }, directory)).rejects.toThrow(/belongs to run run-1.*--out/);
    expect(await filesOf(directory)).toEqual(files);
  });

  it.each([
    ['failed.csv', 'mine', /has failed\.csv, but no summary\.json/],
    ['summary.json', '{"total":3}', /belongs to something else/],
    ['summary.json', 'not JSON', /belongs to something else/],
  ])("given a %s that is not a report's, refuses to write over it", async (name, text, message) => {
    const directory = await temporaryDirectory();
    await mkdir(directory);
    await writeFile(join(directory, name), text);
    await expect(report(MIXED, {}, directory)).rejects.toThrow(message);
    expect(await filesOf(directory)).toEqual({ [name]: text });
  });
});

it('writeSummary, given a running run, writes the summary alone, and a later report takes its place', async () => {
  const directory = await temporaryDirectory();
  const run = makeRun(MIXED.settlements, { state: 'running', rows: 20, finishedAt: null });
  const summary = await writeSummary({ run, directory, now: NOW });
  const files = await filesOf(directory);
  expect(Object.keys(files)).toEqual(['summary.json']);
  expect(summarySchema.parse(JSON.parse(files['summary.json'] ?? ''))).toEqual(summary);
  expect(summary).toMatchObject({ settled: 6, pending: 14, exitCode: null, topErrors: [], files: [] });
  const later = await report(MIXED, {}, directory);
  expect(JSON.parse(later.files['summary.json'] ?? '')).toEqual(later.summary);
});

async function* failing(settlements: readonly Settlement[]): AsyncGenerator<SettledChunk> {
  yield asChunk(settlements.slice(0, 3));
  throw new Error('connection lost');
}
