import type { Ground } from '../cli/open-desk.ts';
import { type Chosen, createRerunStore, type RerunStore } from '../ledger/rerun-store.ts';
import { newRunId } from '../ledger/run-id.ts';
import { createRunInput } from '../ledger/run-input.ts';
import type { NewRun } from '../ledger/run-store.ts';
import type { ChoiceCounts } from '../ledger/unsuccessful-rows.ts';
import { countOf } from '../lib/terminal.ts';
import { unsuccessfulRows as countUnsuccessful } from '../model/outcome.ts';
import { isOver, type Run } from '../model/run.ts';
import type { FileFacts } from '../model/source.ts';
import { CHUNK_ROWS } from './chunk-rows.ts';
import { childrenOf, freezeRows, noCounts, rowsLeft, type Wanted } from './rerun-rows.ts';

/** What there is to take up; `lines` are for the user. */
type Choice =
  | { readonly kind: 'nothing'; readonly lines: readonly string[] }
  /** An earlier rerun, which has rows without an outcome yet. */
  | { readonly kind: 'unfinished'; readonly run: Run }
  | {
      readonly kind: 'chosen';
      readonly lines: readonly string[];
      /** `null`: another rerun was registered since; choose again. */
      register(): Promise<Run | null>;
    };

/**
 * Chooses the rows of a run that no earlier rerun has, and puts them into the ledger beside it. A kill at any moment leaves
 * a whole rerun or none: what is not registered goes by itself.
 */
export async function chooseRerun(wanted: Wanted, ground: Ground): Promise<Choice> {
  const { parent } = wanted;
  const { keys } = ground.ledger.of(parent.target);
  const reruns = createRerunStore(ground.ledger.redis, keys, parent.id);
  const latest = await reruns.latest();
  const children = await childrenOf(parent, ground);
  const unfinished = children.find((run) => !isOver(run));
  if (unfinished !== undefined) return { kind: 'unfinished', run: unfinished };

  const createdAt = new Date();
  const id = newRunId(createdAt);
  const { counts, rows, chunkEnds } = await freezeRows(id, { wanted, children }, ground);
  if (counts.chosen === 0) return { kind: 'nothing', lines: nothingLeft(parent, children, counts) };
  const run = newRun(wanted, { id, createdAt, rows: counts.chosen, chunkEnds });
  return {
    kind: 'chosen',
    lines: leftOut(parent, counts),
    register: () => register(run, { latest, rows }, { ground, reruns }),
  };
}

/** What stands in the way of choosing, or that there is nothing to choose; `null`: there are rows to take up. Writes nothing. */
export async function lookBeforeChoice(
  wanted: Wanted,
  ground: Ground,
): Promise<Exclude<Choice, { kind: 'chosen' }> | null> {
  const { parent } = wanted;
  const children = await childrenOf(parent, ground);
  const unfinished = children.find((run) => !isOver(run));
  if (unfinished !== undefined) return { kind: 'unfinished', run: unfinished };
  const counts = noCounts();
  // One batch is enough.
  for await (const _ of rowsLeft({ wanted, children }, ground, counts)) return null;
  return { kind: 'nothing', lines: nothingLeft(parent, children, counts) };
}

function newRun(
  { parent, job }: Wanted,
  {
    id,
    createdAt,
    rows,
    chunkEnds,
  }: Pick<NewRun, 'id' | 'createdAt'> & Pick<FileFacts, 'rows' | 'chunkEnds'>,
): NewRun {
  const { target, file, sha256, source } = parent;
  return {
    id,
    job: job.name,
    definition: job.definition,
    target,
    // The file stays what the rows come from, and rows without a key are known by their place in it.
    facts: { path: file, sha256, bytes: 0, rows, source, chunkEnds, stamp: '' },
    chunkRows: CHUNK_ROWS,
    createdAt,
    again: false,
  };
}

async function register(
  run: NewRun,
  chosen: Chosen,
  { ground, reruns }: { readonly ground: Ground; readonly reruns: RerunStore },
): Promise<Run | null> {
  const { index, redis, of } = ground.ledger;
  const { keys, store } = of(run.target);
  await index.add(run.id, run.target, run.createdAt);
  if (await reruns.register(run, chosen)) return store.get(run.id);
  await index.remove(run.id);
  await createRunInput(redis, keys, run.id).drop();
  return null;
}

function leftOut({ id, parent }: Run, { inDoubt, withoutRecord }: ChoiceCounts): string[] {
  const elsewhere = parent === null ? '' : ` \`onboard rerun ${parent}\` takes them up where it has them.`;
  return [
    ...(inDoubt === 0
      ? []
      : [
          `${countOf(inDoubt, 'row')} of run ${id} ${inDoubt === 1 ? 'is' : 'are'} in doubt and left out: \`onboard resolve ${id} --file in-doubt.csv\` settles them, once its last column says what was found.`,
        ]),
    ...(withoutRecord === 0
      ? []
      : [
          `${countOf(withoutRecord, 'row')} of run ${id} ${withoutRecord === 1 ? 'is left out: its record is' : 'are left out: their records are'} not kept any more.${elsewhere}`,
        ]),
  ];
}

function nothingLeft(parent: Run, children: readonly Run[], counts: ChoiceCounts): string[] {
  const taken = children.map((run) => {
    const open = countUnsuccessful(run.outcomes);
    const next =
      open === 0
        ? 'all of its rows succeeded'
        : `${open} of its rows did not succeed: onboard rerun ${run.id}`;
    return `Run ${run.id}, a rerun of it, has ${countOf(run.rows, 'row')}; ${next}`;
  });
  return [`Run ${parent.id} has no rows left to take up.`, ...taken, ...leftOut(parent, counts)];
}
