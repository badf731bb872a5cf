import fc from 'fast-check';
import iconv from 'iconv-lite';
import { expect, test } from 'vitest';
import { readError, readText } from './read-text.ts';

const HEADER = 'id,name,phone\n';
/** As RFC 1843 writes characters of GB 2312. */
const hz = (text: string) => {
  const bytes = Buffer.from(iconv.encode(text, 'gb2312').map((byte) => byte & 0x7f));
  return `~{${bytes.toString('latin1')}~}`;
};

const utf7 = (text: string) => iconv.encode(text, 'utf-7').toString('latin1');

test.each([
  ['UTF-7', utf7('Müller & Söhne'), 'format.encoding: utf-8'],
  ['UTF-7', utf7('ООО «Ромашка» + Co'), 'format.encoding: utf-8'],
  ['UTF-7', `${utf7('株式会社')},+-49 30 123`, 'format.encoding: utf-8'],
  ['UTF-7', 'Caf+AOk', 'format.encoding: utf-8'],
  ['HZ', `${hz('上海')} Trading`, 'format.encoding: utf-8'],
  ['HZ', `~~ ${hz('北京')}`, 'format.encoding: utf-8'],
])(
  'a file with letters as %s writes them (%s) is refused with its line and the setting',
  async (name, cell, setting) => {
    for (const blocks of [[1 << 20], [7], [1]]) {
      const error = await readError(`${HEADER}A1,Foo,\nA2,${cell}\n`, { blocks });
      expect(error).toContain(`file.csv: has letters as ${name} writes them`);
      expect(error).toContain(setting);
    }
    const { rows } = await readText(`${HEADER}A1,Foo,1\nA2,${cell.split(',')[0]},2\n`, {
      format: { encoding: 'utf-8' },
    });
    expect(rows[1]).toMatchObject({ cells: ['A2', cell.split(',')[0], '2'] });
  },
);

const PLAIN = [
  ...[
    '+49 30 12345',
    '+1-202-555-0143',
    '+120-555',
    'R+D Systems',
    'A+B',
    'C++',
    'Sin+Cos-Tan',
    'Foo + Bar',
    '+',
  ],
  ...[
    'anna+abc-1@example.com',
    'a+APw-b@example.com',
    'x+test@example.com',
    '+-',
    '+/+',
    '~',
    '~~',
    'a ~{b} c',
    '~{~}',
  ],
  ...['1e+21', 'Q+Partner', 'Kg+Co', '~user', 'Jean+Marie', '+Plus GmbH', 'A+++', 'http://x.example/a+b~c'],
];

test.each(PLAIN)('plain text is no such encoding: %s', async (cell) => {
  const { rows } = await readText(`${HEADER}A1,${cell},1\n`);
  expect(rows).toMatchObject([{ kind: 'cells', cells: ['A1', cell, '1'] }]);
});

test('one sign that is no form of UTF-7 says that none is meant, and so does a letter that is not ASCII', async () => {
  for (const other of ['+49 30', 'Müller'])
    expect((await readText(`${HEADER}A1,M+APw-ller,1\nA2,${other},2\n`)).rows).toHaveLength(2);
});

test('whatever text with such letters is written in UTF-7, it is refused', async () => {
  const word = fc.stringMatching(/^[A-Za-z+&. ]{0,8}[äöüßéčżЖ漢한][A-Za-z+&. ]{0,8}$/u);
  await fc.assert(
    fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 6 }), async (words) => {
      const text = words.map((word, i) => `A${i},"${utf7(word)}",1`).join('\n');
      expect(await readError(`${HEADER}${text}\n`)).toContain('has letters as UTF-7 writes them');
    }),
    { numRuns: 100 },
  );
});
