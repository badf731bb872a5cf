import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadJob } from '../../src/config/load-job.ts';
import { mappingFor } from '../../src/delivery/run-mapping.ts';
import { keptIssueSchema } from '../../src/model/issue.ts';
import { OUTCOMES } from '../../src/model/outcome.ts';
import type { Row } from '../../src/model/row.ts';
import { readChunks } from '../../src/readers/intake/chunks.ts';
import { surveyFile } from '../../src/readers/intake/survey.ts';
import { sortOut } from '../../src/runs/inbox/sort-out.ts';
import { ROOT, textOf } from '../house/source-files.ts';
import { entryOf, inboxOf, jobOf } from '../runs/inbox/files.ts';
import { ownFile } from '../support/folder.ts';
import { groupRows } from '../support/group-rows.ts';
import { makeWorkbook } from '../support/workbook.ts';
import { blocksIn } from './blocks.ts';

const DOCUMENT = textOf('docs/files.md');
const EXAMPLES = ['csv', 'json', 'ndjson'].flatMap((language) => blocksIn(DOCUMENT, language));

/** What a run of the job would keep back or warn of, row by row; UsageError where it refuses the file as a whole. */
async function resultOf(jobName: string, name: string, content: string | Buffer) {
  const { definition } = await loadJob(jobName, join(ROOT, 'jobs'));
  const path = await ownFile(content, name);
  const { source } = await surveyFile(path, definition.format);
  const mapping = mappingFor(definition, source);
  const rows: Row[] = [];
  const cuts = { chunkRows: 100, chunkEnds: null };
  for await (const chunk of readChunks(path, source, definition.format, cuts)) rows.push(...chunk.rows);
  const isGrouped = definition.group !== undefined;
  const groups = isGrouped ? groupRows(rows, mapping.keyOf) : rows.map((row) => [row]);
  return groups.flatMap((group) => {
    const merged = mapping.mapGroup(group);
    const found = merged.kind === 'issues' ? merged.issues : merged.warnings;
    return group.flatMap(({ row }) => {
      const codes = (found.get(row) ?? []).map(({ code }) => code);
      return codes.length === 0 ? [] : [{ row, codes, isInvalid: merged.kind === 'issues' }];
    });
  });
}

describe('the examples for senders', () => {
  test.each(EXAMPLES)('of line $line ends as its heading says', async ({ line, language, info, text }) => {
    const found = await resultOf(info.get('job') ?? '', `line-${line}.${language}`, text);
    const rowsThat = (isInvalid: boolean) =>
      found.filter((one) => one.isInvalid === isInvalid).map(({ row }) => row);
    expect(rowsThat(true)).toEqual(numbersIn(info.get('invalid')));
    expect(rowsThat(false)).toEqual(numbersIn(info.get('warned')));
    const codes = found.flatMap((one) => one.codes);
    const named = info.get('code');
    expect(codes).toEqual(named === undefined ? [] : expect.arrayContaining([named]));
  });

  test('are there for every form that is not binary', () => {
    expect(new Set(EXAMPLES.map(({ language }) => language))).toEqual(new Set(['csv', 'json', 'ndjson']));
    expect(EXAMPLES.filter(({ info }) => !info.has('job'))).toEqual([]);
  });
});

describe('the tables for senders', () => {
  test('have every code that a row can come back with', () => {
    const named = firstCellsOf('## Codes of rows').flatMap(
      (cell) => cell.match(/(?<=`)[a-z_\d]+(?=`)/g) ?? [],
    );
    expect(named.toSorted()).toEqual([...keptIssueSchema.shape.code.options, 'http_418'].toSorted());
  });

  test('have every outcome', () => {
    const named = firstCellsOf('## What comes back').flatMap(
      (cell) => cell.match(/(?<=`)[a-z-]+(?=`)/g) ?? [],
    );
    expect(named).toEqual(expect.arrayContaining([...OUTCOMES]));
  });

  test('quote each message about a whole file once', () => {
    expect(QUOTED.toSorted()).toEqual([...WHOLE_FILES.keys(), ...NAMES.keys()].toSorted());
  });
});

const HEADER = 'externalId,details.name\n';

const FILTERED = '<row><c t="str"><v>externalId</v></c></row><row hidden="1"><c t="str"><v>K1</v></c></row>';

