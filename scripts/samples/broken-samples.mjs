import { inventSubclient, key } from './records.mjs';

const CSV = { type: 'csv', delimiter: ',', eol: '\n', bom: false };
const COLUMNS = ['externalId', 'details.name', 'details.taxId'];

/** Files that are refused as a whole, before anything is sent. */
export const BROKEN_SAMPLES = [
  broken('broken-unclosed-quote.csv', 'a quote that is never closed: nobody knows where its row ends', CSV, {
    whole: (bytes) =>
      Buffer.from(
        `${bytes.toString()}FOX-00021,"Zellgard Timber Ltd,012345678\nFOX-00022,Vexbury Bakery Ltd,098765432\n`,
      ),
  }),
  broken('broken-unknown-column.csv', 'a column that is no field: details.nmae', CSV, {
    header: ['externalId', 'details.nmae', 'details.taxId'],
  }),
  broken('broken-duplicate-column.csv', 'the column details.name twice', CSV, {
    header: ['externalId', 'details.name', 'details.name'],
  }),
  broken(
    'broken-truncated.json',
    'an upload that stopped half-way',
    { type: 'json' },
    {
      whole: (bytes) => bytes.subarray(0, Math.floor(bytes.length * 0.7)),
    },
  ),
];

function broken(file, note, format, parts) {
  return {
    file,
    job: 'subclients-create',
    format,
    rows: 20,
    refused: note,
    record: (random, row) => threeColumns(inventSubclient(random, key('FOX', row))),
    mistakes: [],
    ...parts,
  };
}

function threeColumns(record) {
  return Object.fromEntries(COLUMNS.map((name) => [name, record[name]]));
}
