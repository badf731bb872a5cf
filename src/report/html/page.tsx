/**
 * report.html: the run on one page in one file. It has no script and loads nothing, and its policy
 * forbids both, so that a failed escape can do nothing. Under 1 MB for any run: every list and text
 * is cut.
 */
import { basename } from 'node:path';
import type { Child } from 'hono/jsx';
import { Flow } from '../../lib/chart/flow.tsx';
import { cut, Prose, Text } from '../../lib/html-text.tsx';
import { asCalled, countOf, duration, numberShown } from '../../lib/terminal.ts';
import { warningAdvice } from '../../model/advice.ts';
import type { Notes } from '../../model/note.ts';
import { acceptedRows, kindsOf, wasSent } from '../../model/outcome.ts';
import { sourceWords } from '../../model/source.ts';
import { type Happening, tellStory } from '../../model/story.ts';
import { accountLine } from '../account.ts';
import { type Digest, needingRows } from '../digest.ts';
import { nextSteps } from '../next.ts';
import { remainderOf } from '../remainder.ts';
import type { Summary } from '../summary.ts';
import { stretchesOf } from '../timeline.ts';
import { requestWords, SUM_DEFECT } from '../words.ts';
import { CauseCard, NeedingTable, WhereInFile } from './causes.tsx';
import {
  Facts,
  kindWords,
  Latencies,
  Rates,
  Story,
  Sum,
  sumWords,
  Table,
  Time,
  targetShown,
  Wide,
} from './parts.tsx';
import { POLICY, STYLE } from './style.ts';

type Page = {
  readonly summary: Summary;
  readonly digest: Digest;
  readonly story: readonly Happening[];
  readonly notes: Notes;
  /** Where the report lies; empty in one to be mailed. */
  readonly directory: string;
  readonly command: string;
  readonly version: string;
};

type Props = { readonly page: Page };

export function renderReport(page: Page): string {
  return `<!doctype html>\n${(<Html page={page} />).toString()}\n`;
}

/** To be mailed: no keys, folders or target, and nothing of who asked or noted what. */
export function renderMailed({ summary, digest, story, version }: Page): string {
  const { target, file } = summary;
  const known = target === 'sandbox' ? target : '';
  // Row numbers name the rows: even a digest of a key could be guessed.
  const keyless = <Row extends { readonly key: string }>(row: Row): Row => ({ ...row, key: '' });
  const causes = digest.causes.map((cause) => ({ ...cause, examples: cause.examples.map(keyless) }));
  return renderReport({
    summary: { ...summary, target: known, file: basename(file), request: null },
    digest: { ...digest, causes, needing: digest.needing.map(keyless) },
    story: story.map((one) => ({ ...one, by: '', why: '' })),
    notes: new Map(),
    directory: '',
    command: 'onboard',
    version,
  });
}

function Html({ page }: Props) {
  const { headline } = verdictOf(page.summary);
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content={POLICY} />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <title>{`${cut(page.summary.job, 100)}: ${headline}`}</title>
        <style>{STYLE}</style>
      </head>
      <body>
        <main>
          <Head page={page} />
          <Total page={page} />
          <Steps page={page} />
          <Causes page={page} />
          <Pace page={page} />
          <Needing page={page} />
          <Damaged page={page} />
          <About page={page} />
          <Files page={page} />
        </main>
      </body>
    </html>
  );
}

function Head({ page }: Props) {
  const { summary } = page;
  const { headline, sentences, tone } = verdictOf(summary);
  const { target } = summary;
  return (
    <header>
      <p class="dim">
        {target === '' ? null : (
          <span class={`badge ${target === 'sandbox' ? 'sandbox' : 'real'}`}>
            <Text of={targetShown(target)} bytes={100} />
          </span>
        )}
        <Text of={summary.job} bytes={100} /> · <Text of={basename(summary.file)} /> · run {summary.run}
      </p>
      <h1>{headline}</h1>
      <div class={`verdict ${tone}`}>
        {sentences.map((said) => (
          <p>
            <b class={`t-${said.tone}`} aria-hidden="true">
              {TONE_SIGN[said.tone]}
            </b>{' '}
            {said.words}
          </p>
        ))}
        {summary.request === null ? null : (
          <p>
            By <Text of={requestWords(summary.request)} />.
          </p>
        )}
      </div>
    </header>
  );
}

