import { expect, test } from 'vitest';
import type { Ask, Visitor } from '../../src/model/ask.ts';
import { noOutcomes } from '../../src/model/outcome.ts';
import { type ActingPart, noteRoutes } from '../../src/web/acting.tsx';
import { Causes, type CausesOf } from '../../src/web/causes.tsx';
import type { Core } from '../../src/web/visit.ts';
import { digestOf, settled } from '../report/make-report.ts';

const OPERATOR: Visitor = { name: 'ops-1', role: 'operator' };
const VIEWER: Visitor = { name: 'guest', role: 'viewer' };
const NASTY = '</textarea><script>alert(1)</script>\u202e\u0007';

function causesWith(text: string): CausesOf {
  const run = {
    id: 'run-1',
    job: 'clients',
    file: 'a.csv',
    rows: 5,
    state: 'finished' as const,
    outcomes: { ...noOutcomes(), rejected: 5 },
  };
  const settlements = Array.from({ length: 5 }, (_, i) => settled(i + 1, 'rejected', { code: 'http_418' }));
  const digest = digestOf(settlements);
  const at = '2026-11-23T09:00:00.000Z';
  return {
    run: { ...run, createdAt: '', startedAt: null, finishedAt: null, took: '', target: 'sandbox', words: '' },
    digest,
    notes: new Map(digest.causes.map(({ id }) => [id, { text, by: text, at }])),
  };
}

test('a note is text to whoever sees it, and only operators are led to change it', () => {
  const seen = [OPERATOR, VIEWER].map((visitor) => String(Causes({ shown: causesWith(NASTY), visitor })));
  for (const html of seen) {
    expect(html).toContain('&lt;script&gt;alert(1)');
    expect(html).not.toMatch(/<script|<textarea/u);
    expect(html).not.toContain('\u0007');
  }
  expect(seen.map((html) => html.includes('Change the note'))).toEqual([true, false]);
});

async function visit(method: 'GET' | 'POST', form = new URLSearchParams(), known: string | null = NASTY) {
  const route = noteRoutes.find((one) => one.path === '/causes/:id/note' && one.method === method);
  if (route === undefined) throw new Error('no route');
  const asks: Ask[] = [];
  const page: Core & ActingPart = {
    standing: async () => ({ target: 'sandbox', service: { words: '', isWell: true }, version: '' }),
    standingOf: async () => null,
    noteOn: async () => known,
    ask: async (ask) => {
      asks.push(ask);
      return { kind: 'done', words: '', run: null };
    },
  };
  const query = new URLSearchParams('run=run-1');
  const reply = await route.answer({
    visitor: OPERATOR,
    params: { id: 'c1' },
    query,
    form,
    bytes: null,
    page,
  });
  return { reply, asks };
}

test('the form holds the note as text, and sends it as it was typed', async () => {
  const { reply } = await visit('GET');
  const html = reply.kind === 'page' ? String(await reply.body) : '';
  expect(html.match(/<\/?(?:textarea|script)/gu)).toEqual(['<textarea', '</textarea']);
  expect((await visit('GET', undefined, null)).reply.kind).toBe('missing');
  const sent = await visit('POST', new URLSearchParams({ run: 'run-1', text: 'ask them' }));
  expect(sent.asks).toEqual([{ kind: 'note', run: 'run-1', cause: 'c1', text: 'ask them' }]);
  expect(sent.reply).toEqual({ kind: 'redirect', to: '/runs/run-1' });
});
