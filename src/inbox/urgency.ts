import { type JobDefinition, weightOf } from '../config/job-definition.ts';
import type { JobBook } from './job-book.ts';
import type { LeftClaim } from './recover.ts';

/** The weight of a job's runs; that of a usual job where there is no definition of it any more. */
export function weightOfJob(name: string | undefined, book: Pick<JobBook, 'jobs'>): number {
  const job = book.jobs().find((one) => one.name === name);
  return weightOf(job?.definition ?? { priority: 'normal' });
}

type OfJob = { readonly job: { readonly definition: Pick<JobDefinition, 'priority'> } };
/** What may be begun: claims that somebody left, and files. */
type AtHand<F> = { readonly left: readonly LeftClaim[]; readonly take: readonly F[] };

/** The same in the order in which it is to be begun: by the weight of its job, else as it was. */
export function byUrgency<F extends OfJob>(
  { left, take }: AtHand<F>,
  book: Pick<JobBook, 'jobs'>,
): { left: LeftClaim[]; take: F[] } {
  return {
    left: [...left].sort((a, b) => weightOfClaim(b, book) - weightOfClaim(a, book)),
    take: [...take].sort((a, b) => weightOf(b.job.definition) - weightOf(a.job.definition)),
  };
}

/** What is to be begun next, of what is in that order: a claim before a file of the same weight; `null`: there is nothing. */
export function mostUrgent<F extends OfJob>(
  { left: [claim], take: [file] }: AtHand<F>,
  book: Pick<JobBook, 'jobs'>,
): { readonly kind: 'claim' | 'file'; readonly weight: number } | null {
  const ofFile = file === undefined ? null : weightOf(file.job.definition);
  const ofClaim = claim === undefined ? null : weightOfClaim(claim, book);
  if (ofClaim !== null && ofClaim >= (ofFile ?? 0)) return { kind: 'claim', weight: ofClaim };
  return ofFile === null ? null : { kind: 'file', weight: ofFile };
}

function weightOfClaim({ found: { info } }: LeftClaim, book: Pick<JobBook, 'jobs'>): number {
  return weightOfJob(info?.job, book);
}
