import fc from 'fast-check';
import type { KeptIssue } from '../../src/model/issue.ts';
import { OUTCOMES } from '../../src/model/outcome.ts';
import type { Settlement } from '../../src/model/settlement.ts';

/** Also with halves of surrogate pairs. */
const text = fc.string({ unit: 'binary' });
const issue: fc.Arbitrary<KeptIssue> = fc.record(
  {
    code: fc.constantFrom('cell_not_convertible', 'empty_key'),
    column: fc.option(text),
    expected: text,
    values: fc.dictionary(text, text),
    settings: fc.array(fc.record({ pattern: text })),
  },
  { requiredKeys: ['code', 'column', 'expected'] },
);
const fields = {
  row: fc.integer({ min: 1 }),
  line: fc.nat(),
  key: text,
  outcome: fc.constantFrom(...OUTCOMES),
  status: fc.nat(),
  id: text,
  attempts: fc.nat(),
  ms: fc.nat(),
  code: text,
  message: text,
  values: fc.dictionary(text, text),
  issues: fc.array(issue),
  warnings: fc.array(fc.record({ code: text, column: fc.option(text) })),
};
const known = { keyDigest: text, nth: fc.integer({ min: 2 }) };
/** Whatever may stand in the ledger of a row. */
export const settlement: fc.Arbitrary<Settlement> = fc.oneof(
  fc.record(fields),
  fc.record({ ...fields, keyDigest: known.keyDigest }),
  fc.record({ ...fields, ...known }),
);
