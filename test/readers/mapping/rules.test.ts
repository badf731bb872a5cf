import { describe, expect, test } from 'vitest';
import type { Mapping } from '../../../src/model/mapping.ts';
import { issueWords } from '../../../src/model/sentence.ts';
import { createRepeatLook } from '../../../src/readers/mapping/rules.ts';
import { bodyOf, cells, compileCsv, compileJson, problemsOf, record } from './catalog.ts';

const VOLUME = { fields: { 'kyc.volume': 'V' } };

function told(mapping: Mapping, ...row: string[]): unknown {
  const mapped = mapping.map(cells(...row));
  if (mapped.kind === 'mapped') return mapped.warnings.map(({ code, column }) => `${code} ${column}`);
  return mapped.issues.map(
    (issue) => `${issue.code} ${issue.column}: ${issueWords(issue).replace(/^.*: expected /, '')}`,
  );
}

describe('a rule', () => {
  test.each([
    [{ pattern: '^[0-9]{8}$' }, '12345678', null],
    [{ pattern: '^[0-9]{8}$' }, '1234567', 'text with the form ^[0-9]{8}$'],
    [{ pattern: '^\\p{L}+$' }, 'Åse', null],
    [{ enum: ['A', 'B'] }, 'B', null],
    [{ enum: ['A', 'B'] }, 'b', 'one of A, B'],
    [{ minLength: 2 }, '𝒜', 'at least 2 characters'],
    [{ maxLength: 2 }, 'abc', 'at most 2 characters'],
    [{ pattern: 'a' }, 'a'.repeat(1025), 'at most 1024 characters'],
    [{ pattern: 'a', message: 'a name with an a' }, 'b', 'a name with an a'],
  ])('%j of the text %j expects %j', (rule, text, expected) => {
    const mapping = compileCsv(['N'], { fields: { name: 'N' }, rules: { name: rule } });
    expect(told(mapping, text)).toEqual(expected === null ? [] : [`rule_broken N: ${expected}`]);
  });

  test.each([
    ['5', []],
    ['4.5', ['rule_broken V: 5 or more']],
    ['11', ['rule_broken V: 10 or less']],
    ['', []],
  ])('of a number looks at what would be sent of %j', (text, expected) => {
    const rules = { 'kyc.volume': { minimum: 5, maximum: 10 } };
    const mapping = compileCsv(['name', 'V'], { ...VOLUME, rules });
    expect(told(mapping, 'N', text)).toEqual(expected);
  });

  test('of a list looks at each of its values, and of a list of objects at each object', () => {
    const columns = ['currencies', 'accounts.0.iban', 'accounts.1.iban'];
    const rules = { currencies: { enum: ['EUR'] }, 'accounts.#.iban': { minLength: 3 } };
    expect(told(compileCsv(columns, { rules }), 'EUR;GBP', 'DE1', 'D')).toEqual([
      'rule_broken currencies.1: one of EUR',
      'rule_broken accounts.1.iban: at least 3 characters',
    ]);
    const json = compileJson(['accounts.0.iban'], { rules: { 'accounts.0.iban': { enum: ['X'] } } });
    expect(json.map(record({ accounts: [{ iban: 'Y' }] })).kind).toBe('issues');
  });

  test('lets the row go where its level is warn', () => {
    const rules = { name: { maxLength: 1, level: 'warn' as const } };
    expect(told(compileCsv(['name'], { rules }), 'ab')).toEqual(['rule_broken name']);
  });

  // By backtracking each of these would take longer than the universe has.
  test.each(['^(a|a)*b$', '^(a+)+$', '(x+x+)+y'])('%s takes no time on any text', (pattern) => {
    const mapping = compileCsv(['name'], { rules: { name: { pattern } } });
    for (const sign of ['a', 'x']) expect(told(mapping, `${sign.repeat(1000)}!`)).toHaveLength(1);
  });

  test.each([
    ['name', { pattern: '(?<=a)b' }, /^rules, "name": pattern: expected a regular expression of RE2/],
    ['name', { pattern: '(' }, /^rules, "name": pattern: expected/],
    ['nmae', { minLength: 1 }, /^rules, "nmae": .* no such field/],
    ['accounts', { minLength: 1 }, /^rules, "accounts": .* no such field/],
  ])('of %s as %j is refused at the start', (field, rule, problem) => {
    const problems = problemsOf(() => compileCsv(['name'], { rules: { [field]: rule } }));
    expect(problems).toEqual([expect.stringMatching(problem)]);
  });
});

describe('a value that is to be unique', () => {
  const rules = { 'details.taxId': { unique: true as const } };

  test('names the row before that has it', () => {
    const look = createRepeatLook(rules);
    const rows = ['1', '2', '1', '1'];
    for (const [i, taxId] of rows.entries()) look.see(i + 1, null, { details: { taxId } });
    expect(look.found()).toEqual({
      'details.taxId': [
        [3, 1],
        [4, 1],
      ],
    });
    const mapping = compileCsv(['name', 'details.taxId'], { rules }, { found: { repeats: look.found() } });
    expect(told(mapping, 'N', '1')).toEqual([
      'rule_broken details.taxId: a value that no other row of the file has; row 1 has it',
    ]);
  });

  test('may stand in the rows of one record, and in too many it refuses the file', () => {
    const look = createRepeatLook(rules);
    for (let row = 1; row <= 1001; row += 1) look.see(row, 'K1', { details: { taxId: '1' } });
    expect(look.found()).toEqual({ 'details.taxId': [] });
    for (let row = 1002; row <= 2001; row += 1) look.see(row, null, { details: { taxId: '1' } });
    expect(() => look.see(2002, null, { details: { taxId: '1' } })).toThrow('more than 1000 rows repeat');
  });
});

describe('a constant with a condition', () => {
  const fields = { name: 'N', isPayer: { value: true, when: { Type: ['Payer', 'Both'] } } };

  test('is sent with the cells that it names alone', () => {
    const mapping = compileCsv(['N', 'Type'], { fields });
    const sent = ['Payer', 'Both', 'payer', ''].map((type) => bodyOf(mapping.map(cells('Foo', type))));
    expect(sent).toEqual([
      { name: 'Foo', isPayer: true },
      { name: 'Foo', isPayer: true },
      { name: 'Foo' },
      { name: 'Foo' },
    ]);
  });

  test('needs its column, and a value that fits its field', () => {
    expect(problemsOf(() => compileCsv(['N'], { fields }))[0]).toContain('no column "Type"');
    const wrong = { ...fields, isPayer: { value: 'perhaps', when: { Type: ['Payer'] } } };
    expect(problemsOf(() => compileCsv(['N', 'Type'], { fields: wrong }))).toEqual([
      expect.stringContaining("the constant doesn't fit the field"),
    ]);
  });
});
