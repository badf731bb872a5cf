import { expect, test } from 'vitest';
import writeXlsxFile from 'write-excel-file/node';
import type { JobDefinition } from '../../../../src/config/job-definition.ts';
import type { Row } from '../../../../src/model/row.ts';
import type { SourceInfo } from '../../../../src/model/source.ts';
import { compileMapping } from '../../../../src/readers/mapping/mapping.ts';
import {
  filesOf,
  makeRun,
  makeView,
  NOW,
  reportOf,
  settled,
  temporaryDirectory,
} from '../../../runs/report/make-report.ts';
import { makeWorkbook, readFileOf } from '../../../support/workbook.ts';
import { bodyOf, CATALOG, definitionOf } from '../../mapping/catalog.ts';
import { readText } from '../read-text.ts';

test("a workbook's numbers and dates mean the same in failed.csv, whatever signs the definition gives for text", async () => {
  const definition = definitionOf({
    key: 'Ref',
    fields: {
      'kyc.volume': { column: 'Sum', decimal: ',' },
      'kyc.since': { column: 'Since', pattern: 'dd/MM/yyyy' },
      isPayer: { column: 'Payer', true: ['J'], false: ['N'] },
    },
  });
  const sheet = [
    ['Ref', 'Sum', 'Since', 'Payer'],
    ['a', 1.234, new Date(Date.UTC(2020, 2, 4)), true],
    ['b', '1.234', '04/03/2020', 'J'],
  ];
  const content = await writeXlsxFile(sheet, { dateFormat: 'dd/mm/yyyy' }).toBuffer();
  const first = await readFileOf(content);
  const bodies = (reading: Read) => bodiesOf(reading, definition);
  const again = await failedAgain(first);
  const twice = await failedAgain(again);
  const since = '2020-03-04T00:00:00.000Z';
  const expected = [
    { kyc: { volume: 1.234, since }, isPayer: true },
    { kyc: { volume: 1234, since }, isPayer: true },
  ];
  expect([bodies(first), bodies(again), bodies(twice)]).toEqual([expected, expected, expected]);
});

test("a row with a formula's error comes back with its text, and loads once its cells are filled", async () => {
  const names = ['Ref', 'Sum', 'name'].map((name) => `<c t="str"><v>${name}</v></c>`).join('');
  const data = `<row>${names}</row><row><c t="str"><v>a</v></c><c><v>1.234</v></c><c t="e"><v>#N/A</v></c></row>`;
  const again = await failedAgain(await readFileOf(makeWorkbook({ data })));
  const twice = await failedAgain(again);
  expect(again.rows).toMatchObject([{ kind: 'unreadable', text: 'a\t1.234\t' }]);
  expect(twice.rows).toEqual(again.rows);
  const corrected = await failedAgain(again, (text) => text.replace('\n,,,', '\na,"1,234",Acme,'));
  expect(corrected.rows).toMatchObject([{ kind: 'cells' }]);
});

test('what was refused for an identifier is refused again from failed.csv, until somebody writes it as text', async () => {
  const sheet = [
    ['Ref', 'name'],
    [{ value: 17, format: '0000' }, 'x'],
    [new Date(Date.UTC(2020, 2, 4)), 'y'],
    [true, 'z'],
  ];
  const content = await writeXlsxFile(sheet, { dateFormat: 'dd/mm/yyyy' }).toBuffer();
  const codes = (reading: Read) => bodiesOf(reading, definitionOf({ key: 'Ref' }));
  const first = await readFileOf(content);
  const again = await failedAgain(first);
  const twice = await failedAgain(again);
  const refused = ['0017', '2020-03-04', 'true'].map((cell) => [`number_cell Ref "${cell}"`]);
  expect([codes(first), codes(again), codes(twice)]).toEqual([refused, refused, refused]);
  for (const written of ['00017', "'0017"]) {
    const mended = await failedAgain(first, (text) => text.replace('\n0017,', `\n${written},`));
    expect(codes(mended)).toEqual([{ name: 'x' }, ...refused.slice(1)]);
  }
  const accepted = await failedAgain(first, (text) => text.replaceAll(/,"\{.*\}"/g, ','));
  expect(codes(accepted)).toEqual(['x', 'y', 'z'].map((name) => ({ name })));
});

type Read = { readonly source: SourceInfo; readonly rows: readonly Row[] };

function bodiesOf({ source, rows }: Read, definition: JobDefinition) {
  const about = { definition, source, catalog: CATALOG, pathField: null, needsPathId: false };
  const mapping = compileMapping(about);
  return rows.map((row) => bodyOf(mapping.map(row)));
}

/** The rows of a run's failed.csv, where all of its rows failed. */
async function failedAgain({ source, rows: sources }: Read, mend = (text: string) => text) {
  const settlements = sources.map(({ row }) => settled(row, 'failed'));
  const directory = await temporaryDirectory();
  await reportOf({
    run: makeRun(settlements, { source }),
    view: makeView({ settlements, sources }),
    directory,
    now: NOW,
  });
  const reading = await readText(mend((await filesOf(directory))['failed.csv'] ?? ''), {
    path: 'failed.csv',
  });
  if (reading.source === null) throw new Error('failed.csv was not understood');
  return { source: reading.source, rows: reading.rows };
}
