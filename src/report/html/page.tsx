/**
 * report.html: the run on one page in one file. It has no script and loads nothing, and its policy
 * forbids both, so that a failed escape can do nothing. Under 1 MB for any run: every list and text
 * is cut.
 */
import { basename } from 'node:path';
import type { Child } from 'hono/jsx';
import { cut, Text } from '../../lib/html-text.tsx';
import { countOf, numberShown } from '../../lib/terminal.ts';
import { acceptedRows } from '../../model/outcome.ts';
import { sourceWords } from '../../model/source.ts';
import type { Summary } from '../summary.ts';
import { requestWords } from '../words.ts';
import { Facts, Time, targetShown } from './parts.tsx';
import { Causes, Damaged, Needing, Pace, type Page, Steps, Times, Total } from './sections.tsx';
import { POLICY, STYLE } from './style.ts';

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
          <Times page={page} />
          <Needing page={page} />
          <Damaged page={page} />
          <Reading page={page} />
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

const NOTES_SHOWN = 20;

function Reading({ page: { summary } }: Props) {
  const { source, rows } = summary;
  return (
    <section>
      <h2>How the file was read</h2>
      <p>
        <Text of={`${sourceWords(source)}; ${countOf(rows, 'row')}.`} />
      </p>
      {source.notes.slice(0, NOTES_SHOWN).map((note) => (
        <p>
          <Text of={note} />
        </p>
      ))}
    </section>
  );
}

function About({ page }: Props) {
  const { summary, version } = page;
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
