import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { accountSchema } from '../../src/model/account.ts';
import { createJob, type Flow, startFlow } from '../support/flow.ts';
import { fileLines, startInboxFlow } from '../support/inbox.ts';
import { serveHttp } from '../support/server.ts';
import { cellsOf, readFileOf } from '../support/workbook.ts';

const JOB = `${createJob().replace('fields: { ', 'fields: { addresses.primary.country: Land, ')}required: [details.name]\nignore: [Notiz]\n`;
const HEADER = 'Notiz,externalId,details.name,Land';
const ROWS = [
  `=1+1,A1,One,Germany`,
  `'quoted;'x,A2,Two,Atlantis`,
  `-5,A3,,Germany`,
  `n4,A1,Four,Germany`,
  `n5,R5,Five,Germany`,
  `n6,D6,Six,Germany`,
  `n7,U7,Seven,Germany`,
];
const FILE = [HEADER, ...ROWS, ''].join('\n');

/** Refuses, does not know and loses rows by their names, until it is well. */
async function startService(env: Readonly<Record<string, string>> = {}) {
  const service = { isWell: false };
  const url = await serveHttp(async (request, response) => {
    const name = /One|Two|Three|Four|Five|Six|Seven/.exec(await text(request))?.[0] ?? '';
    const [status, body] = (service.isWell ? undefined : ANSWERS[name]) ?? [200, `{"id":"${randomUUID()}"}`];
    response.writeHead(status).end(body);
  });
  return { service, env: { MSB_BASE_URL: url, ...env } };
}

const ANSWERS: Readonly<Record<string, readonly [number, string]>> = {
  Five: [418, '{"message":"is on the list"}'],
  Six: [404, '{}'],
  Seven: [500, '{}'],
};

/** The answer to a run's partner, as the program's own reader has it. */
async function answerOf(flow: Flow, run: string, ...flags: readonly string[]) {
  const said = await flow.look(['reply', run, ...flags]);
  const path = /^Reply: (.*)$/m.exec(said)?.[1] ?? '';
  const bytes = new Uint8Array(await readFile(path));
  const { source, rows } = await readFileOf(bytes, {}, 'reply.xlsx');
  return { said, path, bytes, source, cells: rows.map(cellsOf).map((row) => [...row]) };
}

/** The workbook, saved with texts in place of others. */
function saved(bytes: Uint8Array, changes: Readonly<Record<string, string>>): Uint8Array {
  const parts = unzipSync(bytes);
  const name = 'xl/sharedStrings.xml';
  const strings = Object.entries(changes).reduce(
    (all, [from, to]) => all.replaceAll(`>${from}<`, `>${to}<`),
    strFromU8(parts[name] ?? new Uint8Array()),
  );
  return zipSync({ ...parts, [name]: strToU8(strings) });
}

const accountOf = async (flow: Flow, run: string) =>
  accountSchema.parse(JSON.parse(await flow.look(['account', run, '--json'])));

