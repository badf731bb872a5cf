import type { Decision } from '../model/resolution.ts';
import type { Settlement } from '../model/settlement.ts';
import type { Sighting } from '../service/look-up.ts';

/** What a look-up makes of a row in doubt: a decision, or the row's settlement with what was found. */
export type Conclusion =
  | { readonly kind: 'decided'; readonly decision: Decision }
  | { readonly kind: 'open'; readonly note: Settlement };

type Circumstances = {
  /** Not found means not created. */
  readonly absenceIsProof: boolean;
  /** The rows of the run that the found record would belong to: more than this one, and the look-up is no proof. */
  readonly sharedBy: readonly number[];
  readonly at: Date;
};

const LOOKED_UP = '; looked up at ';
const ROWS_NAMED = 3;

/** Decides by what the service knows of the row's key; whatever is no proof leaves the row in doubt. Pure. */
export function conclude(doubt: Settlement, sighting: Sighting, circumstances: Circumstances): Conclusion {
  switch (sighting.kind) {
    case 'found':
      return concludeFound(doubt, sighting.id, circumstances);
    case 'found-twice': {
      const others =
        sighting.count > sighting.ids.length ? ` and ${sighting.count - sighting.ids.length} more` : '';
      const what = `found ${sighting.count} times, as ${sighting.ids.join(', ')}${others}`;
      return { kind: 'open', note: noted({ ...doubt, code: 'found_twice' }, what, circumstances) };
    }
    case 'not-found':
      if (circumstances.absenceIsProof) return { kind: 'decided', decision: { kind: 'not-created' } };
      return { kind: 'open', note: noted(doubt, 'not found, which is no proof', circumstances) };
    case 'unclear':
      return { kind: 'open', note: noted(doubt, sighting.why, circumstances) };
    default:
      return sighting satisfies never;
  }
}

function concludeFound(doubt: Settlement, id: string, circumstances: Circumstances): Conclusion {
  const { sharedBy } = circumstances;
  if (sharedBy.length <= 1) return { kind: 'decided', decision: { kind: 'created', id } };
  const rows = [...sharedBy].sort((a, b) => a - b);
  const more = rows.length > ROWS_NAMED ? ` and ${rows.length - ROWS_NAMED} more` : '';
  const what = `found as ${id}, but so were rows ${rows.slice(0, ROWS_NAMED).join(', ')}${more}: does the path of the look-up tell keys apart?`;
  return { kind: 'open', note: noted(doubt, what, circumstances) };
}

/** What an earlier look-up said gives way. */
function noted(doubt: Settlement, what: string, { at }: Circumstances): Settlement {
  const [before = ''] = doubt.message.split(LOOKED_UP);
  return { ...doubt, message: `${before}${LOOKED_UP}${at.toISOString()}: ${what}` };
}
