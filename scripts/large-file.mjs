#!/usr/bin/env node
/** Writes one large CSV of invented records, as a stream: the memory does not grow with the file. */
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { createRandom, inventDraft, inventSubclient } from './large-file/invent.mjs';

const HELP = `Writes one large CSV of invented records.

  node scripts/large-file.mjs --operation counterparty.draft --rows 100000 --out big.csv

  --operation  subclient.create | counterparty.draft (subclient.create)
  --rows       how many records
  --out        the file
  --mistakes   the share of rows with a mistake, for example 2% (0%)
  --keys       what the keys begin with (LARGE)
`;

const OPTIONS = {
  operation: { type: 'string', default: 'subclient.create' },
  rows: { type: 'string', default: '' },
  out: { type: 'string', default: '' },
  mistakes: { type: 'string', default: '0%' },
  keys: { type: 'string', default: 'LARGE' },
  help: { type: 'boolean', default: false },
};

/** Operation → a good row, and what makes a mistake of it. */
const MAKERS = {
  'subclient.create': { make: inventSubclient, mistake: { 'details.name': '' } },
  'counterparty.draft': { make: inventDraft, mistake: { email: 'nobody' } },
};

const PIECE_CHARS = 65_536;

try {
  const { help, ...flags } = parseArgs({ options: OPTIONS }).values;
  if (help) process.stdout.write(HELP);
  else await write(flags);
} catch (error) {
  process.stderr.write(`large-file: ${error.message}\n`);
  process.exitCode = 3;
}

async function write({ operation, rows, out, mistakes, keys }) {
  const maker = MAKERS[operation];
  if (maker === undefined)
    throw new Error(`--operation ${operation}: expected one of ${Object.keys(MAKERS).join(', ')}`);
  if (!out.endsWith('.csv')) throw new Error(`--out "${out}": expected the name of a .csv file`);
  if (!/^[1-9]\d*$/.test(rows)) throw new Error(`--rows "${rows}": expected a whole number from 1`);
  const records = makeRecords({ ...maker, rows: Number(rows), share: shareOf(mistakes), keys });
  await pipeline(Readable.from(inPieces(linesOf(records))), createWriteStream(out));
}

function shareOf(text) {
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(text)?.[1];
  if (percent !== undefined && Number(percent) <= 100) return Number(percent) / 100;
  throw new Error(`--mistakes "${text}": expected a percentage such as 2%`);
}

function* makeRecords({ make, mistake, rows, share, keys }) {
  const random = createRandom(1);
  for (let row = 1; row <= rows; row += 1) {
    const record = make(random, `${keys}-${String(row).padStart(5, '0')}`);
    yield random.chance(share) ? { ...record, ...mistake } : record;
  }
}

function* linesOf(records) {
  let isFirst = true;
  for (const record of records) {
    if (isFirst) yield `${Object.keys(record).join(',')}\n`;
    isFirst = false;
    yield `${Object.values(record).map(cellOf).join(',')}\n`;
  }
}

function cellOf(value) {
  const cell = Array.isArray(value) ? value.join(';') : String(value);
  return /[,"\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** One write per line would take most of the time. */
function* inPieces(lines) {
  let piece = '';
  for (const line of lines) {
    piece += line;
    if (piece.length < PIECE_CHARS) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}
