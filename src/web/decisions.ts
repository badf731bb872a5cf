/**
 * What a form says of rows in doubt, as those who record it read it (`POST /runs/:id/resolve`): of
 * one row in the fields `row`, `as` (`created`, `created:<id>` of a record that was found,
 * `not-created`) and `id`; of many in a field `decision` each, `17 created:<id>` or `17
 * not-created`. Whether an id can be right is decided by who records it.
 */
import type { RowDecision } from '../model/ask.ts';

export type Decided =
  | { readonly kind: 'decided'; readonly decisions: readonly RowDecision[] }
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

const CREATED = 'created:';
const DECISION = /^([1-9]\d{0,14}) (not-created|created:.+)$/su;

export function decisionsIn(form: URLSearchParams): Decided {
  const row = form.get('row');
  if (row !== null) return ofRow(row, form.get('as') ?? '', (form.get('id') ?? '').trim());
  const said = form.getAll('decision');
  const read = said.map((text) => DECISION.exec(text));
  const unread = said.filter((_, i) => read[i] === null);
  if (said.length === 0 || unread.length > 0)
    return {
      kind: 'problems',
      problems: [`expected rows and what became of each, got "${unread[0] ?? ''}"`],
    };
  return {
    kind: 'decided',
    decisions: read.map((found) => decisionOf(Number(found?.[1]), found?.[2] ?? '')),
  };
}

/** What was typed must not contradict what was chosen: both may have been meant. */
function ofRow(row: string, chosen: string, id: string): Decided {
  const typed = id === '' ? chosen : CREATED + id;
  const as = chosen === '' || chosen === 'created' ? typed : chosen;
  if (as !== typed)
    return {
      kind: 'problems',
      problems: [`The id ${id} is given, and ${wordsOf(chosen)} is chosen: expected one of them.`],
    };
  const [, number, said] = DECISION.exec(`${row} ${as}`) ?? [];
  if (said === undefined) return { kind: 'problems', problems: [UNDECIDED] };
  return { kind: 'decided', decisions: [decisionOf(Number(number), said)] };
}

function wordsOf(as: string): string {
  return as === 'not-created' ? '“it was not created”' : `the record ${as.slice(CREATED.length)}`;
}

const UNDECIDED =
  'Say what became of the row: that it was created, with the id that it has at the service, or that it was not.';

function decisionOf(row: number, as: string): RowDecision {
  return as === 'not-created' ? { row, as } : { row, as: 'created', id: as.slice(CREATED.length) };
}

/** A decision as a field of a form has it. */
export function decisionField(decision: RowDecision): string {
  return `${decision.row} ${decision.as === 'created' ? CREATED + decision.id : decision.as}`;
}
