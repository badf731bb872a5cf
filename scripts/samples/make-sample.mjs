import { BROKEN_SAMPLES } from './broken-samples.mjs';
import { CUSTOM_SAMPLES } from './custom-samples.mjs';
import { DOCUMENT_SAMPLES } from './document-samples.mjs';
import { DRAFT_SAMPLES } from './draft-samples.mjs';
import { createRandom } from './random.mjs';
import { renderSample } from './render.mjs';
import { SUBCLIENT_SAMPLES } from './subclient-samples.mjs';

/** Every committed sample, in the order in which they are run. */
export const SAMPLES = [
  ...SUBCLIENT_SAMPLES,
  ...DRAFT_SAMPLES,
  ...DOCUMENT_SAMPLES,
  ...CUSTOM_SAMPLES,
  ...BROKEN_SAMPLES,
];

const SEED = 20_260_401;

/**
 * What a mistake says of a row that is no row to the reader, such as one of empty cells at the
 * file's end.
 */
const LEFT_OUT = 'left out';

/** The bytes of a sample's file; the same on every machine. */
export function makeSample(sample) {
  const random = createRandom(SEED);
  const records = rowNumbers(sample).map((row) => {
    const record = sample.record(random, row);
    return sample.mistakes.find((mistake) => mistake.row === row)?.edit?.(record) ?? record;
  });
  const bytes = renderSample(sample, records);
  return sample.whole?.(bytes) ?? bytes;
}

/**
 * Outcome → rows, against a fresh sandbox after the files in `before`; `null` where the file is
 * refused.
 */
export function expectedOutcomes(sample) {
  if (sample.refused !== undefined) return null;
  const counts = {};
  for (const row of rowNumbers(sample)) {
    const outcome = sample.mistakes.find((mistake) => mistake.row === row)?.outcome ?? sample.success;
    if (outcome !== LEFT_OUT) counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

/** Exit status of `onboard run` on the sample. */
export function expectedExitCode(sample) {
  const outcomes = expectedOutcomes(sample);
  if (outcomes === null) return 3;
  return ['invalid', 'rejected', 'denied', 'failed'].some((outcome) => outcome in outcomes) ? 1 : 0;
}

function rowNumbers(sample) {
  return Array.from({ length: sample.rows }, (_, index) => index + 1);
}
