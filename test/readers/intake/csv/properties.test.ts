import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvText } from '../../../../src/runs/report/csv-text.ts';
import { readError, readText } from '../read-text.ts';

/** What no text has. */
const CONTROL = /(?![\t\n\v\r])\p{Cc}/gu;

const DELIMITERS = [',', ';', '\t', '|'] as const;

const cell = fc.oneof(
  fc.string({
    unit: fc.constantFrom(...'a "\',;\t|\n\ré€😀\u00A0', '\r\n'),
    maxLength: 8,
  }),
  fc.string({ unit: 'binary', maxLength: 6 }).map((text) => text.replaceAll(CONTROL, '')),
);
const table = fc
  .integer({ min: 1, max: 5 })
  .chain((width) =>
    fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 12 }),
  );
const blocks = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 });
const delimiter = fc.constantFrom(...DELIMITERS);
const newline = fc.constantFrom('\n', '\r\n');

const dialect = fc.record({
  delimiter: fc.constantFrom(...DELIMITERS, ':', '^', 'é'),
  quote: fc.constantFrom('"', "'", '`'),
  newline: fc.constantFrom('\n', '\r\n', '\r'),
  isLastEnded: fc.boolean(),
  isQuotedAll: fc.boolean(),
});

test('whatever the cells, the signs, the line ends and the block boundaries, a file reads back exactly', async () => {
  await fc.assert(
    fc.asyncProperty(table, dialect, blocks, async (cells, { newline, isLastEnded, ...signs }, blocks) => {
      const header = (cells[0] ?? []).map((_, i) => `column${i}`);
      const lines = [header, ...cells].map((record) => writeLine(record, signs));
      const text = lines.join(newline) + (isLastEnded ? newline : '');
      const { quote, delimiter } = signs;
      const { rows } = await readText(text, { blocks, format: { quote, delimiter } });
      expect(rows.map((row) => (row.kind === 'cells' ? row.cells : row))).toEqual(cells);
      if (newline === '\r') return;
      const before = cells.map(
        (_, i) =>
          lines
            .slice(0, i + 1)
            .join('\n')
            .split('\n').length,
      );
      expect(rows.map(({ line }) => line)).toEqual(before.map((count) => count + 1));
    }),
    { numRuns: 500 },
  );
});

/** Quotes what would otherwise be read as something else: signs, a line of nothing but separators. */
function writeLine(
  record: readonly string[],
  { delimiter, quote, isQuotedAll }: { delimiter: string; quote: string; isQuotedAll: boolean },
): string {
  const isEmpty = record.every((cell) => cell === '');
  return record
    .map((cell) => {
      const isSpecial = [delimiter, quote, '\r', '\n'].some((sign) => cell.includes(sign));
      const isQuoted = isQuotedAll || isEmpty || isSpecial;
      return isQuoted ? quote + cell.replaceAll(quote, quote + quote) + quote : cell;
    })
    .join(delimiter);
}

const soup = fc.string({ unit: fc.constantFrom(...'ab"",,\n\n\r ', '\r\n'), maxLength: 60 });

test('whatever stands in a file, the block boundaries change nothing', async () => {
  await fc.assert(
    fc.asyncProperty(soup, blocks, fc.boolean(), async (body, blocks, trim) => {
      const options = { format: { delimiter: ',', trim } };
      const whole = await readText(`x,y\n${body}`, options).catch(String);
      const pieces = await readText(`x,y\n${body}`, { ...options, blocks }).catch(String);
      expect(pieces).toEqual(whole);
    }),
    { numRuns: 800 },
  );
});

