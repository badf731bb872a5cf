import { expect, test } from 'vitest';
import { serviceFaults } from './scenarios/service-faults.ts';
import { allOf } from './support/all-of.ts';
import { SEED } from './support/seed.ts';

const ROWS = { 'subclient.create': 600, 'counterparty.draft': 300, 'subclient.update': 300 } as const;

test(`every fault of a service at once, creates, drafts and updates: in doubt is what was lost, all else is done (seed ${SEED})`, async () => {
  const reports = await allOf(
    ['subclient.create', 'counterparty.draft', 'subclient.update'] as const,
    (operation) => serviceFaults({ operation, rows: ROWS[operation], concurrency: 150, seed: SEED }),
  );
  expect(reports).toHaveLength(3);
}, 240_000);