type Verdict = {
  readonly headline: string;
  readonly sentences: ReadonlyArray<{ readonly tone: Tone; readonly words: string }>;
  readonly tone: Tone;
};
type Tone = 'ok' | 'bad' | 'doubt' | 'none';

/** The sign before a sentence says what its colour says. */
const TONE_SIGN: Readonly<Record<Tone, string>> = { ok: '✓', bad: '✗', doubt: '?', none: '·' };

function verdictOf(summary: Summary): Verdict {
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

function Total({ page: { summary } }: Props) {
  const { outcomes, rows, controlTotal, records } = summary;
  const accepted = acceptedRows(outcomes);
  return (
    <section>
      <h2>Where the rows went</h2>
      <p>
        <Sum outcomes={outcomes} rows={rows} /> {controlTotal.holds ? <b>✓ the sum holds</b> : null}
      </p>
      {controlTotal.holds ? null : (
        <p class="alarm" role="alert">
          {SUM_DEFECT}
        </p>
      )}
      {records === null || records === accepted ? null : (
        <p class="dim">{`${countOf(accepted, 'row')} in ${countOf(records, 'record')}`}</p>
      )}
      {summary.account === null ? null : (
        <p class="dim">
          Account of the file, when this was written: <Text of={accountLine(summary.account)} />
        </p>
      )}
      {rows === 0 ? null : <FlowOf summary={summary} />}
    </section>
  );
}

function FlowOf({ summary }: Pick<Page, 'summary'>) {
  const kinds = kindsOf(summary);
  const ends = kinds.map(([kind, n]) => ({ kind, label: kindWords(kind), rows: n }));
  const branches = [
    { label: 'sent', ends: ends.filter(({ kind }) => kind !== 'open' && wasSent(kind)) },
    { label: 'not sent', ends: ends.filter(({ kind }) => kind !== 'open' && !wasSent(kind)) },
    { label: 'still to send', ends: ends.filter(({ kind }) => kind === 'open') },
  ].filter((branch) => branch.ends.length > 0);
  const { rows } = summary;
  return (
    <Wide name="Picture: where the rows went">
      <Flow title={`Of ${countOf(rows, 'row')}: ${sumWords(kinds)}`} rows={rows} branches={branches} />
    </Wide>
  );
}

function Steps({ page }: Props) {
  const { summary, directory, command: called } = page;
  const steps = nextSteps(summary, { directory });
  if (steps.length === 0) return null;
  return (
    <section>
      <h2>What to do</h2>
      <ol>
        {steps.map(({ words, commands }) => (
          <li>
            <Prose of={words.join(' ')} />
            {commands.map((command, i) => (
              <>
                {i === 0 ? null : <p>or</p>}
                <pre tabindex={0}>{asCalled(command, { command: called })}</pre>
              </>
            ))}
          </li>
        ))}
      </ol>
    </section>
  );
}

const CAUSES_SHOWN = 100;

function Causes({ page }: Props) {
  const { digest, notes } = page;
  const shown = digest.causes.slice(0, CAUSES_SHOWN);
  const rest = digest.causes.slice(CAUSES_SHOWN).reduce((sum, { count }) => sum + count, digest.others);
  if (shown.length === 0) return null;
  return (
    <section>
      <h2>{`Why ${countOf(needingRows(digest), 'row')} did not succeed`}</h2>
      <WhereInFile digest={digest} />
      {shown.map((cause) => (
        <CauseCard cause={cause} digest={digest} note={notes.get(cause.id) ?? null} />
      ))}
      {rest === 0 ? null : <p class="dim">{`${countOf(rest, 'row')} more for other causes.`}</p>}
    </section>
  );
}

const STORY_SHOWN = 40;

function Pace({ page: { summary, digest, story: happened } }: Props) {
  const whole = tellStory(summary, happened);
  const story = whole.slice(-STORY_SHOWN);
  const stretches = stretchesOf(digest.moments, whole);
  if (stretches.length === 0 && story.length === 0) return null;
  return (
    <section>
      <h2>How it went</h2>
      <Rates stretches={stretches} story={story} />
      <Latencies digest={digest} />
      <p>{tookWords(summary)}</p>
      <Story story={story} />
    </section>
  );
}

function tookWords({ startedAt, finishedAt, writtenAt, rowsPerSecond }: Page['summary']): string {
  if (startedAt === null) return 'The run has not begun.';
  const seconds = (Date.parse(finishedAt ?? writtenAt) - Date.parse(startedAt)) / 1_000;
  const since = finishedAt === null ? 'So far' : 'The run took';
  return `${since} ${duration(seconds)}, ${numberShown(Math.round(rowsPerSecond))} rows per second, pauses included.`;
}

const SCREENFUL = 25;

/** A screenful, those in doubt first, and the rest folded up. */
function Needing({ page }: Props) {
  const { needing } = page.digest;
  if (needing.length === 0) return null;
  const more = needingRows(page.digest) - needing.length;
  const files = page.summary.files.filter((file) => remainderOf(file) !== null);
  const folded = needing.slice(SCREENFUL);
  return (
    <section>
      <h2>Rows that need somebody</h2>
      <NeedingTable rows={needing.slice(0, SCREENFUL)} label="Rows that need somebody" />
      {folded.length === 0 ? null : (
        <details>
          <summary>{`The next ${countOf(folded.length, 'row')}`}</summary>
          <NeedingTable rows={folded} label="The next rows that need somebody" />
        </details>
      )}
      {more === 0 ? null : <p>{`${numberShown(more)} more in ${files.join(', ')}.`}</p>}
    </section>
  );
}

const WARNINGS_SHOWN = 50;

function Damaged({ page: { summary } }: Props) {
  const warnings = summary.topWarnings.slice(0, WARNINGS_SHOWN);
  if (warnings.length === 0) return null;
  return (
    <section>
      <h2>Cells that look damaged</h2>
      <p>
        Sent as they stand, unless it says otherwise; results.csv names the columns. <code>checks</code> in
        the job definition can keep such rows back.
      </p>
      <Table
        name="Cells that look damaged"
        heads={[{ n: 'cells' }, 'what', 'column', 'for example']}
        rows={warnings.map(({ code, column = '', count, exampleRow }) => [
          numberShown(count),
          <>
            <Text of={code} bytes={60} /> {warningAdvice(code)}
          </>,
          <Text of={column} bytes={150} />,
          `row ${numberShown(exampleRow)}`,
        ])}
      />
    </section>
  );
}

const NOTES_SHOWN = 20;

function About({ page }: Props) {
  const { summary, version } = page;
  const { source } = summary;
  const times = [
    ['registered', summary.createdAt],
    ['began', summary.startedAt],
    ['ended', summary.finishedAt],
    ['report written', summary.writtenAt],
  ] as const;
  const facts: ReadonlyArray<readonly [string, Child]> = [
    [
      'run',
      <>
        <code>{summary.run}</code>, {summary.state}
        {summary.parent === null ? '' : `, a rerun of rows of ${summary.parent}`}
      </>,
    ],
    [
      'job',
      <>
        <Text of={summary.job} bytes={100} />, operation <Text of={summary.operation} bytes={100} />
      </>,
    ],
    ...(summary.target === '' ? [] : [['target', <Text of={summary.target} />] as const]),
    [
      'file',
      <>
        <Text of={summary.file} bytes={600} />
        <br />
        <span class="dim mono">sha256 {summary.sha256}</span>
      </>,
    ],
    ['read as', <Text of={`${sourceWords(source)}; ${countOf(summary.rows, 'row')}`} />],
    ...source.notes.slice(0, NOTES_SHOWN).map((note) => ['note', <Text of={note} />] as const),
    ...times.flatMap(([name, at]) => (at === null ? [] : [[name, <Time at={at} />] as const])),
    ['program', `onboard ${version}`],
  ];
  return (
    <section>
      <h2>About this run</h2>
      <Facts of={facts} />
    </section>
  );
}

/** Files beside this page; a mailed page has none. */
function Files({ page: { summary, directory } }: Props) {
  if (directory === '') return null;
  return (
    <section>
      <h2>The other files</h2>
      <ul>
        {['summary.json', ...summary.files.filter((file) => !file.startsWith('report'))].map((file) => (
          <li>
            <a href={file}>{file}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}
