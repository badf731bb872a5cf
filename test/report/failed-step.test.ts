import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/model/outcome.ts';
import { summarize } from '../../src/report/summary.ts';
import { createTally } from '../../src/report/tally.ts';
import { failedStep, renderSummary } from '../../src/report/words.ts';
import { makeRun, NOW, settled } from './make-report.ts';

/** Of a finished run whose rows ended like these. */
function summaryOf(ends: ReadonlyArray<readonly [Outcome, string]>) {
  const settlements = ends.map(([outcome, code], i) => settled(i + 1, outcome, { code }));
  const tally = createTally({ operation: 'subclient.create', extension: 'csv' });
  settlements.forEach(tally.add);
  return summarize(makeRun(settlements), tally.topErrors(), NOW());
}

const NOT_CREATED = ['failed', 'not_created'] as const;
const IN_DOUBT = ['invalid', 'row_in_doubt'] as const;
const KEY_IN_DOUBT = ['invalid', 'key_in_doubt'] as const;
const INVALID = ['invalid', 'empty_key'] as const;

describe('what the failed rows need first', () => {
  it.each([
    ['only not created', [NOT_CREATED, ['rejected', 'http_418']], 'load'],
    ['not created and invalid', [NOT_CREATED, INVALID], 'correct-some'],
    ['invalid', [INVALID], 'correct'],
    ['in doubt in another run', [IN_DOUBT], 'settle'],
    ['under keys in doubt', [KEY_IN_DOUBT, IN_DOUBT], 'settle-load'],
    ['in doubt elsewhere and invalid', [IN_DOUBT, INVALID], 'settle-correct'],
  ] as const)('given rows that are %s', (_, ends, step) => {
    expect(failedStep(summaryOf(ends))).toBe(step);
  });

  it('given more reasons than the summary holds, is to mend', () => {
    const summary = summaryOf([NOT_CREATED, INVALID]);
    expect(failedStep({ ...summary, topErrors: summary.topErrors.slice(0, 1) })).toBe('correct');
  });
});

describe('the next step in words', () => {
  const render = (ends: ReadonlyArray<readonly [Outcome, string]>) =>
    renderSummary({ ...summaryOf(ends), files: ['failed.csv'] }, { directory: '/r' });

  it('given rows that were not created, is to load the file or to rerun, and nothing is to be mended', () => {
    const text = render([NOT_CREATED]);
    expect(text).toContain('/r/failed.csv\n  or:\n    onboard rerun run-1 --only failed');
    expect(text).not.toMatch(/mend/);
  });

  it('given rows that are in doubt where they were sent, is to settle them there, and names no file to load', () => {
    const text = render([IN_DOUBT]);
    expect(text).toContain('settle them there');
    expect(text).not.toMatch(/mend the|onboard run /);
  });
});
