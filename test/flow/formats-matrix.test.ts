import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jobDefinitionSchema } from '../../src/config/job-definition.ts';
import { mappingFor } from '../../src/delivery/run-mapping.ts';
import { readChunks } from '../../src/intake/chunks.ts';
import { surveyFile } from '../../src/intake/survey.ts';
import type { Encoding } from '../../src/model/source.ts';
import { buildRequest } from '../../src/service/operations.ts';
import { startFlow } from '../support/flow.ts';
import {
  type CsvForm,
  csvOf,
  encode,
  jsonOf,
  ndjsonOf,
  type Portfolio,
  portfolioOf,
  xlsxOf,
} from '../support/portfolio-forms.ts';

/** Every delimiter and every line end at least once. */
const FORMS: readonly CsvForm[] = [
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

/** Each encoding with the widest choice of letters that it has. */
const SETS: readonly (readonly [name: string, Portfolio, readonly Encoding[]])[] = [
  ['Western letters', portfolioOf(WESTERN), ['iso-8859-1']],
  ['letters and signs of windows-1252', portfolioOf(WITH_EURO), ['windows-1252', 'iso-8859-15']],
  ['characters of any script', portfolioOf(WIDE), UTF],
];

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'onboard-matrix-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Method, path and body of every row's request, by the reader, the mapping and the request builder of a run. */
async function requestsOf(
  name: string,
  bytes: Buffer,
  format: { encoding?: Encoding } = {},
): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  const definition = jobDefinitionSchema.parse({ operation: 'subclient.update', format });
  const { source } = await surveyFile(path, definition.format);
  const { map } = mappingFor(definition, source);
  const requests: string[] = [];
  for await (const chunk of readChunks(path, source, definition.format, {
    chunkRows: 100,
    chunkEnds: null,
  })) {
    for (const row of chunk.rows) {
      const mapped = map(row);
      if (mapped.kind !== 'mapped') throw new Error(`row ${row.row}: ${JSON.stringify(mapped.issues)}`);
      const request = buildRequest('subclient.update', { ...mapped, query: {} });
      requests.push(`${request.method} ${request.path} ${request.body}`);
    }
  }
  return requests.join('\n');
}

/** The same by hand from the cells. */
function expectedOf({ rows }: Portfolio): string {
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

describe.each(SETS)('60 rows with %s give byte-identical requests', (_, portfolio, encodings) => {
  const expected = expectedOf(portfolio);

  test.each(encodings)(
    'in %s: CSV with its delimiters and line ends, plain and gzip, found or named',
    async (encoding) => {
      for (const form of FORMS) {
        const text = csvOf(portfolio, form);
        const plain = encode(text, encoding, { bom: false, gzip: false });
        const zipped = encode(text, encoding, { bom: encoding.startsWith('utf'), gzip: true });
        expect(await requestsOf('a.csv', plain, toldOf(encoding))).toBe(expected);
        expect(await requestsOf('a.csv.gz', zipped, { encoding })).toBe(expected);
      }
    },
  );

  test.each(encodings)('in %s: JSON and NDJSON, plain and gzip', async (encoding) => {
    for (const gzip of [false, true]) {
      const ending = gzip ? '.gz' : '';
      const bytesOf = (text: string) => encode(text, encoding, { bom: false, gzip });
      expect(await requestsOf(`a.json${ending}`, bytesOf(jsonOf(portfolio)), toldOf(encoding))).toBe(
        expected,
      );
      expect(await requestsOf(`a.ndjson${ending}`, bytesOf(ndjsonOf(portfolio)), { encoding })).toBe(
        expected,
      );
    }
  });

  test('as an Excel workbook', async () => {
    expect(await requestsOf('a.xlsx', await xlsxOf(portfolio))).toBe(expected);
  });
});

test('three of the forms arrive at the service byte-identical', async () => {
  const flow = await startFlow({ recordRequests: 60 });
  const portfolio = portfolioOf(WITH_EURO);
  const csv = (delimiter: string, lineEnd: string) => csvOf(portfolio, { delimiter, lineEnd });
  const forms: readonly (readonly [name: string, Buffer, format: string])[] = [
    [
      'a.csv',
      encode(csv(';', '\r\n'), 'windows-1252', { bom: false, gzip: false }),
      'format: { encoding: windows-1252 }\n',
    ],
    ['a.csv.gz', encode(csv('\t', '\r'), 'utf-16le', { bom: true, gzip: true }), ''],
    ['a.xlsx', await xlsxOf(portfolio), ''],
  ];
  for (const [name, bytes, format] of forms) {
    const job = await flow.file(
      `${name}.yaml`,
      `operation: subclient.update\nsend: { canary: 0 }\n${format}`,
    );
    await writeFile(join(flow.home, name), bytes);
    await flow.run(['--job-file', job, join(flow.home, name)]);
    const received = flow.sandbox.requests().map(({ method, target, body }) => `${method} ${target} ${body}`);
    expect(received.sort(), name).toEqual(expectedOf(portfolio).split('\n').sort());
  }
});
