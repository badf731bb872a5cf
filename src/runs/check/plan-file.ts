/**
 * A plan as a file: what a check foresees for each row, so that a run can be held to it. No cell,
 * no key and no digest of a row is in it. A run by a plan begins only where file, definition,
 * target and fates are as they were, and sends nothing of a row of which the plan sends nothing.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Job } from '../../config/job-definition.ts';
import { hexDigest } from '../../lib/digest.ts';
import { hasCode, messageOf } from '../../lib/errors.ts';
import { countOf } from '../../lib/terminal.ts';
import { UsageError } from '../../lib/usage-error.ts';
import type { Fate, Forecast } from './forecast.ts';

const kindSchema = z.enum(['new', 'changed', 'skipped', 'invalid']);
type Kind = z.infer<typeof kindSchema>;

/** Of neighbouring rows, from the first to the last. */
const rangeSchema = z.tuple([z.number().int().positive(), z.number().int().positive(), kindSchema]);
type Range = z.infer<typeof rangeSchema>;

const factsSchema = z.strictObject({
  form: z.literal(1),
  job: z.string(),
  target: z.string(),
  /** SHA-256 of the file. */
  sha256: z.string(),
  /** SHA-256 of the definition. */
  definition: z.string(),
  /** ISO 8601. */
  at: z.string(),
  counts: z.record(z.enum(['rows', 'sendable', 'waiting', 'skipped', 'invalid']), z.number()),
  fates: z.array(rangeSchema),
});
type Facts = z.infer<typeof factsSchema>;
/** `seal`: of all else; an HMAC where the ledger is sealed. */
const planSchema = factsSchema.extend({ seal: z.string() });
export type PlanFile = z.infer<typeof planSchema>;

type Digest = (text: string, length: number) => string;

const SEAL_CHARACTERS = 43;

/** In the schema's order of fields. */
function sealOf(facts: Facts, digest: Digest): string {
  const whole = factsSchema.strip().parse(facts);
  return digest(JSON.stringify(whole), SEAL_CHARACTERS);
}

/** Collects the fates of rows, in file order. */
export function createFates() {
  const ranges: Range[] = [];
  return {
    ranges,
    see({ rows, fate }: Forecast): void {
      const kind = kindOf(fate);
      for (const { row } of rows) {
        const last = ranges.at(-1);
        if (last !== undefined && last[2] === kind && last[1] === row - 1) last[1] = row;
        else ranges.push([row, row, kind]);
      }
    },
  };
}

/** A record that is created by now would be updated, or the other way round. */
function kindOf({ kind, change }: Fate): Kind {
  if (kind !== 'sent') return kind;
  return change === undefined || change.kind === 'new' ? 'new' : 'changed';
}

/** Rows of which nothing is sent. */
export function unsentIn(ranges: readonly Range[]): number[] {
  const unsent: number[] = [];
  for (const [row, kind] of eachIn(ranges)) if (isUnsent(kind)) unsent.push(row);
  return unsent;
}

function isUnsent(kind: Kind): boolean {
  return kind === 'skipped' || kind === 'invalid';
}

const DEFINITION_CHARACTERS = 64;

export function definitionDigest({ definition }: Pick<Job, 'definition'>): string {
  return hexDigest(JSON.stringify(definition), DEFINITION_CHARACTERS);
}

/** By which an approval names what was looked at. */
const APPROVED_CHARACTERS = 16;

/** Another file, definition, target or fate of a row has another. */
export function planDigest({ job, target, sha256, definition, fates }: Now): string {
  return hexDigest(JSON.stringify([job, target, sha256, definition, fates]), APPROVED_CHARACTERS);
}

export async function writePlan(path: string, facts: Omit<Facts, 'form'>, digest: Digest): Promise<void> {
  const whole = { form: 1 as const, ...facts };
  const text = `${JSON.stringify({ ...whole, seal: sealOf(whole, digest) })}\n`;
  try {
    await writeFile(path, text, { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    if (hasCode(error, 'EEXIST')) throw new UsageError(`--out: ${path} is there already: name a new file`);
    throw error;
  }
}

/** A UsageError where it is none, or another than was written. */
export async function readPlan(path: string): Promise<PlanFile> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new UsageError(`--plan: ${messageOf(error)}`);
  });
  const parsed = planSchema.safeParse(parsedJson(text));
  if (parsed.success) return parsed.data;
  throw new UsageError(`--plan: ${path} is no plan: expected a file that \`onboard check --out\` wrote`);
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

