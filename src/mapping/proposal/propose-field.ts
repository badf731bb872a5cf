import type { Operation } from '../../model/operation.ts';
import type { JsonValue } from '../../model/request.ts';
import { parseFieldPath } from '../field-path.ts';
import type { FieldLookup, LeafType } from '../known-field.ts';
import { candidateReadings } from './candidate-readings.ts';
import type { ChosenReading, Reading } from './choose-reading.ts';
import { chooseReading } from './choose-reading.ts';
import type { Meaning } from './find-meaning.ts';
import { looseName } from './loose-name.ts';
import type { Placement } from './place-columns.ts';
import { notesOf, ONE_WAY } from './reading-notes.ts';

/** A line under `fields`. */
export type ProposedField = {
  readonly field: string;
  readonly column: string;
  readonly reading: Reading;
  /** What its reader has to know. */
  readonly notes: readonly string[];
  /** False: the line is a comment until somebody decides, and the column is not sent. */
  readonly isDecided: boolean;
};

/** What the key column fills besides: the CRM id of a new subclient, or the identifier in the path. */
export function keyField(operation: Operation, key: string, pathField: string | null): Meaning | null {
  switch (operation) {
    case 'subclient.create':
    case 'subclient.upsert':
      return { field: 'additionalInformation.crmId', note: SENT_AS_CRM_ID, isReference: false };
    case 'subclient.update':
    case 'payment.documents': {
      if (pathField === null) return null;
      const isNamed = looseName(key).endsWith(looseName(pathField));
      return { field: pathField, note: isNamed ? null : OWN_IDENTIFIER, isReference: false };
    }
    case 'counterparty.draft':
      return null;
    default:
      return operation satisfies never;
  }
}

const SENT_AS_CRM_ID = 'the key goes with the record as its CRM id';
const OWN_IDENTIFIER =
  'the path needs the identifier that the service gave: make sure that this column has it';

/** The line for a column, `null` where it needs none: its header says the field, and the field's own conversion does. */
export function proposeField(
  placement: Placement,
  values: readonly JsonValue[],
  lookUp: FieldLookup,
): ProposedField | null {
  if (placement.kind === 'open') return null;
  const { column, field } = placement;
  const meant = placement.kind === 'field' && placement.note !== null ? [placement.note] : [];
  if (placement.kind === 'field' && placement.isReference) {
    return { field, column, reading: { ref: 'subclient' }, notes: meant, isDecided: true };
  }
  const type = typeOf(field, lookUp);
  const chosen = type === null ? PLAIN : chooseReading(type, values, candidateReadings(type, values));
  if (placement.kind === 'itself' && isPlain(chosen)) return null;
  return { field, column, ...decide(chosen, type), notes: [...meant, ...notesOf(chosen, type)] };
}

const PLAIN: ChosenReading = { kind: 'reading', reading: {}, misfits: 0 };

function isPlain(chosen: ChosenReading): boolean {
  return chosen.kind === 'reading' && Object.keys(chosen.reading).length === 0;
}

function typeOf(field: string, lookUp: FieldLookup): LeafType | null {
  const parsed = parseFieldPath(field);
  const known = parsed.kind === 'path' ? lookUp(parsed.path) : null;
  return known?.kind === 'leaf' ? known.type : null;
}

/** Text is read in one way, so what doesn't fit spoils its rows only; a date or a number that nobody can read spoils the column. */
function decide(chosen: ChosenReading, type: LeafType | null): Pick<ProposedField, 'reading' | 'isDecided'> {
  if (chosen.kind === 'reading') return { reading: chosen.reading, isDecided: true };
  if (chosen.kind === 'several') return { reading: chosen.readings[0] ?? {}, isDecided: false };
  return { reading: {}, isDecided: type === null || ONE_WAY.has(type) };
}
