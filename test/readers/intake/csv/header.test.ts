import { describe, expect, test } from 'vitest';
import { brief, readError, readText } from '../read-text.ts';

const READ = [
  {
    name: 'a sep= line sets the delimiter and is passed over; the lines stay the file’s',
    text: 'sep=;\na;b\n1;2,5\n',
    source: { delimiter: ';', columns: ['a', 'b'], headerLine: 2 },
    rows: ['3: 1¦2,5'],
  },
  {
    name: 'a sep= line may be quoted, in capitals, after a byte order mark and before CRLF',
    text: '\uFEFF"SEP=,"\r\na,b\r\n1,2;3\r\n',
    source: { delimiter: ',', columns: ['a', 'b'], bom: true, headerLine: 2 },
    rows: ['3: 1¦2;3'],
  },
  {
    name: 'a sep= line may name the tab by its escape',
    text: 'sep=\\t\na\tb\n1\t2\n',
    source: { delimiter: '\t' },
    rows: ['3: 1¦2'],
  },
  {
    name: 'a sep= line may name the tab itself, where lines end with CR',
    text: 'sep=\t\ra\tb\r1\t2\r',
    source: { delimiter: '\t' },
    rows: ['3: 1¦2'],
  },
  {
    name: 'a sep= line may name a sign that is not found by itself',
    text: 'sep=:\na:b\n1:2\n',
    source: { delimiter: ':' },
    rows: ['3: 1¦2'],
  },
  {
    name: 'a sep= line may say what the definition says',
    text: 'sep=\\t\na\tb\n1\t2\n',
    format: { delimiter: '\\t', header: 2 },
    source: { headerLine: 2 },
    rows: ['3: 1¦2'],
  },
  {
    name: 'sep= further down is text',
    text: 'a,b\nsep=;,x\n',
    source: { delimiter: ',', headerLine: 1 },
    rows: ['2: sep=;¦x'],
  },
  {
    name: 'format.header passes over what stands above, whatever quotes are there',
    text: 'Portfolio of "Acme, 5" pipes\n"as of\ntoday;x\n\nid;name\n1;x\n',
    format: { header: 5 },
    source: { delimiter: ';', columns: ['id', 'name'], headerLine: 5 },
    rows: ['6: 1¦x'],
  },
  {
    name: 'the header on the line that format.header names may itself have several lines',
    text: 'Title\r\n"a\r\nb",c\r\n1,2\r\n',
    format: { header: 2 },
    source: { columns: ['a\r\nb', 'c'], headerLine: 2 },
    rows: ['4: 1¦2'],
  },
  {
    name: 'format.header: 1 is the first line',
    text: 'a,b\n1,2\n',
    format: { header: 1 },
    source: { headerLine: 1 },
    rows: ['2: 1¦2'],
  },
  { name: 'no sign begins a comment', text: 'a,b\n#1,2\n', source: {}, rows: ['2: #1¦2'] },
  {
    name: 'lines of spaces above the header are passed over',
    text: '  \n\n a,b\n1,2\n',
    source: { headerLine: 3, columns: ['a', 'b'] },
    rows: ['4: 1¦2'],
  },
] as const;

test.each(READ)('$name, and the same again as it was understood', async ({ text, rows, source, ...rest }) => {
  const format = 'format' in rest ? rest.format : {};
  const read = await readText(text, { format });
  expect(read.rows.map(brief)).toEqual(rows);
  expect(read.source).toMatchObject(source);
  const { delimiter = null, headerLine = 1 } = read.source ?? {};
  const again = { ...format, delimiter: delimiter ?? 'auto', header: headerLine };
  expect((await readText(text, { format: again, blocks: [3] })).rows).toEqual(read.rows);
});

const REFUSED = [
  {
    name: 'a sep= line that contradicts the definition',
    text: 'sep=;\na;b\n',
    format: { delimiter: ',' },
    message: 'line 1: names the delimiter (sep=;), against format.delimiter: ,',
  },
  {
    name: 'a sep= line where the definition has the header',
    text: 'sep=;\na;b\n',
    format: { header: 1 },
    message: 'line 1: names the delimiter (sep=;), against format.header: 1',
  },
  { name: 'a sep= line that names the quote', text: 'sep="\na\n', message: 'expected different characters' },
  { name: 'a file of a sep= line only', text: 'sep=;\n', message: 'the header has no end' },
  {
    name: 'a header below the end of the file',
    text: 'a,b\n1,2\n',
    format: { header: 7 },
    message:
      'file.csv: has only 2 lines: expected the header on line 7, as format.header says; correct format.header',
  },
  {
    name: 'a header behind the only line',
    text: 'a,b\n',
    format: { header: 2 },
    message: 'has only 1 line: expected the header on line 2',
  },
  {
    name: 'a header far down in a large file',
    text: `${'title\n'.repeat(50_000)}a,b\n`,
    format: { header: 50_001 },
    message: 'within its first 262144 characters',
  },
  {
    name: 'a header on a blank line',
    text: 'title\n\na,b\n1,2\n',
    format: { header: 2 },
    message: 'file.csv, line 2: is blank: expected the header there, as format.header says',
  },
];

