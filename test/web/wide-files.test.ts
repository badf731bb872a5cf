import { expect, test } from 'vitest';
import { type FilesPart, filesRoutes, type Looked } from '../../src/web/files.tsx';
import { type Draft, type DraftColumn, type MappingPart, mappingRoutes } from '../../src/web/mapping.tsx';
import type { Reply, Route } from '../../src/web/visit.ts';

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

const page: FilesPart & MappingPart & { standing(): Promise<never>; ask: null } = {
  standing: () => Promise.reject(new Error('not asked for')),
  ask: null,
  receive: () => Promise.reject(new Error('not asked for')),
  uploads: async () => [],
  upload: async (id) => ({ id, given: 'wide.csv', by: 'ops-1', at: '', bytes: 1 }),
  discard: async () => undefined,
  look: async () => looked,
  operations: {},
  draft: async () => draft,
};

async function htmlOf(routes: readonly Route<typeof page>[], path: string): Promise<string> {
  const route = routes.find((one) => one.method === 'GET' && one.path === path);
  const reply: Reply | undefined = await route?.answer({
    visitor: { name: 'ops-1', role: 'operator' },
    params: { id: 'x' },
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
])('the page of %s shows 300 columns and counts the rest', async (_, routes, path) => {
  const html = await htmlOf(routes, path);
  expect(html).toContain('Column 300<');
  expect(html).not.toContain('Column 301<');
  expect(html).toContain('700 columns more');
});