test('whatever stands in a file, rows read are those of csv-parse where it accepts the file, and damage is told where it does not', async () => {
  let seen = 0;
  await fc.assert(
    fc.asyncProperty(soup, async (body) => {
      const text = `x,y\n${body}`;
      const reading = await readText(text, { format: { delimiter: ',', header: 1 } }).catch(() => null);
      const records = strictly(text)?.slice(1);
      if (records === undefined) {
        expect(reading === null || reading.rows.some((row) => row.kind === 'unreadable')).toBe(true);
        return;
      }
      const fitting = records.filter((cells) => cells.length === 2);
      const read = reading?.rows.flatMap((row) => (row.kind === 'cells' ? [row.cells] : [])) ?? [];
      const missing = fitting.length - read.length;
      // A record with fewer cells takes the one before it along.
      expect(missing).toBeLessThanOrEqual(records.filter((cells) => cells.length < 2).length);
      expect(isWithin(read, fitting)).toBe(true);
      expect(reading?.rows.some((row) => row.kind === 'unreadable')).toBe(fitting.length < records.length);
      seen += read.length;
    }),
    { numRuns: 1500 },
  );
  expect(seen).toBeGreaterThan(100);
});

/** Whether some of the records were left out of the others, and nothing else changed. */
function isWithin(some: readonly string[][], all: readonly string[][]): boolean {
  let next = 0;
  for (const cells of all) if (JSON.stringify(cells) === JSON.stringify(some[next])) next += 1;
  return next === some.length;
}

