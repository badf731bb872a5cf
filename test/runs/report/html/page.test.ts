import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jobDefinitionSchema } from '../../../../src/config/job-definition.ts';
import type { Note } from '../../../../src/model/note.ts';
import { OUTCOMES } from '../../../../src/model/outcome.ts';
import type { Run } from '../../../../src/model/run.ts';
import type { Happening } from '../../../../src/model/story.ts';
import { createDigestTally, digestSchema } from '../../../../src/runs/report/digest.ts';
import { renderReport } from '../../../../src/runs/report/html/page.tsx';
import { STYLE } from '../../../../src/runs/report/html/style.ts';
import { summarize } from '../../../../src/runs/report/summary.ts';
import {
  asChunk,
  cells,
  filesOf,
  type Held,
  makeRun,
  makeView,
  NOW,
  reportOf,
  settled,
  temporaryDirectory,
} from '../make-report.ts';

const DEFINITION = jobDefinitionSchema.parse({
  operation: 'subclient.create',
  fields: { 'details.name': 'Payee' },
});

type Given = {
  readonly run?: Partial<Omit<Run, 'source'>>;
  readonly columns?: readonly string[];
  readonly story?: readonly Happening[];
  readonly note?: Note | null;
};

async function pagesOf(
  held: Held,
  { run: given = {}, columns = ['Ref', 'Payee'], story = [], note = null }: Given = {},
  definition = DEFINITION,
) {
  const directory = await temporaryDirectory();
  const run = makeRun(held.settlements, { ...given, source: { columns: [...columns] } });
  const fields = new Set(['details.name']);
  const view = makeView(held);
  const notes = async (causes: readonly string[]) =>
    new Map(note === null ? [] : causes.map((cause) => [cause, note]));
  const asked = { story: async () => story, notes };
  await reportOf({ run, view, directory, fields, definition, ...asked });
  const files = await filesOf(directory);
  await rm(directory, { recursive: true });
  return {
    page: files['report.html'] ?? '',
    digest: digestSchema.parse(JSON.parse(files['digest.json'] ?? '')),
  };
}

/** What is read on the page: its text, without tags. */
function readIn(page: string): string {
  const text = page.slice(page.indexOf('<body>')).replaceAll(/<[^>]*>/g, ' ');
  const signs = new Map([
    ['&lt;', '<'],
    ['&gt;', '>'],
    ['&quot;', '"'],
    ['&#39;', "'"],
    ['&amp;', '&'],
  ]);
  return text.replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (sign) => signs.get(sign) ?? '');
}

function tagsIn(page: string): readonly string[] {
  return [...page.matchAll(/<(\/?\w*)/g)].map(([, name = '']) => name);
}

const refusals = (...said: readonly string[]): Held => ({
  settlements: said.map((_, i) => settled(i + 1, 'rejected', { code: 'http_418', status: 418 })),
  sources: said.map((_, i) => cells(i + 1, `k${i + 1}`, 'Acme Ltd')),
  bodies: new Map(said.map((text, i) => [i + 1, JSON.stringify({ message: text })])),
});

function digestTally(run: Run) {
  const advising = { operation: run.operation, extension: 'csv' } as const;
  return createDigestTally({ run, fields: new Set(), advising, definition: DEFINITION });
}

