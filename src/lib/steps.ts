/**
 * How far a long step has got, for whoever shows it: almost free while nobody does. No step waits
 * for that.
 */

/** `done` of `all`, whatever is counted; a step that is left early ends with all of it, too. */
type Step = { readonly doing: string; readonly done: number; readonly all: number };

const listeners = new Set<(step: Step) => void>();

export function passStep(step: Step): void {
  for (const hear of listeners) hear(step);
}

/** Answers what ends it. */
export function onSteps(hear: (step: Step) => void): () => void {
  listeners.add(hear);
  return () => void listeners.delete(hear);
}
