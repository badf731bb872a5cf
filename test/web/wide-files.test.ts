import { expect, test } from 'vitest';
import { noOutcomes } from '../../src/model/outcome.ts';
import { type FilesPart, filesRoutes, type Looked } from '../../src/web/files.tsx';
import { type Draft, type DraftColumn, type MappingPart, mappingRoutes } from '../../src/web/mapping.tsx';
import { type RowPage, type RowPart, rowRoutes } from '../../src/web/row.tsx';
import type { Reply, Route } from '../../src/web/visit.ts';
import { doubtOf } from '../support/doubts.ts';

const COLUMNS = 1_000;
const names = Array.from({ length: COLUMNS }, (_, i) => `Column ${i + 1}`);

const looked: Looked = {
  kind: 'read',
  understood: 'CSV',
  reading: {},
  notes: [],
  columns: names,
  rows: [{ line: 2, cells: names }],
  jobs: [],
};

const column = (name: string): DraftColumn => ({
  column: name,
  field: '',
  reading: '',
  readings: [{ value: '', words: 'as it is' }],
  filled: 1,
  samples: [],
  isKey: false,
  notes: [],
  sent: [],
  refused: [],
});

const draft: Draft = {
  operation: 'subclient.create',
  job: 'partner',
  rows: 1,
  understood: 'CSV',
  columns: names.slice(0, 300).map(column),
  more: COLUMNS - 300,
  fields: [],
  request: null,
  yaml: '',
  problems: [],
};

const row: RowPage = {
  run: { id: 'r', job: 'j', file: 'f', rows: 1, state: 'finished', outcomes: noOutcomes() },
  row: 1,
  settlement: doubtOf(1, {}),
  advice: '',
  file: { kind: 'cells', cells: names.map((name) => ({ column: name, value: name })) },
  sent: { kind: 'nothing', why: '' },
  said: null,
  chunk: 1,
  group: [],
  resolution: '',
  previous: null,
  next: null,
  elsewhere: [],
  parent: null,
  rerun: null,
};

const page: FilesPart & MappingPart & RowPart & { standing(): Promise<never>; ask: null } = {
  standing: () => Promise.reject(new Error('not asked for')),
  ask: null,
  receive: () => Promise.reject(new Error('not asked for')),
  uploads: async () => [],
  upload: async (id) => ({ id, given: 'wide.csv', by: 'ops-1', at: '', bytes: 1 }),
  discard: async () => undefined,
  look: async () => looked,
  operations: {},
  draft: async () => draft,
  row: async () => row,
};

async function htmlOf(routes: readonly Route<typeof page>[], path: string): Promise<string> {
  const route = routes.find((one) => one.method === 'GET' && one.path === path);
  const reply: Reply | undefined = await route?.answer({
    visitor: { name: 'ops-1', role: 'operator' },
    params: { id: 'x', row: '1' },
    query: new URLSearchParams(),
    form: new URLSearchParams(),
    bytes: null,
    page,
  });
  return reply?.kind === 'page' ? String(await reply.body) : '';
}

test.each<[string, readonly Route<typeof page>[], string]>([
  ['an upload', filesRoutes, '/uploads/:id'],
  ['a mapping', mappingRoutes, '/uploads/:id/map'],
  ['a row', rowRoutes, '/runs/:id/rows/:row'],
])('the page of %s shows 300 columns and counts the rest', async (_, routes, path) => {
  const html = await htmlOf(routes, path);
  expect(html).toContain('Column 300<');
  expect(html).not.toContain('Column 301<');
  expect(html).toContain('700 columns more');
});