describe('report.html', () => {
  test('has a colour for each outcome, in the light and in the dark', () => {
    for (const outcome of OUTCOMES)
      expect(STYLE.match(new RegExp(`--${outcome}:#`, 'g')), outcome).toHaveLength(2);
  });

  test('has no script, loads nothing, and its policy lets through its own style alone', async () => {
    const { page } = await pagesOf(refusals('no', 'no', 'no'));
    const style = page.match(/<style>([\s\S]*?)<\/style>/)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(page.match(/http-equiv="Content-Security-Policy" content="([^"]*)"/)?.[1]).toBe(
      `default-src &#39;none&#39;; style-src &#39;sha256-${hash}&#39;`,
    );
    expect(page).not.toMatch(/<script|\bon\w+=|style="|(?:src|href)="(?!\w[\w-]*\.(?:json|jsonl|csv)")/);
  });

  test('shows what people noted on a cause as text', async () => {
    const note = { text: '<i>ask the town hall</i>', by: 'ops-1', at: '2026-11-23T09:00:00.000Z' };
    const { page } = await pagesOf(refusals('no', 'no', 'no'), { note });
    expect(readIn(page).replaceAll(/\s+/g, ' ')).toContain(
      'Note: <i>ask the town hall</i> ( ops-1 , 2026-11-23 )',
    );
  });

  test('shows any text of file and service as text, whatever is in it', async () => {
    const harmless = await pagesOf(hostile('x'));
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.constantFrom('<script>', '</style>', '"', "'", '&amp;', '-->', 'é', '\u202e', '\0', '😀'),
          {
            minLength: 1,
            maxLength: 8,
          },
        ),
        async (parts) => {
          const { page } = await pagesOf(hostile(`x${parts.join('')}`), {
            run: { file: `/in/${parts.join('').replaceAll('/', '')}.csv` },
            columns: ['Ref', parts.join('')],
          });
          expect(tagsIn(page)).toEqual(tagsIn(harmless.page));
          expect(page).not.toMatch(/[\0\u202e]/);
          if (!/[\0\u202e]/.test(parts.join(''))) expect(readIn(page)).toContain(`x${parts.join('')}`);
        },
      ),
      { numRuns: 40 },
    );
  });

  function hostile(text: string): Held {
    return {
      settlements: [settled(1, 'invalid', { key: text, message: `expected ${text}`, code: 'empty_row' })],
      sources: [cells(1, text, text)],
    };
  }

  test('tells a word of the service only where three rows have it; the fields that it names, always', async () => {
    const said = ['Jane Doe is on a list', 'blocked', 'blocked', 'blocked'];
    const { page, digest } = await pagesOf(refusals(...said));
    expect(page + JSON.stringify(digest)).not.toContain('Jane');
    expect(page).toContain('blocked');
    const named = await pagesOf({
      ...refusals('', ''),
      bodies: new Map([[1, JSON.stringify({ field: 'details.name', why: 'Jane' })]]),
    });
    expect(named.page).not.toContain('Jane');
    expect(readIn(named.page)).toMatch(/details\.name\s+\(column\s+Payee/);
  });

  test('shows keys and no cell of the file', async () => {
    const { page } = await pagesOf(refusals('no', 'no', 'no'));
    expect(page).not.toContain('Acme');
    expect(page).toContain('>k1<');
  });

  test('shows what happened, with who asked and why', async () => {
    const at = Date.parse('2026-03-01T10:00:10.000Z');
    const story = [{ at, what: 'paused', why: 'lunch of Acme', by: 'ops-1' }] as const;
    const run = { startedAt: '2026-03-01T10:00:00.000Z' };
    const held = { settlements: [settled(1, 'created')] };
    const { page } = await pagesOf(held, { run, story });
    expect(readIn(page)).toContain('paused by ops-1: lunch of Acme');
    expect(readIn(page)).toContain('1 created');
  });

  test('gives the verdict first, and the only alarm where the sum does not hold', async () => {
    const rows = [settled(1, 'created'), settled(2, 'in-doubt'), settled(3, 'rejected')];
    const { page } = await pagesOf({ settlements: rows });
    expect(readIn(page)).toMatch(/1 of 3 rows is at the service.*1 row may exist.*1 row did not succeed/s);
    expect(page).not.toContain('role="alert"');
    const done = await pagesOf({ settlements: rows.slice(0, 1) });
    expect(readIn(done.page)).toContain('Nothing is left to do.');
    const lost = await pagesOf({ settlements: rows }, { run: { rows: 4 } });
    expect(lost.page).toContain('role="alert"');
  });

  test('has commands that wrap and are selected whole, and the job definition by which rows were sent', async () => {
    const { page } = await pagesOf({ settlements: [settled(1, 'failed', { code: 'not_created' })] });
    expect(page).toContain('<pre class="command">onboard run subclients-create');
    expect(page).toMatch(/\.command\{white-space:pre-wrap;[^}]*user-select:all\}/);
    expect(readIn(page)).toMatch(
      /The job definition, with its defaults.*operation: subclient\.create.*details\.name: Payee/s,
    );
  });

  test('calls the program in its advice as in its commands', async () => {
    const held = settled(1, 'failed', { code: 'not_created' });
    const tally = digestTally(makeRun([held]));
    tally.add(asChunk([held]));
    tally.addUnsuccessful({ settlement: held, source: null, body: null });
    const page = renderReport({
      ...{ summary: summarize(makeRun([held]), NOW()), digest: tally.digest(), story: [], notes: new Map() },
      ...{ definition: null, knownCauses: null, directory: '/reports', command: 'npx onboard', version: '1' },
    });
    expect(page).toContain('Send it with <code>npx onboard rerun</code>');
  });

  test('draws no picture of a few seconds, and one of more at its own size, under a caption that says the same', () => {
    const reportAfter = (seconds: number) => {
      const run = makeRun([], { rows: seconds, state: 'running', finishedAt: null });
      const tally = digestTally(run);
      for (let row = 1; row <= seconds; row += 1)
        tally.add(
          asChunk([settled(row, 'created', { ms: 300 })], {
            closedAt: Date.parse(run.startedAt ?? '') + 1_000 * (row - 1),
          }),
        );
      return renderReport({
        ...{ summary: summarize(run, NOW()), digest: tally.digest(), story: [], notes: new Map() },
        ...{ definition: null, knownCauses: null, directory: '/reports', command: 'onboard', version: '1' },
      });
    };
    const short = reportAfter(4);
    expect(short).not.toContain('Picture: rows per second');
    expect(readIn(short)).toContain('How long the service took: half within 300 ms');
    const long = reportAfter(6);
    const captions = [...long.matchAll(/<figcaption>(.*?)<\/figcaption>/g)].map(([, text]) => text);
    const titles = [...long.matchAll(/class="chart" role="img" aria-label="([^"]*)"/g)].map(
      ([, title]) => title,
    );
    expect(captions).toEqual([
      'Rows per second by outcome, by the time since the start',
      'How long the service took, by the time since the start: half within 300 ms, nine in ten within 300 ms, 99 in 100 within 300 ms, at most 300 ms',
    ]);
    expect(titles.slice(1)).toEqual([
      'Rows per second by outcome, by the time since the start',
      'How long the service took for half, nine in ten and 99 in 100 rows, by the time since the start',
    ]);
    // Letters in pictures are as large as those around them.
    const sizes = [
      ...long.matchAll(/<svg viewBox="0 0 (\d+) (\d+)" width="(\d+)" height="(\d+)" class="chart"/g),
    ];
    expect(sizes).toHaveLength(3);
    for (const [, width, height, ...own] of sizes) expect(own).toEqual([width, height]);
    expect(long).toContain('svg:not(.chart){width:100%');
  });

  test('is under 1 MB, whatever the run', () => {
    const sign = '&<>"\'😀';
    const columns = Array.from({ length: 400 }, (_, i) => `${i}${sign.repeat(60)}`);
    const rows = 12_000;
    const one = (row: number) =>
      settled(row, row % 2 === 0 ? 'invalid' : 'failed', {
        key: `${row}${sign.repeat(40)}`,
        code: `http_${row % 40}`,
        message: `${String.fromCharCode(97 + (row % 26)).repeat(row % 97)} ${sign.repeat(80)}`,
      });
    const run = makeRun([], { rows, source: { columns } });
    const digest = digestTally(run);
    for (let row = 1; row <= rows; row += 1) {
      const chunk = Math.ceil(row / run.chunkRows);
      digest.add(asChunk([one(row)], { chunk, closedAt: Date.parse(run.startedAt ?? '') + 1_000 * row }));
      const source = cells(row, ...columns.map(() => sign.repeat(40)));
      if (row < 4_000) digest.addUnsuccessful({ settlement: one(row), source, body: null });
    }
    const summary = {
      ...summarize(run, NOW()),
      startedAt: new Date(0).toISOString(),
      file: `/${sign.repeat(400)}`,
    };
    const topWarnings = columns
      .slice(0, 100)
      .map((column) => ({ code: sign.repeat(30), column, count: 1, exampleRow: 1 }));
    const page = renderReport({
      summary: { ...summary, topWarnings, files: ['results.csv'] },
      digest: digest.digest(),
      story: Array.from({ length: 500 }, (_, at) => ({
        at,
        what: 'paused',
        why: sign.repeat(500),
        by: sign,
      })),
      notes: new Map(
        digest
          .digest()
          .causes.map(({ id }) => [id, { text: sign.repeat(500), by: sign.repeat(100), at: '' }]),
      ),
      ...{ definition: DEFINITION, directory: '/reports', command: 'onboard', version: '1' },
      knownCauses: null,
    });
    expect(digest.digest().causes).toHaveLength(200);
    expect(Buffer.byteLength(page)).toBeGreaterThan(300_000);
    expect(Buffer.byteLength(page)).toBeLessThan(1_000_000);
  });
});
