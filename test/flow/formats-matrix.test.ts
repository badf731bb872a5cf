import { gzipSync } from 'node:zlib';
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import writeXlsx from 'write-excel-file/node';
import { jobDefinitionSchema } from '../../src/config/job-definition.ts';
import { mappingFor } from '../../src/delivery/run-mapping.ts';
import { buildRequest } from '../../src/delivery/service/operations.ts';
import type { Encoding } from '../../src/model/source.ts';
import { readChunks } from '../../src/readers/intake/chunks.ts';
import { surveyFile } from '../../src/readers/intake/survey.ts';
import { ownFile } from '../support/folder.ts';

/** Every delimiter and every line end at least once. */
const FORMS = [
  { delimiter: ',', lineEnd: '\r\n' },
  { delimiter: ';', lineEnd: '\n' },
  { delimiter: '\t', lineEnd: '\r' },
  { delimiter: '|', lineEnd: '\r\n' },
];
const WESTERN = ['Café', 'Straße', 'Peña', 'Øre', '5² m'];
const WITH_EURO = [...WESTERN, 'Škoda', 'Nežka', '10 €', 'Cœur'];
const WIDE = [...WITH_EURO, 'Łódź', 'Ā', '一号', '😀', 'Иван'];

const UTF: readonly Encoding[] = ['utf-8', 'utf-16le', 'utf-16be'];

/** What a definition has to say of a file in this encoding. */
function toldOf(encoding: Encoding): { encoding?: Encoding } {
  return UTF.includes(encoding) ? {} : { encoding };
}

const HEADER = ['id', 'details.name', 'addresses.primary.town', 'internalInformation.notes'];

/** Sixty rows whose names and towns are taken from the words in turn; every tenth note needs quotes in any dialect. */
function rowsOf(words: readonly string[]): readonly (readonly string[])[] {
  return Array.from({ length: 60 }, (_, i) => {
    const word = words[i % words.length] ?? '';
    const note = i % 10 === 0 ? `${word}: "a", b; c | d\te\nsecond line` : '';
    return [`sub-${i + 1}`, `${word} ${i + 1} Ltd`, words[(i * 7) % words.length] ?? '', note];
  });
}

type Rows = ReturnType<typeof rowsOf>;

/** Each encoding with the widest choice of letters that it has. */
const SETS: readonly (readonly [name: string, Rows, readonly Encoding[]])[] = [
  ['Western letters', rowsOf(WESTERN), ['iso-8859-1']],
  ['letters and signs of windows-1252', rowsOf(WITH_EURO), ['windows-1252', 'iso-8859-15']],
  ['characters of any script', rowsOf(WIDE), UTF],
];

function csvOf(rows: Rows, { delimiter, lineEnd }: (typeof FORMS)[number]): string {
  const cellOf = (cell: string) => (/["\r\n,;\t|]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return [HEADER, ...rows].map((cells) => cells.map(cellOf).join(delimiter) + lineEnd).join('');
}

/** A record has no member for an empty cell, as a row has none for it. */
function recordsOf(rows: Rows): readonly string[] {
  return rows.map((cells) => {
    const members = HEADER.map((name, i) => [name, cells[i] ?? '']).filter(([, cell]) => cell !== '');
    return JSON.stringify(Object.fromEntries(members));
  });
}

/** The text's bytes in the encoding; throws where it has no byte for a character. */
function encode(text: string, encoding: Encoding, options: { bom: boolean; gzip: boolean }): Buffer {
  const bytes = iconv.encode(text, encoding, { addBOM: options.bom });
  if (iconv.decode(bytes, encoding) !== text) throw new Error(`${encoding} can't hold the text`);
  return options.gzip ? gzipSync(bytes, { level: 1 }) : bytes;
}

/** Method, path and body of every row's request, by the reader, the mapping and the request builder of a run. */
async function requestsOf(name: string, bytes: Buffer, format: object = {}): Promise<string> {
  const path = await ownFile(bytes, name);
  const definition = jobDefinitionSchema.parse({ operation: 'subclient.update', format });
  const { source } = await surveyFile(path, definition.format);
  const { map } = mappingFor(definition, source);
  const requests: string[] = [];
  const cuts = { chunkRows: 100, chunkEnds: null };
  for await (const { rows } of readChunks(path, source, definition.format, cuts)) {
    for (const row of rows) {
      const mapped = map(row);
      if (mapped.kind !== 'mapped') throw new Error(`row ${row.row}: ${JSON.stringify(mapped.issues)}`);
      const request = buildRequest('subclient.update', { ...mapped, query: {} });
      requests.push(`${request.method} ${request.path} ${request.body}`);
    }
  }
  return requests.join('\n');
}

/** The same by hand from the cells. */
function expectedOf(rows: Rows): string {
  return rows
    .map(([id, name, town, notes]) => {
      const body = {
        details: { name },
        addresses: { primary: { town } },
        ...(notes === '' ? {} : { internalInformation: { notes } }),
      };
      return `PATCH /v1/subclients/${id} ${JSON.stringify(body)}`;
    })
    .join('\n');
}

describe.each(SETS)('60 rows with %s give byte-identical requests', (_, rows, encodings) => {
  const expected = expectedOf(rows);

  test.each(encodings)(
    'in %s: CSV with its delimiters and line ends, plain and gzip, found or named',
    async (encoding) => {
      for (const form of FORMS) {
        const text = csvOf(rows, form);
        const plain = encode(text, encoding, { bom: false, gzip: false });
        const zipped = encode(text, encoding, { bom: encoding.startsWith('utf'), gzip: true });
        expect(await requestsOf('a.csv', plain, toldOf(encoding))).toBe(expected);
        expect(await requestsOf('a.csv.gz', zipped, { encoding })).toBe(expected);
      }
    },
  );

  test.each(encodings)('in %s: JSON and NDJSON, plain and gzip', async (encoding) => {
    const records = recordsOf(rows);
    for (const gzip of [false, true]) {
      const ending = gzip ? '.gz' : '';
      const json = encode(`[${records.join(',\n')}]`, encoding, { bom: false, gzip });
      const ndjson = encode(records.map((line) => `${line}\n`).join(''), encoding, { bom: false, gzip });
      expect(await requestsOf(`a.json${ending}`, json, toldOf(encoding))).toBe(expected);
      expect(await requestsOf(`a.ndjson${ending}`, ndjson, { encoding })).toBe(expected);
    }
  });

  test('as an Excel workbook', async () => {
    const cells = [HEADER, ...rows].map((row) => row.map((value) => ({ value, type: String })));
    expect(await requestsOf('a.xlsx', await writeXlsx(cells).toBuffer())).toBe(expected);
  });
});
