import type { Outcome } from '../../src/model/outcome.ts';

/** What `onboard run` makes of a sample in a fresh home, after the files in `before`; `null`: refused. */
export type ExpectedSample = {
  readonly file: string;
  readonly job: string;
  readonly before: readonly string[];
  readonly exitCode: number;
  readonly outcomes: Readonly<Partial<Record<Outcome, number>>> | null;
};

/** Written by scripts/make-samples.mjs together with samples/. */
export const EXPECTED_SAMPLES: readonly ExpectedSample[] = [
  {
    file: 'subclients-create.csv',
    job: 'subclients-create',
    before: [],
    exitCode: 1,
    outcomes: { created: 107, invalid: 13 },
  },
  {
    file: 'subclients-create-excel.csv',
    job: 'subclients-create',
    before: [],
    exitCode: 1,
    outcomes: { created: 54, invalid: 3 },
  },
  {
    file: 'subclients-create.json',
    job: 'subclients-create',
    before: [],
    exitCode: 1,
    outcomes: { created: 52, invalid: 8 },
  },
  {
    file: 'subclients-create.ndjson',
    job: 'subclients-create',
    before: [],
    exitCode: 1,
    outcomes: { created: 37, invalid: 3 },
  },
  {
    file: 'subclients-create-second-delivery.csv',
    job: 'subclients-create',
    before: ['subclients-create.csv'],
    exitCode: 0,
    outcomes: { skipped: 51, created: 21 },
  },
  {
    file: 'subclients-update.csv',
    job: 'subclients-update',
    before: [],
    exitCode: 1,
    outcomes: { updated: 93, failed: 3, invalid: 4 },
  },
  {
    file: 'subclients-update.json',
    job: 'subclients-update',
    before: [],
    exitCode: 1,
    outcomes: { updated: 37, failed: 1, invalid: 2 },
  },
  {
    file: 'subclients-upsert.csv',
    job: 'subclients-upsert',
    before: ['subclients-create.csv'],
    exitCode: 1,
    outcomes: { updated: 23, created: 55, invalid: 2 },
  },
  {
    file: 'subclients-upsert.json',
    job: 'subclients-upsert',
    before: [],
    exitCode: 1,
    outcomes: { created: 39, invalid: 1 },
  },
  {
    file: 'partner-x-subclients.csv',
    job: 'example-partner-x',
    before: [],
    exitCode: 1,
    outcomes: { created: 84, invalid: 6 },
  },
  {
    file: 'partner-de-subclients.csv',
    job: 'example-partner-de',
    before: [],
    exitCode: 1,
    outcomes: { created: 21, invalid: 3 },
  },
  {
    file: 'counterparty-drafts.csv',
    job: 'counterparty-drafts',
    before: [],
    exitCode: 1,
    outcomes: { drafted: 135, invalid: 10, rejected: 5 },
  },
  {
    file: 'counterparty-drafts.tsv',
    job: 'counterparty-drafts',
    before: [],
    exitCode: 1,
    outcomes: { drafted: 46, invalid: 3, rejected: 1 },
  },
  {
    file: 'counterparty-drafts.json',
    job: 'counterparty-drafts',
    before: [],
    exitCode: 1,
    outcomes: { drafted: 55, invalid: 3, rejected: 2 },
  },
  {
    file: 'counterparty-drafts.ndjson',
    job: 'counterparty-drafts',
    before: [],
    exitCode: 0,
    outcomes: { drafted: 40 },
  },
  {
    file: 'counterparty-accounts.csv',
    job: 'counterparty-accounts',
    before: ['subclients-create.csv'],
    exitCode: 1,
    outcomes: { drafted: 32, invalid: 6, rejected: 2 },
  },
  {
    file: 'payment-documents.csv',
    job: 'payment-documents',
    before: [],
    exitCode: 1,
    outcomes: { listed: 116, failed: 3, invalid: 1 },
  },
  {
    file: 'payment-documents.json',
    job: 'payment-documents',
    before: [],
    exitCode: 1,
    outcomes: { listed: 38, failed: 1, invalid: 1 },
  },
  {
    file: 'custom-accounts.csv',
    job: 'example-custom',
    before: [],
    exitCode: 1,
    outcomes: { created: 16, invalid: 4 },
  },
  {
    file: 'broken-unclosed-quote.csv',
    job: 'subclients-create',
    before: [],
    exitCode: 3,
    outcomes: null,
  },
  {
    file: 'broken-unknown-column.csv',
    job: 'subclients-create',
    before: [],
    exitCode: 3,
    outcomes: null,
  },
  {
    file: 'broken-duplicate-column.csv',
    job: 'subclients-create',
    before: [],
    exitCode: 3,
    outcomes: null,
  },
  {
    file: 'broken-truncated.json',
    job: 'subclients-create',
    before: [],
    exitCode: 3,
    outcomes: null,
  },
];