describe('onboard reply', () => {
  test('gives the partner his rows to mend in his own columns, and counts the others; sent back, they close the account', async () => {
    const { service, env } = await startService();
    const flow = await startFlow({ env });
    const job = await flow.file('job.yaml', JOB);
    const { summary } = await flow.run(['--job-file', job, await flow.file('file.csv', FILE)]);
    expect(summary.outcomes).toMatchObject({ created: 1, invalid: 3, rejected: 1, failed: 1, 'in-doubt': 1 });
    const { said, source, cells, bytes } = await answerOf(flow, summary.run);
    expect(said).toContain('7 received, 1 accepted, 4 to correct, 1 not accepted, 1 being checked by us.');
    expect(source.columns.slice(0, 6)).toEqual([...HEADER.split(','), 'onboard_To correct', 'onboard_run']);
    expect(cells.map((row) => row.slice(0, 4).join(','))).toEqual([ROWS[1], ROWS[2], ROWS[3], ROWS[4]]);
    expect(cells.map((row) => row[4])).toEqual(
      [
        "“Land”: this value can't be read; expected: a country",
        '“details.name”: a value is missing',
        '“externalId”: another record has this key: give this one its own, or delete it',
        'the record was not accepted: check its values',
      ].map((words) => expect.stringContaining(words)),
    );

    const german = await answerOf(flow, summary.run, '--lang', 'de');
    expect(german.said).toContain('7 erhalten, 1 angenommen, 4 zu korrigieren, 1 nicht angenommen, 1 werden');
    expect(german.cells[1]?.[4]).toBe('“details.name”: ein Wert fehlt');

    service.isWell = true;
    const back = join(flow.home, 'anything at all');
    await writeFile(back, saved(bytes, { Atlantis: 'Austria' }));
    const loaded = (await flow.run(['--job-file', job, back])).summary;
    expect(loaded.outcomes).toMatchObject({ created: 2, invalid: 1, skipped: 1 });
    expect(await accountOf(flow, summary.run)).toMatchObject({ rows: 7, atService: 3, open: 4, holds: true });
    // What is wrong still is answered again, and counted once.
    const again = await answerOf(flow, loaded.run);
    expect(again.said).toContain(
      '7 received, 3 accepted, 2 to correct, 1 not accepted, 1 being checked by us.',
    );
    expect(again.cells.map((row) => row.slice(0, 4).join(','))).toEqual([ROWS[2], ROWS[3]]);
    expect(await flow.look(['audit'])).toMatch(/replied .*rows 2, language en/);
  });

  test('is refused for JSON, for a run that is not over, and where a job keeps cells out of its reports', async () => {
    const flow = await startFlow();
    const json = await flow.file('rows.json', '[{"externalId":"A1","details":{}}]');
    const bare = await flow.file('bare.yaml', `${JOB}report: { originals: false }\n`);
    const first = (await flow.run(['--job-file', bare, await flow.file('b.csv', FILE)])).summary;
    const second = (await flow.run(['--job-file', await flow.file('j.yaml', createJob()), json])).summary;
    for (const [run, words] of [
      [first.run, 'report.originals: false'],
      [second.run, 'is JSON'],
    ] as const)
      expect(await flow.onboard(['reply', run])).toMatchObject({
        exitCode: 3,
        stderr: expect.stringContaining(words),
      });
  });

  test('says the words of the service only where the job says so', async () => {
    const flow = await startFlow({ env: (await startService()).env });
    const file = await flow.file('file.csv', FILE);
    const job = await flow.file('job.yaml', `${JOB}reply: { serviceWords: true }\n`);
    const { run } = (await flow.run(['--job-file', job, file])).summary;
    const { cells } = await answerOf(flow, run);
    expect(cells[3]?.[4]).toBe('the record was not accepted: is on the list');
  });
});

/** Two rows, of which the second has no key: only by its tag can another be it. */
const TWO = 'externalId,details.name\nA1,One\n,Two\n';

describe('an answer that comes back', () => {
  test('is taken by the folder of its delivery under any name; forged, bare or elsewhere, it is a file like any other', async () => {
    const { flow, drop, begin } = await startInboxFlow({
      subclients: `${createJob()}files: "**/subclients*.csv"\nunusual: off\n`,
      others: 'operation: counterparty.draft\nfiles: "**/*.txt"\nkey: name\n',
    });
    const take = async (path: string, content: string) => {
      await drop(path, content);
      const [line] = fileLines(await begin(['start', '--once']).ended);
      return line;
    };
    const first = (await take('north/subclients.csv', TWO))?.run ?? '';
    const { source, cells } = await answerOf(flow, first);
    const withKey = (key: string, run = (text: string) => text) =>
      [
        source.columns,
        ...cells.map(([, name, words, told, ...rest]) => [key, name, words, run(told ?? ''), ...rest]),
      ]
        .map((row) => row.map((cell) => `"${cell?.replaceAll('"', '""')}"`).join(','))
        .join('\n');
    const forged = (text: string) => text.replace(/.$/, (sign) => (sign === 'A' ? 'B' : 'A'));
    const bare = (text: string) => text.replace(/\..*$/, '');
    for (const [path, content] of [
      ['north/subclients-2.csv', withKey('K2', forged)],
      ['north/subclients-3.csv', withKey('K3', bare)],
      ['south/subclients-4.csv', withKey('K4')],
    ] as const) {
      const line = await take(path, content);
      expect([line?.result, line?.rows]).toEqual(['done', 1]);
      expect(await accountOf(flow, first)).toMatchObject({ rows: 2, atService: 1, open: 1 });
      expect(await accountOf(flow, line?.run ?? '')).toMatchObject({
        delivery: line?.run,
        rows: 1,
        atService: 1,
      });
    }
    expect((await take('south/answer.xls.txt', withKey('K5')))?.job).toBe('others');

    const taken = await take('north/answer.txt', withKey('K6'));
    expect([taken?.job, taken?.result]).toEqual(['subclients', 'done']);
    expect(await accountOf(flow, first)).toMatchObject({ rows: 2, atService: 2, open: 0, holds: true });
    expect((await flow.look(['reply', first])).split('\n')).toContain('There is nothing for you to correct.');
  });
});