test.each(REFUSED)('$name is refused', async ({ text, format = {}, message }) => {
  const error = await readError(text, { format });
  expect(error).toMatch(/^UsageError: file\.csv/);
  expect(error).toContain(message);
});

test.each([
  ["'", "'id';'name'\n'1';'a;b'\n", ';'],
  ['`', '`id`,`name`\n`1`,`a,b`\n', ','],
  ["'", " 'id' , 'name',''\n", ','],
])(
  'a header whose names all stand in %s is answered with the setting that reads it: %j',
  async (quote, text, delimiter) => {
    const format = { delimiter };
    expect(await readError(text, { format })).toContain(
      `line 1: all names stand in ${quote}: expected names in " or in none; set format.quote: "${quote}"`,
    );
    const { source } = await readText(text, { format: { ...format, quote, trim: true } });
    expect(source?.columns).toEqual(['id', 'name']);
  },
);

test.each(["'id',name\n", "id,'name'\n", `"'id'","'name'"\n`, "',a\n"])(
  'the header %j is taken as it stands',
  async (text) => {
    expect((await readText(text, { format: { delimiter: ',' } })).rows).toEqual([]);
  },
);

describe('title lines above a header that the definition does not name', () => {
  const TITLED = [
    { name: 'one title and a blank line', text: 'Portfolio\n\nid;name;country\n1;x;GB\n', line: 3 },
    { name: 'a title with a comma in it', text: 'Report of Acme, Ltd\nid;name\n1;x\n2;y\n3;z\n', line: 2 },
    { name: 'titles of two cells', text: 'Title\nOn,2026-01-01\nid,name,country\n1,x,GB\n2,y,FR\n', line: 3 },
    { name: 'a title padded with separators', text: 'Portfolio;;\n;;\nid;name;country\n1;x;\n', line: 3 },
    {
      name: 'a title of a label and its value, padded',
      text: 'As of;2026-01-01;;\n;;;\nid;name;country;town\n1;x;GB;\n2;y;;\n3;z;FR;Lyon\n',
      line: 3,
    },
    {
      name: 'several padded titles, the table with an index and a column that is seldom filled',
      text: 'Portfolio;;;;\nPartner;Acme;;;\n;id;name;country;remark\n1;a;x;GB;\n2;b;y;FR;\n3;c;z;FR;late\n',
      line: 3,
    },
    {
      name: 'a title of two words over a wide table',
      text: 'Partner;Acme;;;\nid;name;country;town;street\n1;x;GB;;\n2;y;FR;Lyon;\n3;z;;;Main Street\n',
      line: 2,
    },
    { name: 'a line of separators', text: ';;\nid;name;country\n1;x;GB\n2;y;FR\n', line: 2 },
    { name: 'a title with a stray quote', text: 'The "Q3" file\nid,name\n1,x\n', line: 2 },
    {
      name: 'a title under a given delimiter',
      text: 'Title\na|b\n1|2\n',
      format: { delimiter: '|' },
      line: 2,
    },
  ];

  test.each(TITLED)(
    '$name: refused with the line that looks like the header',
    async ({ text, format = {}, line }) => {
      const error = await readError(text, { format });
      expect(error).toMatch(/^UsageError: file\.csv, line 1: doesn't look like a header, but line /);
      expect(error).toContain(`set format.header: ${line}, or format.header: 1 if`);
      const { rows, source } = await readText(text, { format: { ...format, header: line } });
      expect(source?.headerLine).toBe(line);
      expect(rows.every((row) => row.kind === 'cells')).toBe(true);
    },
  );

  const PLAIN = [
    { name: 'a file of one column', text: 'name\nAcme\nFoo\n', kinds: ['cells', 'cells'] },
    { name: 'a row with a separator too many', text: 'a,b\nx,y,z\n1,2\n', kinds: ['unreadable', 'cells'] },
    { name: 'values with a cell too many', text: 'a,b\n1,2,3\n4,5,6\n', kinds: ['unreadable', 'unreadable'] },
    {
      name: 'a header that is set',
      text: 'a\nx,y\nz,w\n',
      format: { header: 1 },
      kinds: ['unreadable', 'unreadable'],
    },
    {
      name: 'a nameless column that is filled in all rows',
      text: 'id;name;;\nabc;def;ghi;\n1;x;y;\n2;x;y;\n',
      kinds: ['unreadable', 'unreadable', 'unreadable'],
    },
    {
      name: 'a nameless column used',
      text: 'a;;\n1;;\nx;y;z\n2;;\n',
      kinds: ['cells', 'unreadable', 'cells'],
    },
  ] as const;

  test.each(PLAIN)('$name has none', async ({ text, kinds, ...rest }) => {
    const format = { delimiter: text.includes(';') ? ';' : ',', ...('format' in rest ? rest.format : {}) };
    const { rows } = await readText(text, { format });
    expect(rows.map((row) => row.kind)).toEqual(kinds);
  });
});

test('a report without its onboard_row is refused: its guarded keys would be read as others', async () => {
  const text = "id,onboard_run,onboard_message\n'-5,r,m\n";
  expect(await readError(text)).toContain(
    'line 1: has the column "onboard_run" of a report, but no "onboard_row"',
  );
});