type Now = Pick<Facts, 'job' | 'target' | 'sha256' | 'definition' | 'fates'>;

/** A UsageError where anything is otherwise than the plan has it. */
export function assertPlanned(plan: PlanFile, now: Now, digest: Digest): void {
  const rows = differingRows(plan.fates, now.fates);
  const count = countOf(rows.length, 'row');
  const told = rows.slice(0, ROWS_TOLD).map(rowWords);
  const ofRows = rows.length === 0 ? [] : [`${count} would end otherwise`, ...told];
  refuse([...damage(plan, digest), ...(misplaced(plan, now) ?? ofRows)]);
}

/** The same, of a run that goes on: `unsent` is what it was bound to. */
export function assertBoundBy(
  plan: PlanFile,
  run: Omit<Now, 'fates'>,
  unsent: ReadonlySet<number> | null,
  digest: Digest,
): void {
  const planned = unsentIn(plan.fates);
  const isSame = unsent !== null && planned.every((row) => unsent.has(row));
  const isBound = isSame && planned.length === [...unsent].filter((row) => row > 0).length;
  const bound = isBound ? [] : ['the run of this file, which is not over, was begun without this plan'];
  refuse([...damage(plan, digest), ...(misplaced(plan, run) ?? bound)]);
}

function refuse(problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new UsageError([...problems.map((problem) => `--plan: ${problem}.`), LOOK_AGAIN]);
}

function damage(plan: PlanFile, digest: Digest): readonly string[] {
  return plan.seal === sealOf(plan, digest) ? [] : [CHANGED];
}

const CHANGED = 'it was changed since it was written, or is of another ledger';

const OTHER_FILE = 'the file is another than the plan was made for';

/** Before anything is begun, or found to be over. */
export function assertPlanOf(plan: PlanFile, sha256: string | undefined): void {
  if (plan.sha256 !== sha256) throw new UsageError([`--plan: ${OTHER_FILE}.`, LOOK_AGAIN]);
}

const LOOK_AGAIN = 'Nothing was sent. Look at the file anew: `onboard check … --out` writes another plan.';

/** `null`: it is for just that. */
function misplaced(plan: PlanFile, now: Omit<Now, 'fates'>): readonly string[] | null {
  if (plan.job !== now.job) return [`it is a plan for the job ${plan.job}, not ${now.job}`];
  if (plan.target !== now.target) return [`it is a plan for ${plan.target}, not ${now.target}`];
  if (plan.sha256 !== now.sha256) return [OTHER_FILE];
  if (plan.definition !== now.definition) return ['the job definition has changed since'];
  return null;
}

function rowWords({ row, was, is }: Differing): string {
  const now = NOW[is];
  return `row ${row} ${WORDS[was]}, and ${now} by now`;
}

const ROWS_TOLD = 5;
const WORDS: Readonly<Record<Kind, string>> = {
  new: 'was to be sent',
  changed: 'was to be sent as a change',
  skipped: 'was to be skipped',
  invalid: 'was invalid',
};
const NOW: Readonly<Record<Kind, string>> = {
  new: 'would be sent',
  changed: 'would be sent as a change',
  skipped: 'would be skipped',
  invalid: 'would be invalid',
};

type Differing = {
  readonly row: number;
  readonly was: Kind;
  readonly is: Kind;
};

function differingRows(before: readonly Range[], now: readonly Range[]): readonly Differing[] {
  const kinds = new Map(eachIn(now));
  const rows: Differing[] = [];
  for (const [row, was] of eachIn(before)) {
    const is = kinds.get(row) ?? 'invalid';
    if (is !== was) rows.push({ row, was, is });
  }
  return rows;
}

function* eachIn(ranges: readonly Range[]): Generator<readonly [row: number, kind: Kind]> {
  for (const [first, last, kind] of ranges) {
    for (let row = first; row <= last; row += 1) yield [row, kind];
  }
}
