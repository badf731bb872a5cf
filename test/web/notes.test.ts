import { expect, test } from 'vitest';
import type { Visitor } from '../../src/model/ask.ts';
import { noOutcomes } from '../../src/model/outcome.ts';
import { Causes, type CausesOf } from '../../src/web/causes.tsx';
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
