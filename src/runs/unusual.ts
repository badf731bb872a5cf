/**
 * A delivery beside those before it, when its file is registered: the last five of its series (job,
 * folder, set of columns). What is unlike them is said, and may hold the run back until a person
 * lets it go. No values of rows are kept of any.
 */
import { dirname, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isKnownByContent, type Job, type JobDefinition, operationOf } from '../config/job-definition.ts';
import { mappingFor, misfits } from '../delivery/run-mapping.ts';
import { SANDBOX_TARGET } from '../delivery/target.ts';
import { readKeys } from '../engine/ledger/key-claims.ts';
import type { Delivery } from '../engine/ledger/run-record.ts';
import { shortDigest } from '../lib/digest.ts';
import { countOf } from '../lib/terminal.ts';
import { type FileFacts, isTable } from '../model/source.ts';
import { spaceOf } from '../operations/operations.ts';
import { profileOf } from '../readers/intake/profile.ts';
import type { Ledger } from '../session.ts';
import { contentOf } from './identities.ts';
import { columnsFindings, type Finding, LIMITS, unusualIn } from './unlike.ts';

export type Delivered = {
  readonly job: Job;
  readonly facts: Pick<FileFacts, 'path' | 'sha256' | 'rows' | 'source' | 'sample' | 'namesRows'>;
  /** Where the partner's files come from; left out: the file's own. */
  readonly folder?: string | undefined;
  readonly target: string;
};

/** `undefined`: a corrected file, a rehearsal and a file without rows are no delivery. */
export async function deliveryOf(delivered: Delivered, ledger: Ledger): Promise<Delivery | undefined> {
  const { facts, target } = delivered;
  const isCorrected = facts.namesRows === true;
  const isRehearsal = target === SANDBOX_TARGET;
  if (isCorrected || isRehearsal || facts.rows === 0) return undefined;
  return compared(delivered, ledger);
}

/** What is compared with the deliveries before, and kept for those that come. */
async function compared(delivered: Delivered, ledger: Ledger): Promise<Delivery> {
  const { job, facts, target } = delivered;
  const { unusual, delivery, key } = job.definition;
  const { store } = ledger.of(target);
  const series = seriesOf(delivered);
  const { most } = LIMITS.deliveries;
  const earlier = await store.deliveriesOf(series, { most, but: facts.sha256 });

  const isFirst = earlier.length === 0;
  const known = isFirst ? null : await knownShare(delivered, ledger);
  const { rows, source, sample = [] } = facts;
  const profile = profileOf({ rows, source, sample }, known);

  const isCompared = unusual !== 'off';
  const asBefore = isCompared ? unusualIn(profile, { earlier, delivery, key }) : [];
  const { fewest } = LIMITS.deliveries;
  const others = { fewest, but: facts.sha256 };
  const beside = isCompared && isFirst ? await store.columnsBeside(series, others) : null;
  const findings = [...columnsFindings(source.columns, beside), ...asBefore];
  // A file that is cut is measured by what there was before: the worst cut leaves few rows.
  const isCut = findings.some((found) => found.what === 'rows' && found.before >= LIMITS.rowsToPause);
  const mayPause = unusual === 'pause' && (rows >= LIMITS.rowsToPause || isCut);
  const renamed = isCompared ? await renamedSince(delivered, ledger) : null;
  const isHeld = (mayPause && findings.length > 0) || (unusual === 'pause' && renamed !== null);
  // Other columns are told of once: the next file that has them is compared with this one.
  const isUsual = isHeld || asBefore.length === 0;
  const told = [...(renamed === null ? [] : [renamedWords(renamed)]), ...findings.map(findingWords)];
  return { series, profile, unusual: told, isHeld, isUsual };
}

/**
 * The job's last run, where its rows would have other identities now: without a key, what is sent
 * is what a record is known by. `null`: they are known by the same.
 */
async function renamedSince({ job, facts, target }: Delivered, ledger: Ledger): Promise<string | null> {
  const { name, definition } = job;
  if (!isKnownByContent(definition)) return null;

  const before = await ledger.of(target).store.latestDelivery(name);
  if (before === null) return null;
  const was = before.identity === 'content' ? before.definition : null;
  const isSame = was !== null && mapsAlike(was, definition, facts);
  return isSame ? null : before.run;
}

type Sampled = Pick<FileFacts, 'source' | 'sample'>;

/** Of rows that are spread over the file, those that map by both. */
function mapsAlike(before: JobDefinition, now: JobDefinition, { source, sample = [] }: Sampled): boolean {
  if (!isDeepStrictEqual(before.format, now.format) || misfits(before, source).length > 0) return false;
  const [was, is] = [mappingFor(before, source), mappingFor(now, source)];
  return sample.every((row) => {
    const contents = [contentOf(row, was), contentOf(row, is)];
    return contents.includes(null) || contents[0] === contents[1];
  });
}

