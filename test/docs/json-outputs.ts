/** What `--json` prints, as docs/json has it: a test writes the schemas, and holds real outputs to them. */
import { z } from 'zod';
import { accountSchema } from '../../src/model/account.ts';
import { SERVICE_STATES } from '../../src/model/story.ts';
import { summarySchema } from '../../src/runs/report/summary.ts';

const count = z.number().int().nonnegative();
const time = z.string().describe('ISO 8601, UTC');
const timeOrNone = time.nullable();
const run = z.string().describe('The id of a run');

const account = z.strictObject(accountSchema.shape).extend({
  delivery: run.describe("The first file's run"),
  open: count.describe('Rows of the file that are neither at the service nor written off nor taken back'),
  pending: count.describe('Of the open ones: without an outcome yet'),
  notSent: count.describe('Of the open ones: their run was cancelled before them'),
  purgedRows: count.describe('Of the open ones: their cells are gone'),
});

const openRow = z.strictObject({
  row: count.describe("In the delivery's file"),
  last: z.strictObject({
    run: run.describe('In which the row stands last'),
    row: count,
    line: count.describe('0: unknown'),
    key: z.string(),
    keyDigest: z.string().optional(),
    outcome: z.string(),
    code: z.string(),
    isWrittenOff: z.boolean(),
    isPurged: z.boolean(),
  }),
});

const summary = z.strictObject(summarySchema.shape).extend({ account: account.nullable() });

const runStatus = summary.extend({
  pending: z.number().int().describe('Rows without an outcome yet'),
  owner: z.enum(['alive', 'gone', 'none']).describe("Of the process that reads the run's rows"),
  percent: count.describe('Rows with an outcome, of all'),
  seconds: count.nullable(),
  secondsLeft: count.nullable(),
  report: z.string().describe("The report's folder"),
  command: z.string().nullable().describe('What goes on with the run; null: nobody has to'),
});

const service = z.strictObject({
  state: z.enum(SERVICE_STATES),
  failuresInARow: count,
  cause: z.string().nullable(),
  since: timeOrNone,
  failedAt: timeOrNone,
  isProbing: z.boolean(),
  nextAt: timeOrNone,
  heldUntil: timeOrNone,
  tokenUntil: timeOrNone,
});

const needy = runStatus.extend({
  inDoubt: count,
  toCorrect: count.describe('Open rows that nobody has taken up, without those that were not sent'),
  notSent: count.describe('Open rows that nobody has taken up, of a cancelled run'),
  differing: count,
  sharing: count,
});

const overview = z.strictObject({
  needs: z.strictObject({
    disk: z.string().nullable().describe('That the disk of ONBOARD_HOME is full'),
    runs: z.array(needy),
    refused: z.array(z.strictObject({ file: z.string(), note: z.string().nullable() })),
  }),
  ledger: z.string(),
  target: z.string(),
  services: z.array(service.extend({ target: z.string() })),
  runs: z.array(runStatus).describe('Those that are not over'),
  processing: z.array(
    z.strictObject({ file: z.string(), job: z.string(), claim: z.string(), target: z.string() }),
  ),
  waiting: z.array(
    z.strictObject({
      file: z.string(),
      inbox: z.string(),
      job: z.string().nullable(),
      why: z.string(),
      words: z.string(),
    }),
  ),
  schedules: z.array(
    z.strictObject({
      job: z.string(),
      cron: z.string(),
      timezone: z.string(),
      next: timeOrNone,
      isSet: z.boolean().describe('A watcher has set it, so it fires'),
    }),
  ),
  windows: z.array(
    z.strictObject({
      job: z.string(),
      window: z.string(),
      timezone: z.string(),
      isOpen: z.boolean(),
      opensAt: time,
    }),
  ),
});

const purge = z.strictObject({
  dryRun: z.boolean(),
  runs: z.array(z.strictObject({ run, job: z.string(), rows: count, finishedAt: timeOrNone })),
  notPurged: z.array(z.strictObject({ run, job: z.string(), why: z.string() })),
  journals: z.array(z.string()).describe('Sentences on rows that other homes still have'),
  otherFiles: count.describe('Files removed that belong to no run of the ledger'),
  problem: z.string().nullable(),
  isCopied: z.boolean().describe('Whether a replica of Redis has confirmed it, where there is one'),
  notes: z.array(z.string()),
});

/** By the command. */
export const OUTPUTS = {
  account: account.extend({ openRows: z.array(openRow) }),
  status: overview,
  'status-run': runStatus.extend({ account, service, waitsFor: z.string().nullable() }),
  purge,
} as const;
