import { describe, expect, test } from 'vitest';
import type { Standing } from '../../../src/model/account.ts';
import { keptIssueSchema } from '../../../src/model/issue.ts';
import type { Settlement } from '../../../src/model/settlement.ts';
import { correctionOf, fateOf, mailOf, replyLanguages } from '../../../src/runs/report/reply.ts';
import { settled } from './make-report.ts';

const standing = (given: Partial<Standing>): Standing => ({
  run: 'run-1',
  row: 1,
  line: 2,
  key: 'k1',
  outcome: 'invalid',
  code: '',
  isWrittenOff: false,
  isPurged: false,
  ...given,
});

describe('what becomes of an open row', () => {
  test.each([
    ['a cell', { code: 'cell_not_convertible' }, {}, 'correct'],
    ['a duplicate', { code: 'duplicate_key' }, {}, 'correct'],
    ['418', { outcome: 'rejected', code: 'http_418' }, { status: 418 }, 'correct'],
    ['403', { outcome: 'denied', code: 'http_403' }, { status: 403 }, 'refused'],
    ['404', { outcome: 'failed', code: 'http_404' }, { status: 404 }, 'refused'],
    ['no answer', { outcome: 'failed', code: 'timeout' }, { status: 0 }, 'checked'],
    ['in doubt', { outcome: 'in-doubt' }, {}, 'checked'],
    ['not ended', { outcome: 'pending' }, undefined, 'checked'],
    ['cancelled', { outcome: 'cancelled' }, {}, 'checked'],
    ['written off', { isWrittenOff: true, code: 'totals_row' }, {}, 'refused'],
    ['another account', { code: 'account_changed' }, {}, 'checked'],
    ['an account that another has', { code: 'account_shared' }, {}, 'checked'],
    ['a key that another run has', { code: 'key_held' }, {}, 'checked'],
  ] as const)('%s', (_, given, ended, fate) => {
    const one = standing(given);
    const row =
      ended === undefined ? undefined : settled(1, 'invalid', { outcome: one.outcome, ...ended } as never);
    expect(fateOf(one, row)).toBe(fate);
  });
});

/** What a row's own reason says of another one. */
const OTHERS = { row: '4711', run: '20200101-000000-abcd', key: 'their-key', id: 'their-id' };
const ABOUT = 'what row {row} of run {run} has, "{key}", as {id}';

describe('the words for a partner', () => {
  test.each(replyLanguages())('name no other row, run, key or id, whatever the reason: %s', (language) => {
    const telling = { language: language, key: 'Ref', serviceWords: true };
    const codes = keptIssueSchema.shape.code.options;
    const rows: Settlement[] = codes.flatMap((code) => {
      const issue = {
        code,
        column: 'Ref',
        expected: ABOUT,
        values: OTHERS,
        settings: [{ pattern: 'p-secret' }],
      };
      return [
        settled(1, 'invalid', { code, message: ABOUT, values: OTHERS }),
        settled(1, 'invalid', { code, issues: [issue] }),
      ];
    });
    rows.push(settled(1, 'rejected', { code: 'http_418', message: ABOUT, values: OTHERS }));
    for (const settlement of rows) {
      const { words, columns } = correctionOf({ settlement, source: null, body: null }, telling);
      expect(words).not.toMatch(/4711|20200101|their-|p-secret|[{}]/);
      expect(words).not.toBe('');
      for (const column of columns) expect(column).toBe('Ref');
    }
  });

  test.each(replyLanguages())('fill every place: %s', (language) => {
    const counts = { received: 600, accepted: 571, correct: 26, refused: 3, checked: 2 };
    const { subject, lines } = mailOf('Kunden.csv', counts, language);
    expect([subject, ...lines].join('\n')).not.toMatch(/[{}]/);
    for (const number of Object.values(counts)) expect(lines[2]).toContain(String(number));
    expect(subject).toContain('Kunden.csv');
  });
});
