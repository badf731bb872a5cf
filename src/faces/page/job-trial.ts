/**
 * What a changed definition would have made of the last deliveries, as `onboard try` says it, which
 * runs in a process of its own. Its output has no values of rows.
 */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { makeHomeFolder } from '../../config/environment.ts';
import { writeDurably } from '../../lib/make-folder.ts';
import { countOf, numberShown } from '../../lib/terminal.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { runsToTry } from '../../runs/trial.ts';
import type { Session } from '../../session.ts';

/** A text that is looked at before it is saved. */
export type JobDraft = {
  readonly job: string;
  readonly text: string;
  /** SHA-256 of the text that it was made from. */
  readonly base: string;
  /** Whose rows are to be sent again by it; `''`: none's. */
  readonly run: string;
  /** The version that waits with this text; `null`: it is a new one. */
  readonly confirms: number | null;
};

const DELIVERIES = 5;

const counted = z.object({ rows: z.number() });
const lineSchema = z.union([
  z.object({ run: z.string(), why: z.string() }),
  z.object({
    run: z.string(),
    pass: counted,
    refused: counted.extend({ examples: z.array(z.object({ row: z.number(), why: z.string() })) }),
    differ: counted.extend({ fields: z.array(z.object({ field: z.string(), rows: z.number() })) }),
    same: z.number(),
  }),
]);
/** `invalid`: rows of the delivery that were. */
type TriedDelivery = z.infer<typeof lineSchema> & { readonly invalid: number };
/** The newest delivery first. */
export type Trial = readonly TriedDelivery[];

type Trying = Pick<Session, 'env' | 'ledger'> & {
  /** Runs this program. */
  runChild(
    options: readonly string[],
    operands: readonly string[],
  ): Promise<{ readonly stdout: string; readonly problems: readonly string[] }>;
};

export async function tryDraft({ job, text }: JobDraft, page: Trying): Promise<Trial> {
  const runs = await runsToTry(job, DELIVERIES, page.ledger);
  if (runs.length === 0) return [];
  // As an upload's, which goes within a day where a kill leaves it.
  const folder = await makeHomeFolder(page.env.home, 'uploads', randomBytes(16).toString('hex'));
  try {
    const path = join(folder, `${job}.yaml`);
    await writeDurably(path, text);
    const options = ['try', '--json', `--last=${DELIVERIES}`, `--job-file=${path}`];
    const { stdout, problems } = await page.runChild(options, [job]);
    const lines = stdout.split('\n').filter((line) => line !== '');
    if (lines.length === 0) throw new UsageError(problems);
    return lines.map((line) => {
      const tried = lineSchema.parse(JSON.parse(line));
      const invalid = runs.find(({ id }) => id === tried.run)?.outcomes.invalid ?? 0;
      return { ...tried, invalid };
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Of `differ`: the row's key is another one, so that its record is not known by it. */
const KEY_FIELD = '(key)';

/** Over all deliveries that could be tried, the worst first. */
export function trialWords(trial: Trial) {
  const tried = trial.flatMap((one) => ('why' in one ? [] : [one]));
  const sum = (of: (one: (typeof tried)[number]) => number) => tried.reduce((n, one) => n + of(one), 0);
  const [refused, differ] = [sum((one) => one.refused.rows), sum((one) => one.differ.rows)];
  const [pass, invalid] = [sum((one) => one.pass.rows), sum((one) => one.invalid)];
  const keys = sum((one) => one.differ.fields.find(({ field }) => field === KEY_FIELD)?.rows ?? 0);
  const bad = [
    keys > 0
      ? `${countOf(keys, 'record')} would have another key: nothing would know them by it, and they would be made again`
      : '',
    refused > 0 ? `${countOf(refused, 'row')} that went would be invalid` : '',
  ];
  const said = [
    `${numberShown(pass)} of ${countOf(invalid, 'invalid row')} would have passed`,
    `${numberShown(differ)} that stand at the service would be sent differently`,
    `${numberShown(sum((one) => one.same))} as they stand there`,
  ];
  return { isAny: tried.length > 0, bad: bad.filter((words) => words !== ''), said };
}
