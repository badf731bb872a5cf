import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jobDefinitionSchema } from '../../src/config/job-definition.ts';
import { makeWorkbook } from '../support/workbook.ts';
import { readThrough } from './read-through.ts';

/** 31 March 2020, and half past nine of it, as workbooks count days. */
const DATE = 43_921;
const DATE_AND_TIME = 43_921.395_833_333_336;

const FIELDS = ['details.taxId', 'incorporationDate', 'monthlyVolumeAmount', 'hasWebsite'];
const PATH = 'kyc.details.';

/** A column of text first, then one for each field; `pattern`: dates, numbers and booleans are written in another way. */
const PATTERN = {
  [`${PATH}incorporationDate`]: { column: 'incorporationDate', pattern: 'dd/MM/yyyy' },
  [`${PATH}monthlyVolumeAmount`]: { column: 'monthlyVolumeAmount', decimal: ',' },
  [`${PATH}hasWebsite`]: { column: 'hasWebsite', true: ['ja'], false: ['nein'] },
};
const PLAIN = Object.fromEntries(FIELDS.slice(1).map((name) => [PATH + name, name]));

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'onboard-docs-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`;
const NUMBER = '<c><v>601154.16</v></c>';
const YES = '<c t="b"><v>1</v></c>';

test.each([
  ['a date, a number and a boolean', PLAIN, text('0123'), DATE, []],
  ['the same under a pattern, a decimal comma and words', PATTERN, text('0123'), DATE, []],
  ['a date with a time, without a pattern', PLAIN, text('0123'), DATE_AND_TIME, ['cell_not_convertible']],
  ['a date with a time, under a pattern', PATTERN, text('0123'), DATE_AND_TIME, []],
  ['a number for an identifier', PLAIN, '<c><v>123</v></c>', DATE, ['number_cell']],
])('a workbook with %s is taken as the documents say', async (_, fields, taxId, date, codes) => {
  const file = join(folder, 'file.xlsx');
  const cells = [taxId, `<c s="1"><v>${date}</v></c>`, NUMBER, YES].join('');
  const data = `<row>${FIELDS.map(text).join('')}</row><row>${cells}</row>`;
  writeFileSync(file, makeWorkbook({ data, formats: ['dd/mm/yyyy'] }));
  const definition = jobDefinitionSchema.parse({ operation: 'subclient.create', fields });
  const { invalid } = await readThrough({ name: 'workbook', definition }, file);
  expect(invalid.flatMap((row) => row.codes)).toEqual(codes);
});
