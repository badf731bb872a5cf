/** What a run comes to, in a headline and a few sentences: with it report and run page begin. */
import type { Child } from 'hono/jsx';
import { countOf, numberShown } from '../../../lib/terminal.ts';
import { type Account, isUntouched, toCorrect } from '../../../model/account.ts';
import { acceptedRows } from '../../../model/outcome.ts';
import { pendingRows, type Run } from '../../../model/run.ts';

type Counted = Pick<Run, 'rows' | 'outcomes' | 'state' | 'reason'>;

export function headlineOf({ outcomes, rows }: Counted, account: Account | null, run: string): string {
  if (rows === 0) return 'The file has no rows: nothing was sent';
  const answered = outcomes.listed || outcomes.adopted || acceptedRows(outcomes);
  // What was skipped is at the service, too: of its own file the run tells what the account does.
  const isOfAll = account?.delivery === run && account.rows === rows;
  const done = isOfAll ? account.atService : answered;
  const known = outcomes.adopted > 0 ? 'known by an id now' : 'at the service';
  const what = outcomes.listed > 0 ? 'answered' : known;
  return `${numberShown(done)} of ${countOf(rows, 'row')} ${done === 1 || rows === 1 ? 'is' : 'are'} ${what}`;
}

type VerdictProps = {
  readonly of: Counted;
  /** Of the file; `null`: unknown. */
  readonly account: Account | null;
  /** What is to be done about rows in doubt, and about those to correct. */
  readonly doubt: Child;
  readonly correct?: Child;
  readonly children?: Child;
};

export function Verdict({ of, account, doubt, correct = null, children }: VerdictProps) {
  const sentences = sentencesOf(of, account);
  const tone = (['bad', 'doubt', 'ok'] as const).find((one) => sentences.some((said) => said.tone === one));
  return (
    <div class={`verdict ${tone ?? 'none'}`}>
      {sentences.map((said) => (
        <p>
          <b class={`t-${said.tone}`} aria-hidden="true">
            {TONE_SIGN[said.tone]}
          </b>{' '}
          {said.words} {said.tone === 'doubt' ? doubt : null} {said.isToCorrect === true ? correct : null}
        </p>
      ))}
      {children}
    </div>
  );
}

type Tone = 'ok' | 'bad' | 'doubt' | 'none';
type Sentences = ReadonlyArray<{
  readonly tone: Tone;
  readonly words: string;
  /** Of rows that somebody can correct. */
  readonly isToCorrect?: true;
}>;

/** The sign before a sentence says what its colour says. */
const TONE_SIGN: Readonly<Record<Tone, string>> = { ok: '✓', bad: '✗', doubt: '?', none: '·' };

function sentencesOf(run: Counted, account: Account | null): Sentences {
  const { rejected, denied, failed, invalid, skipped, 'in-doubt': inDoubt } = run.outcomes;
  const isWhole = account === null || isUntouched(account);
  const bad = isWhole ? rejected + denied + failed + invalid : toCorrect(account);
  const said = [
    ...goingOn(run),
    ...ofRows('doubt', inDoubt, 'may exist at the service.'),
    ...ofRows('bad', bad, isWhole ? 'did not succeed: the causes are below.' : 'of the file to correct.').map(
      (said) => ({ ...said, isToCorrect: true as const }),
    ),
    ...ofRows(
      'none',
      skipped,
      `left out: ${skipped === 1 ? 'its key was' : 'their keys were'} known already.`,
    ),
  ];
  const isDone = pendingRows(run) === 0 && said.every(({ tone }) => tone === 'none');
  return isDone ? [{ tone: 'ok', words: 'Nothing is left to do.' }, ...said] : said;
}

function goingOn(run: Counted): Sentences {
  const { state, reason, outcomes } = run;
  if (state === 'cancelled')
    return [{ tone: 'bad', words: `The run was cancelled: ${countOf(outcomes.cancelled, 'row')} not sent.` }];
  if (state === 'finished') return [];
  const tone = state === 'paused' || state === 'stopped' ? 'bad' : 'none';
  const why = reason === null ? '' : ` (${reason})`;
  return ofRows(tone, pendingRows(run), `still to be sent: the run is ${state}${why}.`);
}

function ofRows(tone: Tone, rows: number, words: string): Sentences {
  return rows <= 0 ? [] : [{ tone, words: `${countOf(rows, 'row')} ${words}` }];
}
