import { describe, expect, test } from 'vitest';
import { cells, compileCsv, compileJson, record } from './catalog.ts';

const TABLE = compileCsv(['Ref', 'Firm', 'country', 'kyc.volume', 'onboard_run'], {
  key: 'Ref',
  fields: { name: 'Firm' },
});
const codes = (row: number, line: string) => {
  const mapped = TABLE.map({ ...cells(...line.split('|'), ''), row });
  return mapped.kind === 'issues' ? mapped.issues.map(({ code }) => code) : [];
};

const DESCRIBING = `text(20)|text(140)|char(3)|decimal(10,2) ; VARCHAR2(20) NOT NULL|an..35|ISO code|number
Mandatory|Required|Optional| ; Pflichtfeld|Pflichtfeld|optional|kann ; M|M|O|C ; ||Mandatory| ; 必須|必須|任意|
Mandatory, text|required (max 140 characters)|max. 3| ; string|string|string|TT.MM.JJJJ
obligatoire|texte|facultatif|entier ; |||[EUR] ; (text)|(text)||(EUR) ; |||EUR ; |||EUR/month
Your reference|Legal name|Country (ISO)| ; Nr|Firma|Land| ; PARTNER-0001|Example Trading Ltd|DEU|7
A1|Foo (delete this row)|GBR| ; 1|2|3|4 ; A|B|C| ; Please enter your ref|Enter the legal name|| ; EXAMPLE-1|Example Company|GBR| ; z. B. 4711|z. B. Muster|DEU|`;

/** Words that may be names, and made-up ones. */
const RECORDS = `1|Foo|GBR|4 ; A1|Please Enter Ltd|GBR| ; A1|Mandatory Ltd|GBR|1 ; A1|Text Ltd|GBR| ; A2|Date|DEU| ; A3|Max|GBR| ; A4|Text|| ; A5|String||9
M|Foo|GBR| ; A6|Company|GBR|2 ; A7|(Foo)|GBR| ; A8|Example Ltd|GBR| ; PARTNER-0001|Foo|DEU|7 ; A1|M|GBR|
PARTNER-2|Bar|GBR|2500.5 ; Ref|Foo|GBR| ; A9|E.G.O. AG|DEU| ; a.example|b.example|GBR|`;

const linesOf = (text: string) => text.split(/ ; |\n/);

describe('one of the first rows', () => {
  test.each(linesOf(DESCRIBING))('describes the columns: %s', (line) => {
    expect(codes(2, line)).toEqual(['describes_columns']);
    expect(codes(5, line)).not.toContain('describes_columns');
  });

  test.each(linesOf(RECORDS))('is a record: %s', (line) => {
    expect(codes(2, line)).toEqual([]);
  });

  test('is a record where its other members are numbers', () => {
    const row = { ...record({ 'kyc.payments': 12, country: 'EUR' }), row: 1 };
    expect(JSON.stringify(compileJson(['kyc.payments', 'country']).map(row))).not.toContain(
      'describes_columns',
    );
  });
});
