/**
 * report.html: the run on one page in one file. It has no script and loads nothing, and its policy
 * forbids both, so that a failed escape can do nothing. Under 1 MB for any run: every list and text
 * is cut.
 */
import { basename } from 'node:path';
import type { Child } from 'hono/jsx';
import { cut, Text } from '../../lib/html-text.tsx';
import { countOf } from '../../lib/terminal.ts';
import { sourceWords } from '../../model/source.ts';
import { requestWords } from '../words.ts';
import { Facts, Time, targetShown } from './parts.tsx';
import { Causes, Damaged, Needing, Pace, type Page, Steps, Times, Total } from './sections.tsx';
import { POLICY, STYLE } from './style.ts';
import { TONE_SIGN, verdictOf } from './words.ts';

type Props = { readonly page: Page };

export function renderReport(page: Page): string {
  return `<!doctype html>\n${(<Html page={page} />).toString()}\n`;
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
  const { summary, isShared } = page;
  const { headline, sentences, tone } = verdictOf(summary);
  const isSandbox = summary.target === 'sandbox';
  return (
    <header>
      <p class="dim">
        {isShared && !isSandbox ? null : (
          <span class={`badge ${isSandbox ? 'sandbox' : 'real'}`}>
            <Text of={targetShown(summary.target)} bytes={100} />
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
  const { summary, version, isShared } = page;
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
    ...(isShared ? [] : [['target', <Text of={summary.target} />] as const]),
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
function Files({ page: { summary, isShared } }: Props) {
  if (isShared) return null;
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