/** What csv-parse makes of it, without the records of bare separators or white space, which are no rows. */
function strictly(text: string): string[][] | null {
  // A lone CR at the end of a file counts as a line end here.
  const whole = text.endsWith('\r') ? `${text}\n` : text;
  try {
    const read = parse(whole, {
      record_delimiter: ['\r\n', '\n'],
      skip_empty_lines: true,
      relax_column_count: true,
      // An unquoted cell holds no quote, so that the sign in front tells which cells were quoted.
      cast: (cell, { quoting }) => (quoting ? `"${cell}` : cell),
    });
    return read
      .filter((cells, i) => i === 0 || !isEmpty(cells))
      .map((cells) => cells.map((cell) => cell.replace(/^"/, '')));
  } catch {
    return null;
  }
}

function isEmpty(cells: readonly string[]): boolean {
  return cells.length === 2 ? cells.join('') === '' : cells.length === 1 && cells.join('').trim() === '';
}

const goodRow = fc.tuple(fc.constantFrom('a', 'b c', 'é'), fc.constantFrom('x', '', 'y z'));
const BAD = ['5" pipe,x', '"a"b,c', 'x, "y"', '"The "Best" Ltd",GB', '1,2,3', 'only', 'x,y"'];
const badRow = fc.constantFrom(...BAD);

test('wherever damaged rows stand in a file, every other row is exact', async () => {
  const lines = fc.array(fc.oneof(goodRow, badRow), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(lines, newline, fc.boolean(), async (rows, newline, quoted) => {
      const write = (row: [string, string]) => (quoted ? `"${row[0]}","${row[1]}"` : row.join(','));
      const text = ['x,y', ...rows.map((row) => (typeof row === 'string' ? row : write(row)))].join(newline);
      const { rows: read } = await readText(text, { format: { delimiter: ',', header: 1 } });
      expect(read.map((row) => [row.line, row.kind === 'cells' ? row.cells : row.kind])).toEqual(
        salvaged(rows),
      );
    }),
    { numRuns: 400 },
  );
});

/** Each damaged line is a row, and the first with too few cells begins on the line of the record above. */
function salvaged(rows: readonly (string | string[])[]): (readonly [number, string | string[]])[] {
  const found: (readonly [number, string | string[]])[] = [];
  for (const [i, row] of rows.entries()) {
    const isBelowGood = i > 0 && typeof rows[i - 1] !== 'string';
    if (typeof row !== 'string') found.push([i + 2, row]);
    else if (row === 'only' && isBelowGood) found.splice(-1, 1, [i + 1, 'unreadable']);
    else found.push([i + 2, 'unreadable']);
  }
  return found;
}

const header = fc.uniqueArray(fc.constantFrom('id', 'details.name', 'Country', 'Straße', 'a b'), {
  minLength: 2,
});

test('whatever the delimiter, it is found by itself in a file of plain cells', async () => {
  await fc.assert(
    fc.asyncProperty(header, delimiter, fc.nat(20), async (header, delimiter, count) => {
      const rows = Array.from({ length: count }, (_, i) => header.map((name) => `${name} ${i}`));
      const { source } = await readText(stringify([header, ...rows], { delimiter }));
      expect(source?.delimiter).toBe(delimiter);
    }),
    { numRuns: 60 },
  );
});

const DETECTED = [
  ['commas inside quotes do not count', 'a;b\n"1,2,3";x\n"4,5";y\n', ';'],
  ['decimal commas do not count', 'id;amount\n1;2,50\n2;3,50\n', ';'],
  ['list signs in cells do not count', 'id,list\n1,a;b\n2,c|d;e\n', ','],
  ['a ragged row does not mislead', 'a\tb\n1\t2\n1\t2\t3,4\n5\t6\n', '\t'],
  ['a comma in one header name does not mislead', 'Name, legal;b\nx;y\nz;w\n', ';'],
  ['line breaks in quotes do not mislead', 'a|b\n"x\n,,\n,",y\n'.replace('",y', '"|y'), '|'],
  ['a one-column file is read as such', 'name\nx y\nz\n', ','],
] as const;

test.each(DETECTED)('when the delimiter is to be found, %s', async (_, text, delimiter) => {
  const { source, rows } = await readText(text);
  expect(source?.delimiter).toBe(delimiter);
  expect(rows[0]?.line).toBe(2);
});

test('when two delimiters are equally good, the file is refused and both are named', async () => {
  expect(await readError('a,b;c\n1,2;3\n')).toMatch(
    /^UsageError: file.csv: comma and semicolon .* set format.delimiter/,
  );
});

test('when the delimiter is also the quote, the definition is refused', async () => {
  expect(await readError('a\n', { format: { delimiter: '"' } })).toContain(
    'format.delimiter, format.quote and format.escape',
  );
});

const text = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 6 })
  .map((cell) => cell.replaceAll(CONTROL, 'x').replaceAll(/[\r\n",]/g, 'x'));
const badBytes = fc
  .constantFrom('ff', 'c3', 'e282', 'f09f98', 'eda080', 'c080')
  .map((hex) => [...Buffer.from(hex, 'hex')]);

test('wherever undecodable bytes stand, exactly their row is unreadable, whatever the block boundaries', async () => {
  const row = fc.tuple(text, fc.option(badBytes, { freq: 3 }));
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 8 }), blocks, async (rows, blocks) => {
      const lines = rows.map(([cell, bad]) =>
        Buffer.concat([Buffer.from(`${cell},`), Buffer.from(bad ?? []), Buffer.from('z\n')]),
      );
      const { rows: read } = await readText(Buffer.concat([Buffer.from('a,b\n'), ...lines]), {
        blocks,
        format: { delimiter: ',', encoding: 'utf-8' },
      });
      expect(read.map((r) => (r.kind === 'cells' ? r.cells : r.kind))).toEqual(
        rows.map(([cell, bad]) => (bad === null ? [cell, 'z'] : 'unreadable')),
      );
      for (const row of read) if (row.kind === 'unreadable') expect(row.text).toMatch(/,\uFFFD+z$/);
    }),
    { numRuns: 100 },
  );
});

test('the cells of a report file come back as they were before they were guarded, whatever separators are in them', async () => {
  const awkward = fc.constantFrom(...'\'",;\t|\r\n =+-@＝x0é', '\r\n', "';=", '\t"+');
  const cell = fc.array(awkward, { maxLength: 8 }).map((parts) => parts.join(''));
  const dialect = fc.record({
    delimiter: fc.constantFrom(',', ';', '\t', '|'),
    quote: fc.constantFrom('"', "'"),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 4 }),
      dialect,
      async (cells, how) => {
        const report = csvText([['a', 'x;=y', 'onboard_row'], ...cells.map((pair) => [...pair, '1'])], how);
        const { source, rows } = await readText(report, { format: how });
        expect(source?.columns).toEqual(['a', 'x;=y', 'onboard_row']);
        expect(rows.map((row) => (row.kind === 'cells' ? row.cells : row))).toEqual(
          cells.map((pair) => [...pair, '1']),
        );
      },
    ),
    { numRuns: 100 },
  );
});
