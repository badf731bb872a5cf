/**
 * The report's verdict in sentences: how many rows are where they belong, what they need, and
 * whether the run goes on. Many people read only the first.
 */
import { countOf, numberShown } from '../../lib/terminal.ts';
import { acceptedRows } from '../../model/outcome.ts';
import type { Summary } from '../summary.ts';

type Verdict = {
  readonly headline: string;
  readonly sentences: ReadonlyArray<{ readonly tone: Tone; readonly words: string }>;
  readonly tone: Tone;
};
type Tone = 'ok' | 'bad' | 'doubt' | 'none';

/** The sign before a sentence says what its colour says. */
export const TONE_SIGN: Readonly<Record<Tone, string>> = { ok: '✓', bad: '✗', doubt: '?', none: '·' };

export function verdictOf(summary: Summary): Verdict {
  const { outcomes, rows } = summary;
  const done = outcomes.listed > 0 ? outcomes.listed : acceptedRows(outcomes);
  const what = outcomes.listed > 0 ? 'answered' : 'at the service';
  const headline =
    rows === 0
      ? 'The file has no rows: nothing was sent'
      : `${numberShown(done)} of ${countOf(rows, 'row')} ${done === 1 || rows === 1 ? 'is' : 'are'} ${what}`;
  const said = [
    ...goingOn(summary),
    ...inDoubt(outcomes['in-doubt']),
    ...toCorrect(summary),
    ...leftOut(summary),
  ];
  const needsNobody = said.every(({ tone }) => tone === 'none');
  const sentences = needsNobody ? [{ tone: 'ok', words: 'Nothing is left to do.' } as const, ...said] : said;
  const tone = (['bad', 'doubt', 'ok'] as const).find((one) => sentences.some((said) => said.tone === one));
  return { headline, sentences, tone: tone ?? 'none' };
}

type Sentences = Verdict['sentences'];

function inDoubt(rows: number): Sentences {
  if (rows === 0) return [];
  const words = `${countOf(rows, 'row')} may exist at the service: look ${rows === 1 ? 'it' : 'them'} up before anything else.`;
  return [{ tone: 'doubt', words }];
}

function toCorrect({ outcomes }: Summary): Sentences {
  const { rejected, denied, failed, invalid } = outcomes;
  const rows = rejected + denied + failed + invalid;
  if (rows === 0) return [];
  return [{ tone: 'bad', words: `${countOf(rows, 'row')} did not succeed: the causes are below.` }];
}

function goingOn({ state, reason, open, outcomes }: Summary): Sentences {
  if (state === 'cancelled')
    return [{ tone: 'bad', words: `The run was cancelled: ${countOf(outcomes.cancelled, 'row')} not sent.` }];
  if (state === 'finished' || open === 0) return [];
  const why = reason === null ? '' : ` (${reason})`;
  const isHeld = state === 'paused' || state === 'stopped';
  const words = `${countOf(open, 'row')} still to be sent: the run is ${state}${why}.`;
  return [{ tone: isHeld ? 'bad' : 'none', words }];
}

function leftOut({ outcomes: { skipped } }: Summary): Sentences {
  if (skipped === 0) return [];
  const words = `${countOf(skipped, 'row')} left out: ${skipped === 1 ? 'its key was' : 'their keys were'} known already.`;
  return [{ tone: 'none', words }];
}
