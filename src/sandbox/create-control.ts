import type { CallParts } from './answer-call.ts';
import type { AnswerCounts } from './answer-counts.ts';
import type { SandboxControl } from './control.ts';
import type { FaultPlan } from './fault-plan.ts';
import { createFaultPlan } from './fault-plan.ts';
import type { KeyReader } from './key-reader.ts';
import { parseFaults } from './parse-fault.ts';
import type { RequestLog } from './request-log.ts';
import { collectStats } from './sandbox-stats.ts';

/** The parts of a running sandbox; `plan` is set anew while it runs. */
export type ControlledParts = {
  readonly parts: CallParts;
  readonly keyOf: KeyReader;
  readonly plan: { faults: FaultPlan; down: boolean };
  /** Of the faults' random shares. */
  readonly seed: number;
  readonly counts: AnswerCounts;
  readonly log: RequestLog;
};

/** The control over these parts. */
export function createControl({ parts, plan, seed, counts, log }: ControlledParts): SandboxControl {
  const { records, tokens } = parts;
  return {
    stats: () => collectStats({ records, counts, tokens, faults: plan.faults }),
    entities: (kind, from = 0) => records.entities[kind].from(from),
    requests: (last = Number.POSITIVE_INFINITY) => log.last(last),
    setFaults: (specs) => {
      plan.faults = createFaultPlan(parseFaults(specs), seed);
    },
    setToken: tokens.set,
    setDown: (down) => {
      plan.down = down;
    },
  };
}
