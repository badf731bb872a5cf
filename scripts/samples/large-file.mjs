import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createRandom } from './random.mjs';
import { inventDraft, inventSubclient, inventSubclientUpdate, key } from './records.mjs';
import { recordText } from './render.mjs';

const CSV = { type: 'csv', delimiter: ',', eol: '\n', bom: false };

/** Operation → a good row, and the same row with a mistake in it. */
export const ROW_MAKERS = {
  'subclient.create': { make: newSubclient, spoil: (record) => ({ ...record, 'details.name': '' }) },
  'subclient.upsert': { make: newSubclient, spoil: (record) => ({ ...record, 'details.name': '' }) },
  'subclient.update': {
    make: (random, row) => inventSubclientUpdate(random, `sub-${String(row).padStart(4, '0')}`),
    spoil: (record) => ({ ...record, 'kyc.details.monthlyVolumeAmount': '12,50' }),
  },
  'counterparty.draft': {
    make: (random, row, keys) => inventDraft(random, key(keys, row)),
    spoil: (record) => ({ ...record, email: 'nobody' }),
  },
  'payment.documents': {
    make: (_, row) => ({ paymentId: `pay-${String(row).padStart(4, '0')}` }),
    spoil: () => ({ paymentId: '..' }),
  },
};

function newSubclient(random, row, keys) {
  return inventSubclient(random, key(keys, row));
}

/**
 * Writes `rows` rows as a stream: the memory does not grow with the file. `mistakes` is a share
 * from 0 to 1.
 */
export async function writeLargeFile({ operation, rows, mistakes, seed, keys, format, out }) {
  const lines = format === 'csv' ? csvLines : format === 'json' ? jsonLines : ndjsonLines;
  const records = makeRecords({ operation, rows, mistakes, seed, keys });
  await pipeline(Readable.from(inPieces(lines(records))), createWriteStream(out));
}

function* makeRecords({ operation, rows, mistakes, seed, keys }) {
  const random = createRandom(seed);
  const { make, spoil } = ROW_MAKERS[operation];
  for (let row = 1; row <= rows; row += 1) {
    const record = make(random, row, keys);
    yield random.chance(mistakes) ? spoil(record) : record;
  }
}

function* csvLines(records) {
  let header = true;
  for (const record of records) {
    if (header) yield `${Object.keys(record).join(',')}\n`;
    header = false;
    yield `${recordText(record, CSV)}\n`;
  }
}

function* ndjsonLines(records) {
  for (const record of records) yield `${recordText(record, { type: 'ndjson' })}\n`;
}

function* jsonLines(records) {
  let separator = '[\n';
  for (const record of records) {
    yield `${separator}${recordText(record, { type: 'ndjson' })}`;
    separator = ',\n';
  }
  yield '\n]\n';
}

/** One write per line would take most of the time. */
function* inPieces(lines) {
  let piece = '';
  for (const line of lines) {
    piece += line;
    if (piece.length < 65_536) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}
