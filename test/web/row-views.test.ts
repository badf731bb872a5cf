import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Visitor } from '../../src/model/ask.ts';
import { noOutcomes } from '../../src/model/outcome.ts';
import { type DoubtsPage, doubtsRoutes } from '../../src/web/doubts.tsx';
import { type RowPage, rowRoutes } from '../../src/web/row.tsx';
import { type RowsAsked, type RowsFound, rowsRoutes } from '../../src/web/rows.tsx';
import type { Reply, Route } from '../../src/web/visit.ts';
import { doubtOf } from '../support/doubts.ts';

const OPERATOR: Visitor = { name: 'ops-1', role: 'operator' };

/** Pages whose every text of others is this. */
function pagesWith(text: string) {
  const run = {
    id: text,
    job: text,
    file: text,
    rows: 9,
    state: 'finished' as const,
    outcomes: { ...noOutcomes(), 'in-doubt': 2 },
  };
  const rows: RowsFound = {
    run,
    causes: [{ id: text, words: text, count: 2 }],
    rows: [{ row: 3, line: 4, key: text, outcome: 'rejected', id: text, code: 'http_418', words: text }],
    next: 3,
    stoppedAt: null,
    keys: [{ space: 'subclient', is: 'known', run: text, row: 3, id: text }],
    isDirect: false,
  };
  const row: RowPage = {
    run,
    row: 3,
    settlement: doubtOf(3, { key: text, message: text }),
    advice: '',
    file: { kind: 'cells', cells: [{ column: text, value: text }] },
    sent: { kind: 'request', method: 'POST', path: text, fields: [{ field: text, value: text }], notes: [] },
    said: { text, restBytes: 7 },
    chunk: 1,
    group: [3, 4],
    resolution: text,
    previous: null,
    next: 4,
    elsewhere: rows.keys,
    parent: text,
    rerun: text,
  };
  const doubts: DoubtsPage = {
    run,
    left: 2,
    settled: 1,
    list: [{ row: 3, key: text }],
    chosen: { ...row, sighting: { kind: 'found-twice', ids: [text], at: '2026-11-21T10:00:00Z' } },
    following: 4,
  };
  const decisions = {
    run,
    decisions: [{ row: 3, as: 'created' as const, id: text, key: text }],
    more: 1,
    mates: 1,
    open: 1,
    settled: 1,
  };
  const asked: RowsAsked[] = [];
  const page = {
    standing: async () => ({ target: 'sandbox', service: { words: '', isWell: true }, version: '' }),
    ask: null,
    rows: async (given: RowsAsked) => {
      asked.push(given);
      return rows;
    },
    rowsFile: async () => null,
    row: async () => row,
    doubts: async () => doubts,
    readDecisions: async () => 'a',
    decisions: () => decisions,
  };
  return { page, asked };
}

type AnyPart = ReturnType<typeof pagesWith>['page'];
const ROUTES: readonly Route<AnyPart>[] = [...rowsRoutes, ...rowRoutes, ...doubtsRoutes];

async function visit(path: string, page: AnyPart, query = '', params: Record<string, string> = {}) {
  const route = ROUTES.find((one) => one.path === path && one.method === 'GET');
  if (route === undefined) throw new Error(`no route ${path}`);
  return route.answer({
    visitor: OPERATOR,
    params: { id: 'run-1', ...params },
    query: new URLSearchParams(query),
    form: new URLSearchParams(),
    bytes: null,
    page,
  });
}

async function htmlOf(reply: Reply): Promise<string> {
  return reply.kind === 'page' ? String(await reply.body) : '';
}

const PAGES = [
  ['/runs/:id/rows', {}],
  ['/runs/:id/rows/:row', { row: '3' }],
  ['/runs/:id/doubts', {}],
  ['/runs/:id/doubts/:read', { read: 'a' }],
] as const;

const tagsIn = (html: string) => [...html.matchAll(/<\/?[^\s>]+/g)].map(([tag]) => tag);

describe('pages about rows', () => {
  test.each(PAGES)('%s shows any text of others as text', async (path, params) => {
    const of = async (text: string) => htmlOf(await visit(path, pagesWith(text).page, 'q=x', params));
    const plain = tagsIn(await of('plain')).filter((tag) => !/named|strong/.test(tag));
    expect(plain.length).toBeGreaterThan(20);
    const hostile = fc.oneof(
      fc.constantFrom(
        '<script>x</script>',
        '"><img src=x onerror=y>',
        "' onmouseover='x",
        '&lt;b&gt;',
        '\u202Eabc',
      ),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
    );
    await fc.assert(
      fc.asyncProperty(hostile, async (text) => {
        const html = await of(text);
        expect(tagsIn(html).filter((tag) => !/named|strong/.test(tag))).toEqual(plain);
        expect(html.replaceAll(/="[^"]*"/g, '')).not.toMatch(/<[^>]*\s(?:on\w+|style)\b/);
      }),
      { numRuns: 60 },
    );
  });

  test('the address of a list says all that it shows, and the ways on keep it', async () => {
    const { page, asked } = pagesWith('r1');
    const html = await htmlOf(
      await visit('/runs/:id/rows', page, 'outcome=failed&cause=c1&q=a%26b&after=50'),
    );
    expect(asked).toEqual([
      { run: 'run-1', outcome: 'failed', cause: 'c1', text: 'a&b', after: 50, isLiteral: false },
    ]);
    expect(html).toContain('href="/runs/run-1/rows?outcome=failed&amp;cause=c1&amp;q=a%26b&amp;after=3"');
    expect(html).toContain('href="/runs/run-1/rows.csv?outcome=failed&amp;cause=c1&amp;q=a%26b"');
    await visit('/runs/:id/rows', page, 'outcome=nonsense&after=-1');
    expect(asked.at(-1)).toMatchObject({ outcome: null, after: 0 });
  });

  test('cells and bodies are for operators, lists for viewers too', () => {
    const viewers = ROUTES.filter(({ role }) => role === 'viewer').map(({ path }) => path);
    expect(viewers).toEqual(['/runs/:id/rows', '/runs/:id/rows.csv']);
  });

  test('where nothing can be done, the forms of rows in doubt say so and are off', async () => {
    const { page } = pagesWith('r1');
    const alone = await htmlOf(await visit('/runs/:id/doubts', page));
    expect(alone).toContain('This page stands alone');
    expect(alone.match(/<fieldset disabled/g)).toHaveLength(1);
    const acting = await htmlOf(
      await visit('/runs/:id/doubts', {
        ...page,
        ask: async () => ({ kind: 'refused', problems: [] }),
      } as never),
    );
    expect(acting).not.toContain(' disabled');
    expect(acting).toContain('name="row" value="3"');
    expect(acting).toContain('value="created:r1"');
  });
});
