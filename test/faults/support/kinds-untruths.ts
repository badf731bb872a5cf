import { z } from 'zod';
import type { Entity } from '../../../src/sandbox/records.ts';
import type { ReceivedRequest } from '../../support/recording-sandbox.ts';
import type { ResultLine } from './truth.ts';

/** What is compared where a row is more than a request of its own. */
export type KindEvidence = {
  readonly results: readonly ResultLine[];
  readonly made: readonly Entity[];
  /** Every request that the service received, oldest first. */
  readonly requests: readonly Pick<ReceivedRequest, 'method' | 'target' | 'body'>[];
};

const draftSchema = z.object({
  name: z.string(),
  accounts: z.array(z.object({ accountNumber: z.string() })),
});
const subclientSchema = z.object({
  details: z.object({ name: z.string() }).optional(),
  additionalInformation: z.object({ crmId: z.string() }).optional(),
  parent: z.object({ id: z.string() }).optional(),
});

/** Where rows of one key were not one request, whole, or did not end together; `accounts`: of each key, in row order. */
export function groupProblems(
  { results, made, requests }: KindEvidence,
  accounts: ReadonlyMap<string, readonly string[]>,
): string[] {
  const problems: string[] = [];
  for (const [key, wanted] of accounts) {
    const rows = results.filter((line) => line.key === key);
    if (rows.length !== wanted.length) problems.push(`${key} has ${rows.length} rows of ${wanted.length}`);
    const ends = new Set(rows.map(({ outcome, id }) => `${outcome} ${id}`));
    if (ends.size !== 1) problems.push(`the rows of ${key} ended as ${[...ends].join(' and ')}`);
    const [end = ''] = ends;
    const entities = made.filter((entity) => entity.key === key);
    const isMade = end === `drafted ${entities[0]?.id}` || end === 'in-doubt ';
    if (entities.length > 0 && !isMade) problems.push(`${key} was made, and its rows are ${end}`);
    if (entities.length === 0 && end.startsWith('drafted'))
      problems.push(`${key} is ${end} and was not made`);
  }
  for (const { body } of requests) {
    const draft = draftSchema.parse(JSON.parse(body));
    const sent = draft.accounts.map(({ accountNumber }) => accountNumber).join();
    if (sent !== accounts.get(draft.name)?.join()) problems.push(`${draft.name} was sent with ${sent}`);
  }
  return problems;
}

/** Where a record was sent with another id than that of the one it refers to; `parents`: key → key. */
export function referenceProblems(
  { made, requests }: KindEvidence,
  parents: ReadonlyMap<string, string>,
): string[] {
  const idOf = new Map(made.map(({ key, id }) => [key, id]));
  return requests.flatMap(({ body }) => {
    const { additionalInformation, parent } = subclientSchema.parse(JSON.parse(body));
    const key = additionalInformation?.crmId ?? '';
    const wanted = parents.get(key);
    const id = wanted === undefined ? undefined : idOf.get(wanted);
    if (parent?.id === id && (wanted === undefined || id !== undefined)) return [];
    return [`${key} refers to ${parent?.id}, and ${wanted} is ${id}`];
  });
}

/** Where a row says that the service has its name, and it has another; `names`: key → name. */
export function upsertProblems(
  { results, made, requests }: KindEvidence,
  names: ReadonlyMap<string, string>,
): string[] {
  const keyOf = new Map(made.map(({ key, id }) => [id, key]));
  const held = new Map<string | null, string>();
  for (const { method, target, body } of requests) {
    const { additionalInformation, details } = subclientSchema.parse(JSON.parse(body));
    const own = additionalInformation?.crmId ?? null;
    const key = method === 'POST' ? own : (keyOf.get(target.split('/').at(-1) ?? '') ?? null);
    if (details !== undefined) held.set(key, details.name);
  }
  return results
    .filter(({ outcome = '' }) => ['created', 'updated', 'skipped'].includes(outcome))
    .filter(({ key = '' }) => held.get(key) !== names.get(key))
    .map(({ row, key = '', outcome }) => `row ${row} (${key}) is ${outcome}, and is called ${held.get(key)}`);
}

/** Where two files with the same keys, sent at the same time, did not share them: a key is created by one of them, or in doubt. */
export function sharedKeyProblems(
  files: ReadonlyArray<readonly ResultLine[]>,
  made: readonly Entity[],
  keys: readonly string[],
): string[] {
  const idOf = new Map(made.map(({ key, id }) => [key, id]));
  const byKey = new Map<string, ResultLine[]>(keys.map((key) => [key, []]));
  for (const line of files.flat()) byKey.get(line.key ?? '')?.push(line);
  return [...byKey].flatMap(([key, lines]) => {
    const words = lines.map(({ outcome, id }) => `${outcome} ${id}`.trim()).join(' and ');
    const id = idOf.get(key);
    const creators = lines.filter(({ outcome }) => outcome === 'created');
    const isInDoubt = lines.some(({ outcome }) => outcome === 'in-doubt');
    const isOwned = creators.length + (isInDoubt ? 1 : 0) === 1;
    const isTrue = lines.every((line) => !line.id || line.id === id) && (isInDoubt || id !== undefined);
    return lines.length === files.length && isOwned && isTrue ? [] : [`${key} is ${words}; made was ${id}`];
  });
}
