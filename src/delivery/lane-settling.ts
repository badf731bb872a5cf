import type { SettledRow } from '../ledger/settle-entry.ts';
import type { Verdict } from '../model/request.ts';
import type { LaneRow } from './lane-row.ts';
import { recordAtOnce } from './record-rows.ts';
import { acceptedEnd } from './row-end.ts';
import type { RunContext } from './run-context.ts';
import { sentRows } from './settle-rows.ts';

/** Records the outcomes of accepted rows, those of some milliseconds in one command. */
export type LaneSettling = {
  add(row: LaneRow, verdict: Extract<Verdict, { kind: 'accepted' }>, ms: number): void;
  /** Now: before trouble is told of, so that what came before it is not taken for a part of it. */
  flush(): void;
};

/**
 * An outcome waits no longer, also for those before it: the journal has to know of it although Redis is away, and should the worker
 * be killed, its row is in doubt.
 */
const AT_MOST_MS = 4;
const ENOUGH = 40;

export function createLaneSettling(context: RunContext): LaneSettling {
  let rows: LaneRow[] = [];
  let settled: SettledRow[] = [];
  let timer: NodeJS.Timeout | null = null;

  const record = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    void recordAll(rows, settled, context);
    rows = [];
    settled = [];
  };
  return {
    flush() {
      if (rows.length > 0) record();
    },
    add(row, verdict, ms) {
      const { planned, sending } = row;
      const ends = sentRows(planned, acceptedEnd(verdict, sending.made, ms), sending);
      rows.push(row);
      for (const one of ends) settled.push(one);
      if (rows.length >= ENOUGH) record();
      else timer ??= setTimeout(record, AT_MOST_MS);
    },
  };
}

async function recordAll(
  rows: readonly LaneRow[],
  settled: readonly SettledRow[],
  context: RunContext,
): Promise<void> {
  try {
    await recordAtOnce(settled, context);
    for (const row of rows) row.end.ended('settled');
  } catch (error) {
    for (const row of rows) row.end.failed(error);
  }
}