function renamedWords(run: string): string {
  return (
    `Since run ${run} the job definition has changed what is sent, and without a key a record is known by that: ` +
    'what earlier files have created would be created again.'
  );
}

/** A partner's files of one kind. In JSON any record may leave fields out, and so may all. */
function seriesOf({ job, facts, folder }: Delivered): string {
  const from = folder ?? dirname(resolve(facts.path));
  const { source } = facts;
  const columns = new Set(isTable(source) ? source.columns.filter((name) => name !== '') : []);
  const parts = [
    [job.name, from],
    [isTable(source), ...[...columns].toSorted()],
  ];
  return parts.map((part) => shortDigest(JSON.stringify(part), SERIES_CHARACTERS)).join('.');
}

const SERIES_CHARACTERS = 16;

/** Of the keys of rows that are spread over the file; `null`: they have none. */
async function knownShare({ job, facts, target }: Delivered, ledger: Ledger): Promise<number | null> {
  const { definition } = job;
  const space = spaceOf(operationOf(definition));
  if (space === null || definition.key === undefined) return null;

  const { keyOf } = mappingFor(definition, facts.source);
  const names = (facts.sample ?? []).flatMap((row) => keyOf(row) ?? []);
  if (names.length === 0) return null;

  const { keys } = ledger.of(target);
  const asked = { space, form: definition.keyForm, names };
  const states = await readKeys(ledger.redis, keys, asked);
  const known = names.filter((name) => states.get(name)?.kind === 'known');
  return known.length / names.length;
}

/** A sentence about the file; no values. */
function findingWords(finding: Finding): string {
  switch (finding.what) {
    case 'columns': {
      const parts = [`new are ${namesWords(finding.now)}`, `gone are ${namesWords(finding.before)}`];
      const told = parts.filter((_, i) => [finding.now, finding.before][i]?.length !== 0);
      return `It has other columns than the files before it: ${told.join('; ')}.`;
    }
    case 'rows': {
      const before = Math.round(finding.before);
      const now = countOf(finding.now, 'row');
      return `It has ${now}; the deliveries before had about ${before}.`;
    }
    case 'shapes': {
      const [now, before] = [finding.now, finding.before].map(shapeWords);
      const words = `has mostly ${now}, before ${before}`;
      const areDates = [finding.now, finding.before].every((shape) => shape.startsWith('date'));
      const question = areDates ? 'are its dates written otherwise?' : 'was it swapped with another?';
      return `Column "${finding.column}" ${words}: ${question}`;
    }
    default:
      return shareFindingWords(finding);
  }
}

function namesWords(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN).map((name) => `"${name}"`);
  const more = names.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

const NAMES_SHOWN = 8;

type ShareFinding = Exclude<Finding, { readonly what: 'columns' | 'rows' | 'shapes' }>;

function shareFindingWords(finding: ShareFinding): string {
  const [now, before] = [finding.now, finding.before].map(percent);
  switch (finding.what) {
    case 'known': {
      const words = `Of its keys ${now} are known, of earlier deliveries ${before} were`;
      return `${words}: were the keys renamed?`;
    }
    case 'filled':
      return `Column "${finding.column}" is filled in ${now} of the rows, before in ${before}.`;
    case 'repeated': {
      const words = `${now} of the cells have one value, before at most ${before}`;
      return `In column "${finding.column}" ${words}.`;
    }
    default:
      return finding satisfies never;
  }
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}

function shapeWords(shape: string): string {
  const [build = '', length = ''] = shape.split(' ');
  const long = length.startsWith('>') ? `over ${length.slice(1)}` : `up to ${length}`;
  return `${BUILD_WORDS[build] ?? build} of ${long} signs`;
}

const BUILD_WORDS: Readonly<Record<string, string>> = {
  digits: 'digits',
  date: 'dates',
  'date-year-first-': 'dates such as YYYY-MM-DD',
  'date-year-first.': 'dates such as YYYY.MM.DD',
  'date-year-first/': 'dates such as YYYY/MM/DD',
  'date-year-last-': 'dates such as DD-MM-YYYY',
  'date-year-last.': 'dates such as DD.MM.YYYY',
  'date-year-last/': 'dates such as DD/MM/YYYY',
  number: 'numbers',
  phone: 'phone numbers',
  address: 'e-mail addresses',
  words: 'words',
  word: 'single words',
  code: 'codes',
  text: 'text',
};
