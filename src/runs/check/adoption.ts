/**
 * Whether a file of keys and ids can be adopted: all of it, or nothing. A key that is known by
 * another id, is in doubt or in another run's hands, and an id under two keys are refused.
 */
import { createDigestTable, tableDigest } from '../../lib/digest.ts';
import { countOf } from '../../lib/terminal.ts';
import { UsageError } from '../../lib/usage-error.ts';
import type { Operation } from '../../model/operation.ts';
import { issueWords } from '../../model/sentence.ts';
import { spaceOf } from '../../operations/operations.ts';
import type { Forecast } from './forecast.ts';
import type { Look } from './ledger.ts';

/** Of a file, so many; the others are counted. */
const SHOWN = 20;

export function createAdoption(operation: Operation, look: Look) {
  const ids = createDigestTable();
  const problems: string[] = [];
  const counts = { refused: 0, adopted: 0, known: 0 };
  const refuse = (row: number, why: string) => {
    counts.refused += 1;
    if (problems.length < SHOWN) problems.push(`row ${row}: ${why}`);
  };
  const adopt = (row: number, id: string) => {
    counts.adopted += 1;
    const earlier = ids.setFirst(tableDigest(id), row);
    if (earlier === undefined) return;
    refuse(row, `its id ${id} is that of row ${earlier}, too`);
  };
  /** Of keys of the file itself there is none among them: those are known. */
  const refuseKnownIds = async () => {
    const space = spaceOf(operation);
    if (look.kind === 'none' || space === null || counts.adopted === 0) return;
    for await (const { id, run, row } of look.ids(space)) {
      const own = ids.get(tableDigest(id));
      if (own === undefined) continue;
      refuse(own, `its id ${id} is known under another key, by row ${row} of run ${run}`);
    }
  };
  return {
    see({ leader: { row }, fate }: Forecast): void {
      if (fate.kind === 'invalid') {
        for (const issue of fate.issues) refuse(issue.row, issueWords(issue));
      } else if (fate.kind === 'skipped' && fate.adopts !== undefined) {
        adopt(row, fate.adopts);
      } else counts.known += 1;
    },
    /** How many keys become known; an error where a row of the file can't be adopted. */
    async result(): Promise<Found> {
      await refuseKnownIds();
      const { refused, adopted, known } = counts;
      if (refused > 0) throw new UsageError(refusal(refused, problems));
      return { adopted, known };
    },
  };
}

/** `known`: by that very id. */
type Found = { readonly adopted: number; readonly known: number };

function refusal(refused: number, problems: readonly string[]): string[] {
  const more = refused - problems.length;
  return [
    `Nothing is adopted: of the file ${countOf(refused, 'row')} can't be, and all of it is or nothing.`,
    ...problems,
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
}