/** Message → a file that brings it about. */
const WHOLE_FILES: ReadonlyMap<string, readonly [name: string, content: string | Buffer]> = new Map([
  ['is empty', ['empty.csv', '']],
  ['longer than 1048576 characters', ['long.json', JSON.stringify([{ externalId: 'K'.repeat(1 << 20) }])]],
  [
    "doesn't look like a header, but line",
    ['title.csv', `Portfolio of November\n${HEADER}${'K,Company\n'.repeat(9)}`],
  ],
  ['has no names: expected the name of a column', ['nameless.csv', ',,\nK1,x,Company\n']],
  ['the file has more than one column', ['twice.csv', 'externalId,details.name,details.name\nK1,A,B\n']],
  ['has no such field', ['unknown.csv', 'externalId,details.nmae\nK1,A\n']],
  ['the file has no column', ['keyless.csv', 'details.name,details.taxId\nA,1\n']],
  ['is not closed: expected a closing quote', ['open.csv', `${HEADER}K1,"Company\nK2,Company\n`]],
  ['is a second header', ['twice.csv', `${HEADER}K1,A\ndetails.name,externalId\nB,K2\n`]],
  ['another table', ['tables.csv', `${HEADER}${'K,A\n'.repeat(25)}ref,amount,sum\nR1,5,6\nR2,7,8\n`]],
  ["lines without the header's", ['ragged.csv', `${HEADER}${'K,A\n'.repeat(90)}${'K,A,B\n'.repeat(30)}`]],
  ['has letters as', ['utf-7.csv', `${HEADER}K1,M+APw-ller\n`]],
  [
    'cut its first lines into cells equally well',
    ['signs.csv', 'externalId,a;details.name\nK1,b;A\nK2,b;A\n'],
  ],
  ['broken JSON', ['broken.json', '[{"externalId": "K1"}, {"externalId": "K2"']],
  [
    'is not utf-8',
    ['encoding.csv', Buffer.concat([Buffer.from(`${HEADER}K1,`), Buffer.from([0xbd]), Buffer.from('\n')])],
  ],
  ['hidden or filtered row', ['filtered.xlsx', Buffer.from(makeWorkbook({ data: FILTERED }))]],
  ['is an old Excel file', ['old.xls', Buffer.from('d0cf11e0a1b11ae1', 'hex')]],
  ['is a zip archive', ['files.zip', Buffer.from('504b03040a00', 'hex')]],
  ['is not compressed, as its name says', ['plain.csv.gz', `${HEADER}K1,A\n`]],
]);

/** Why an inbox of these jobs refuses a file. */
function refusalOf(patterns: readonly string[]): string {
  const jobs = patterns.map((files, i) => jobOf(`j${i}`, { files }));
  const looks = [{ inbox: inboxOf(jobs), entries: [entryOf('a.csv')] }];
  const circumstances = { now: 0, restLeft: () => 0, isBroken: false, isHeldByWindow: () => false };
  const { refuse } = sortOut(looks, {
    ...circumstances,
    releasedAt: () => null,
    replyJob: () => null,
    busy: new Map(),
  });
  return refuse.map(({ why }) => why).join();
}

/** Message → what the inbox says of a name. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['belong to no kind of load', refusalOf([])],
  ['belong to more than one kind of load', refusalOf(['*', '*.csv'])],
]);

const QUOTED = firstCellsOf('## Messages about a whole file').flatMap((cell) =>
  [...cell.matchAll(/"([^"]+)"/g)].map(([, message = '']) => message),
);

describe('the messages about a whole file', () => {
  test.each([...WHOLE_FILES])('"%s" is what such a file brings about', async (message, [name, content]) => {
    await expect(resultOf('subclients-create', name, content)).rejects.toThrow(message);
  });

  test.each([...NAMES])('"%s" is what such a name brings about', (message, words) => {
    expect(words).toContain(message);
  });
});

/** The first cells of the tables between a heading and the next one. */
function firstCellsOf(heading: string): readonly string[] {
  const [, after = ''] = DOCUMENT.split(`${heading}\n`);
  const [section = ''] = after.split(/^## /m);
  return [...section.matchAll(/^\| (.*?) \|/gm)].map(([, cell = '']) => cell);
}

function numbersIn(list: string | undefined): readonly number[] {
  return list === undefined ? [] : list.split(',').map(Number);
}
