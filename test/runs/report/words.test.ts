import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OUTCOMES, type Outcome } from '../../../src/model/outcome.ts';
import { isoDate } from '../../../src/readers/mapping/dates.ts';
import { failedStep } from '../../../src/runs/report/next.ts';
import { type Summary, summarize } from '../../../src/runs/report/summary.ts';
import { renderSummary } from '../../../src/runs/report/words.ts';
import { makeRun, NOW, summaryOf as ofRows, settled } from './make-report.ts';

const DIRECTORY = '/home/ops/.onboard/reports/run-1';

/** Of a finished run whose rows ended like these, with a code of their own where none is given. */
function summaryOf(
  ends: ReadonlyArray<Outcome | readonly [Outcome, string]>,
  given: Parameters<typeof makeRun>[1] = {},
): Summary {
  const settlements = ends.map((end, i) => {
    const [outcome, code] = typeof end === 'string' ? [end, `${end}_code`] : end;
    return settled(i + 1, outcome, { code });
  });
  return ofRows(settlements, given);
}

function textOf(summary: Summary, options: { readonly job?: string; readonly typed?: string } = {}): string {
  return renderSummary(summary, { directory: DIRECTORY, ...options }).join('\n');
}

describe('renderSummary', () => {
  it('given a run with all kinds of rows, says everything a person needs', () => {
    const created = Array<Outcome>(11).fill('created');
    const outcomes: Outcome[] = [...created, 'rejected', 'rejected', 'failed', 'in-doubt'];
    const files = ['results.csv', 'rejected.csv', 'failed.csv', 'in-doubt.csv'];
    const summary = { ...summaryOf(outcomes), files };
    expect(textOf(summary)).toMatchInlineSnapshot(`
      "Run run-1: finished
        job     subclients-create
        file    samples/partner.csv
        target  sandbox
        rate    3.8 rows/s

        created    11
        rejected    2
        failed      1
        in-doubt    1
        rows 15 = 11 created + 2 rejected + 1 failed + 1 in-doubt

        2 × rejected rejected_code, for example row 12
          Correct the row in rejected.csv, then load that file again as it is.
        1 × failed failed_code, for example row 14
          Load failed.csv again as it is when the service works again; if it goes on
          failing, ask the people who run the service.
        1 × in-doubt in-doubt_code, for example row 15
          Look in the service whether the record is there, then say so with \`onboard
          resolve\`, row by row or by the resolutions in in-doubt.csv; it is not sent
          again by itself, since that could create it twice.

      Report: /home/ops/.onboard/reports/run-1

      Next:
        rejected.csv: correct what the service refused, then load it:
          onboard run subclients-create --sandbox /home/ops/.onboard/reports/run-1/rejected.csv
        failed.csv: correct the rows, then load it:
          onboard run subclients-create --sandbox /home/ops/.onboard/reports/run-1/failed.csv
        in-doubt.csv: look each row up at the service, and write created:<id> or
        not-created as its resolution, so that none is created twice; then:
          onboard resolve run-1 --file /home/ops/.onboard/reports/run-1/in-doubt.csv"
    `);
  });

  it('given a run that was interrupted, counts the pending rows and gives the command that goes on', () => {
    const paused = { rows: 5, state: 'paused', reason: 'interrupted', finishedAt: null } as const;
    const given = { ...paused, file: "it's here.csv" };
    const text = textOf(summaryOf(['created'], given));
    expect(text).toContain('rows 5 = 1 created + 4 pending');
    expect(text).toContain(`onboard run subclients-create --sandbox 'it'\\''s here.csv'`);
  });

  it('given a paused rerun, names its parent and the one command that goes on, since no file has its rows', () => {
    const given = { state: 'paused', reason: 'requested', parent: 'run-0', rows: 5 } as const;
    const text = textOf(summaryOf(['created'], given));
    expect(text).toContain('  parent  run-0');
    expect(text).toContain('    onboard resume run-1');
    expect(text).not.toContain('onboard run ');
  });

  it('given a file that is not plain UTF-8, says how it was read and what was decided', () => {
    const source = {
      encoding: 'windows-1252',
      compression: 'gzip',
      notes: [
        'No byte of the file tells windows-1252, iso-8859-1 and iso-8859-15 apart: all three read the same.',
        'Short.',
      ],
    } as const;
    const given = { source: { ...source, notes: [...source.notes] } };
    const text = textOf(summaryOf(['created'], given));
    expect(text).toContain(
      [
        '  file    samples/partner.csv',
        '  read as CSV, gzip, windows-1252, delimiter ","',
        '  note    No byte of the file tells windows-1252, iso-8859-1 and iso-8859-15',
        '          apart: all three read the same.',
        '  note    Short.',
        '  target  sandbox',
      ].join('\n'),
    );
  });

  it('given causes, tells what the service says below their code, with their first rows', () => {
    const said = ['not known', 'not known', 'too long', 'not known', 'too long', 'too long', 'not known'];
    const rejected = said.map((_, i) => settled(i + 1, 'rejected', { code: 'http_418' }));
    const bodies = new Map(said.map((text, i) => [i + 1, JSON.stringify({ message: text })]));
    const held = settled(8, 'invalid', {
      code: 'key_held',
      message: 'row {row} has it',
      values: { row: '3' },
    });
    const text = textOf(ofRows([...rejected, held], { bodies }));
    expect(text).toContain(
      [
        '  7 × rejected http_418, for example row 1',
        '    4 × not known (rows 1, 2, 4, …)',
        '    3 × too long (rows 3, 5, 6)',
        '    Correct what the service names',
      ].join('\n'),
    );
    expect(text).not.toContain('has it');
  });

  it('given rows with something wrong in a column, tells what below it, and what is wrong in others with it', () => {
    const since = { code: 'cell_not_convertible', column: 'Since', expected: 'a date' } as const;
    const name = { code: 'missing_required', column: 'Name', expected: 'a value' } as const;
    const rows = [[since], [since], [since, name]].map((issues, i) =>
      settled(i + 1, 'invalid', { code: since.code, issues }),
    );
    expect(textOf(ofRows(rows))).toContain(
      [
        '  3 × invalid cell_not_convertible in "Since", for example row 1',
        '    2 × expected a date (rows 1, 2)',
        '    1 × expected a date; column "Name": expected a value (row 3)',
      ].join('\n'),
    );
  });

  it('given rows that could not be read, tells why below them', () => {
    const unreadable = (problem: string) => {
      const issue = { code: 'unreadable_row', column: null, expected: `a readable row: ${problem}` } as const;
      return { code: issue.code, issues: [issue] };
    };
    const problems = ['broken JSON', 'no text', 'broken JSON'];
    const rows = problems.map((problem, i) => settled(i + 1, 'invalid', unreadable(problem)));
    expect(textOf(ofRows(rows))).toContain(
      [
        '  3 × invalid unreadable_row, for example row 1',
        '    2 × expected a readable row: broken JSON (rows 1, 3)',
        '    1 × expected a readable row: no text (row 2)',
      ].join('\n'),
    );
  });

  it('given cells that a setting reads, tells it, and the command that takes them up with it', () => {
    const cells = ['25.02.2020', '28.02.2020', '26.02.2020', '27.02.2020'];
    const settlements = cells.map((cell, i) => {
      const settings = isoDate.remedy?.(cell) ?? [];
      const issue = {
        code: 'cell_not_convertible',
        column: 'Since',
        expected: isoDate.expected,
        settings,
      } as const;
      return settled(i + 1, 'invalid', { code: issue.code, issues: [issue] });
    });
    const summary = ofRows(settlements);
    const text = textOf(summary, { job: '--job-file own.yaml' });
    expect(text).toContain('\n    4 × expected a date such as 2024-03-31');
    expect(text.replaceAll(/\s+/g, ' ')).toContain(
      'it is one with pattern: "dd.MM.yyyy" in the job definition (rows 1, 2, 3, …)',
    );
    // What else the setting changes is looked at first.
    expect(text).toContain('\n    onboard try subclients-create --job-file own.yaml --run run-1');
    expect(text).toContain('\n    onboard rerun run-1 --only invalid --job-file own.yaml');
    expect(textOf(summary)).toContain('--only invalid --job subclients-create');
    // Of forty rows four may be single mistakes.
    expect(textOf({ ...summary, rows: 40 })).not.toContain('rerun');
  });

  it('given known keys whose lists differ, says that nothing was sent, and offers no check for it', () => {
    const differs = { code: 'changed_not_sent', count: 3, exampleRow: 7 };
    const text = textOf({ ...summaryOf(['created']), topWarnings: [differs] });
    expect(text).toContain(
      [
        '  3 × warning changed_not_sent, for example row 7',
        '    These keys are known already, and nothing was sent: change the record at the',
        '    service where the file is right, or correct the file.',
      ].join('\n'),
    );
    expect(text).not.toContain('checks:');
    const both = textOf({
      ...summaryOf(['created']),
      topWarnings: [differs, { ...differs, code: 'mojibake' }],
    });
    expect(both).toContain('checks: { damage: error }\n  3 × warning changed_not_sent');
  });

  it('given files that were changed since, names them and those beside them, and loads the latter', () => {
    const files = ['results.csv', 'failed-2.csv'];
    const summary = { ...summaryOf(['failed']), files, kept: ['failed.csv', 'rejected.csv'] };
    const text = textOf(summary);
    expect(text.replaceAll(/\n {2}/g, ' ')).toContain('its rows as they stand now are in failed-2.csv.');
    expect(text.replaceAll(/\n {2}/g, ' ')).toContain('no row belongs there any more.');
    expect(text).toContain('/run-1/failed-2.csv');
  });

  it('given warnings, says how many, where, and how to keep such rows back', () => {
    const topWarnings = [
      { code: 'iban_invalid', column: 'IBAN', count: 12, exampleRow: 7 },
      { code: 'mojibake', column: 'Town', count: 2, exampleRow: 8 },
      { code: 'mojibake', count: 1, exampleRow: 9 },
    ];
    const text = textOf({ ...summaryOf(['created']), topWarnings });
    expect(text).toContain(
      [
        '  12 × warning iban_invalid in "IBAN", for example row 7',
        '  2 × warning mojibake in "Town", for example row 8',
        '  1 × warning mojibake, for example row 9',
        '    Sent as they stand; results.csv names the columns. The job definition can',
        '    keep such rows back:',
        '      checks: { accounts: error, damage: error }',
      ].join('\n'),
    );
  });

  it('given rows that are one record together, says how many records they are; else nothing of records', () => {
    const summary = summaryOf(['drafted', 'drafted', 'invalid']);
    const text = textOf({ ...summary, records: 1 });
    expect(text).toContain('  drafted: 2 rows in 1 record\n');
    for (const records of [2, null]) expect(textOf({ ...summary, records })).not.toContain('record\n');
  });

  it('given its page, names it as a path that a terminal opens', () => {
    const files = ['results.csv', 'digest.json', 'report.html'];
    expect(textOf({ ...summaryOf(['created']), files })).toContain(`\nReport: ${DIRECTORY}/report.html`);
  });

  it.each([
    [
      'stopped',
      'canary',
      /whether MSB_BASE_URL is the right address.* look at .* To go on where it stopped:/,
    ],
    ['paused', 'service-hold', /Wait until then.* To go on once that time has come:/],
  ] as const)('given a run %s by %s, says what comes before going on', (state, reason, expected) => {
    const text = textOf(summaryOf(['rejected'], { state, reason, rows: 5 }));
    expect(text.split('Next:')[1]?.replaceAll(/\s+/g, ' ')).toMatch(expected);
  });

  it('given the command that was typed, says that one and no other way to run the file', () => {
    const summary = summaryOf(['created'], { state: 'stopped', reason: 'canary', rows: 5 });
    const typed = 'onboard run --job-file j.yaml a.csv b.csv';
    const text = textOf(summary, { typed });
    expect(text.split('Next:\n')[1]?.split('\n').slice(-4)).toEqual([
      '  To go on where it stopped:',
      `    ${typed}`,
      '  or:',
      '    onboard resume run-1',
    ]);
    const resumed = textOf(summary, { typed: 'onboard resume run-1' });
    expect(resumed.split('onboard resume run-1')).toHaveLength(2);
  });

  it('given a person who asked for the state, says who, when and why, on one line each', () => {
    const at = '2026-11-21T10:00:00.000Z';
    const textFor = (why: string) => {
      const request = { by: 'Ann\u202e', at, why };
      return textOf(summaryOf(['created'], { state: 'paused', reason: 'requested', rows: 5, request }));
    };
    expect(textFor('a new\nfile')).toContain(
      '\n  by      Ann\\u202e, 2026-11-21 10:00:00 UTC: a new\\nfile\n',
    );
    expect(textFor('')).toContain('\n  by      Ann\\u202e, 2026-11-21 10:00:00 UTC\n');
  });

  it.each(['canary', 'error-limit'] as const)('given a stop by %s, names only files that exist', (reason) => {
    const summary = summaryOf(['rejected'], { state: 'stopped', reason, rows: 5 });
    const textFor = (files: readonly string[]) =>
      textOf({ ...summary, topErrors: [], files: [...files] }).replaceAll('\n  ', ' ');
    expect(textFor(['results.csv', 'rejected.ndjson'])).toContain(
      'look at rejected.ndjson and the job definition.',
    );
    expect(textFor(['results.csv'])).toContain('look at results.csv and the job definition.');
  });

  it('given any counts, keeps to 80 columns and to the sum of them', () => {
    const counts = fc.array(fc.nat({ max: 1_000_000 }), {
      minLength: OUTCOMES.length,
      maxLength: OUTCOMES.length,
    });
    fc.assert(
      fc.property(counts, (numbers) => {
        const run = makeRun([]);
        OUTCOMES.forEach((outcome, i) => {
          run.outcomes[outcome] = numbers[i] ?? 0;
        });
        const rows = numbers.reduce((sum, n) => sum + n, 0);
        const text = textOf(summarize({ ...run, rows }, NOW()));
        expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
        const sum = /rows (\d+) = ([\s\S]*?)\n\n/.exec(text);
        const parts = (sum?.[2] ?? '').split('+').map((part) => Number.parseInt(part, 10));
        expect(parts.reduce((total, n) => total + n, 0)).toBe(Number(sum?.[1]));
      }),
    );
  });
});

