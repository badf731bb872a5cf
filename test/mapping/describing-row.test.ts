import { describe, expect, test } from 'vitest';
import { cells, compileCsv } from './catalog.ts';

const TABLE = compileCsv(['Ref', 'Firm', 'country', 'kyc.volume', 'onboard_run'], {
  key: 'Ref',
  fields: { name: 'Firm' },
});
const codes = (row: number, line: string) => {
  const mapped = TABLE.map({ ...cells(...line.split('|'), ''), row });
  return mapped.kind === 'issues' ? mapped.issues.map(({ code }) => code) : [];
};

describe('one of the first rows describes the columns', () => {
  test.each([
    ['types', 'text(20)|text(140)|char(3)|decimal(10,2)', 'VARCHAR2(20) NOT NULL|an..35|ISO code|number'],
    [
      'duties',
      'Mandatory|Required|Optional|',
      'Pflichtfeld|Pflichtfeld|optional|kann',
      'M|M|O|C',
      '||Mandatory|',
    ],
    ['duties with a type', 'Mandatory, text|required (max 140 characters)|max. 3|', '必須|必須|任意|任意'],
    ['formats', 'string|string|string|TT.MM.JJJJ', 'obligatoire|texte|facultatif|entier'],
    ['units', '|||[EUR]', '(text)|(text)||(EUR)', '|||EUR', '|||EUR/month'],
    ['labels', 'Your reference|Legal name|Country (ISO)|', 'Nr|Firma|Land|'],
    ["the template's example", 'PARTNER-0001|Example Trading Ltd|DEU|7'],
    ['what says it is an example', 'A1|Foo (delete this row)|GBR|', 'EXAMPLE-1|Example Company|GBR|'],
    ['examples', 'e.g. 4711|e.g. Foo Ltd|z.B. DEU|', 'z. B. 4711|z. B. Muster|DEU|'],
  ])('by %s', (_, ...lines) => {
    for (const line of lines) expect([line, codes(2, line)]).toEqual([line, ['describes_columns']]);
  });

  test('and no other row does, whose words may be names', () => {
    for (const line of [
      ...[
        'A1|Mandatory Ltd|GBR|1',
        'A1|Text Ltd|GBR|',
        'A2|Date|DEU|',
        'A3|Max|GBR|',
        'A4|Text||',
        'A5|String||9',
      ],
      ...[
        'Number One|Optional|GBR|1',
        'M|Foo|GBR|',
        'A6|Company|GBR|2',
        'A7|(Foo)|GBR|',
        'A8|Example Ltd|GBR|',
      ],
      ...[
        'PARTNER-0001|Foo|DEU|7',
        'PARTNER-2|Bar|GBR|2500.5',
        'A1|M|GBR|',
        'Ref|Foo|GBR|',
        'A9|E.G.O. AG|DEU|',
      ],
    ])
      expect([line, codes(2, line)]).toEqual([line, []]);
    expect(codes(5, 'Mandatory|text(20)|Optional|')).not.toContain('describes_columns');
  });
});