const NOT_CREATED = ['failed', 'not_created'] as const;
const IN_DOUBT = ['invalid', 'row_in_doubt'] as const;
const KEY_IN_DOUBT = ['invalid', 'key_in_doubt'] as const;
const INVALID = ['invalid', 'empty_key'] as const;

it.each([
  ['only not created', [NOT_CREATED, ['rejected', 'http_418']], 'load'],
  ['not created and invalid', [NOT_CREATED, INVALID], 'correct-some'],
  ['invalid', [INVALID], 'correct'],
  ['in doubt in another run', [IN_DOUBT], 'settle'],
  ['under keys in doubt', [KEY_IN_DOUBT, IN_DOUBT], 'settle-first'],
  ['in doubt elsewhere and invalid', [IN_DOUBT, INVALID], 'settle-first'],
] as const)('what the failed rows need first, given rows that are %s', (_, ends, step) => {
  expect(failedStep(summaryOf(ends))).toBe(step);
});

describe('the next step in words', () => {
  const render = (ends: ReadonlyArray<readonly [Outcome, string]>) =>
    renderSummary({ ...summaryOf(ends), files: ['failed.csv'] }, { directory: '/r' }).join('\n');

  it('given rows that were not created, is to load the file or to rerun, and nothing is to be corrected', () => {
    const text = render([NOT_CREATED]);
    expect(text).toContain('/r/failed.csv\n  or:\n    onboard rerun run-1 --only failed');
    expect(text).not.toMatch(/correct/);
  });

  it('given rows that are in doubt where they were sent, is to settle them there, and names no file to load', () => {
    const text = render([IN_DOUBT]);
    expect(text).toContain('settle them there');
    expect(text).not.toMatch(/correct the|onboard run /);
  });
});
