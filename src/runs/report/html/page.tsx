/**
 * report.html: the run on one page in one file. It has no script and loads nothing, and its policy
 * forbids both, so that a failed escape can do nothing. Under 1 MB for any run: every list and text
 * is cut.
 */
import { basename } from 'node:path';
import type { Child } from 'hono/jsx';
import { stringify } from 'yaml';
import type { JobDefinition } from '../../../config/job-definition.ts';
import { Flow } from '../../../lib/chart/flow.tsx';
import { Called, cut, Lines, Prose, Text } from '../../../lib/html-text.tsx';
import { asCalled, countOf, duration, numberShown } from '../../../lib/terminal.ts';
import type { Notes } from '../../../model/note.ts';
import { acceptedRows, kindsOf, wasSent } from '../../../model/outcome.ts';
import { sourceWords } from '../../../model/source.ts';
import { type Happening, tellStory } from '../../../model/story.ts';
import { warningAdvice } from '../advice.ts';
import { type CauseIds, isNewCause } from '../causes.ts';
import { type Digest, needingRows } from '../digest.ts';
import { nextSteps } from '../next.ts';
import { remainderOf } from '../remainder.ts';
import type { Summary } from '../summary.ts';
import { stretchesOf } from '../timeline.ts';
import {
  accountLine,
  againstWords,
  approvalFacts,
  requestWords,
  SUM_DEFECT,
  unusualFacts,
} from '../words.ts';
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
import { headlineOf, Verdict } from './verdict.tsx';

type Page = {
  readonly summary: Summary;
  readonly digest: Digest;
  readonly story: readonly Happening[];
  readonly notes: Notes;
  readonly knownCauses: CauseIds;
  /** `null`: the ledger no longer has it. */
  readonly definition: JobDefinition | null;
  /** Where the report lies. */
  readonly directory: string;
  readonly command: string;
  readonly version: string;
};

type Props = { readonly page: Page };

export function renderReport(page: Page): string {
  const html = (
    <Called.Provider value={page.command}>
      <Html page={page} />
    </Called.Provider>
  );
  return `<!doctype html>\n${html.toString()}\n`;
}

function Html({ page }: Props) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content={POLICY} />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <title>{`${cut(page.summary.job, 100)}: ${headlineOf(page.summary, page.summary.account, page.summary.run)}`}</title>
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
          <Differing page={page} />
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
  const { target, outcomes } = summary;
  const them = outcomes['in-doubt'] === 1 ? 'it' : 'them';
  return (
    <header>
      <p class="dim">
        <span class={`badge ${target === 'sandbox' ? 'sandbox' : 'real'}`}>
          <Text of={targetShown(target)} bytes={100} />
        </span>
        <Text of={summary.job} bytes={100} /> · <Text of={basename(summary.file)} /> · run {summary.run}
      </p>
      <h1>{headlineOf(summary, summary.account, summary.run)}</h1>
      <Verdict of={summary} account={summary.account} doubt={`Look ${them} up before anything else.`}>
        {summary.request === null ? null : (
          <p>
            By <Text of={requestWords(summary.request)} />.
          </p>
        )}
      </Verdict>
    </header>
  );
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
      {summary.against === null ? null : <p class="dim">{againstWords(summary.against)}</p>}
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
    { label: 'sent', ends: ends.filter(({ kind }) => kind !== 'pending' && wasSent(kind)) },
    { label: 'not sent', ends: ends.filter(({ kind }) => kind !== 'pending' && !wasSent(kind)) },
    { label: 'still to send', ends: ends.filter(({ kind }) => kind === 'pending') },
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
      <p class="dim">A click on a command selects all of it, to be copied.</p>
      <ol>
        {steps.map(({ words, commands }) => (
          <li>
            <Prose of={words.join(' ')} />
            {commands.map((command, i) => (
              <>
                {i === 0 ? null : <p>or</p>}
                <pre class="command">{asCalled(command, { command: called })}</pre>
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
  const { digest, notes, knownCauses } = page;
  const shown = digest.causes.slice(0, CAUSES_SHOWN);
  const rest = digest.causes.slice(CAUSES_SHOWN).reduce((sum, { count }) => sum + count, digest.others);
  if (shown.length === 0) return null;
  return (
    <section>
      <h2>{`Why ${countOf(needingRows(digest), 'row')} did not succeed`}</h2>
      <WhereInFile digest={digest} />
      {shown.map((cause) => (
        <CauseCard cause={cause} digest={digest} note={notes.get(cause.id) ?? null}>
          {isNewCause(cause, knownCauses) ? <p class="badge">new since the last run</p> : null}
        </CauseCard>
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
      <div class="two">
        <Rates stretches={stretches} story={story} />
        <Latencies digest={digest} />
      </div>
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
  const where = ` in ${files.join(', ')}`;
  const folded = needing.slice(SCREENFUL);
  return (
    <section>
      <h2>Rows that need attention</h2>
      <NeedingTable rows={needing.slice(0, SCREENFUL)} label="Rows that need attention" />
      {folded.length === 0 ? null : (
        <details>
          <summary>{`The next ${countOf(folded.length, 'row')}`}</summary>
          <NeedingTable rows={folded} label="The next rows that need attention" />
        </details>
      )}
      {more === 0 ? null : <p>{`${numberShown(more)} more${where}.`}</p>}
    </section>
  );
}

const WARNINGS_SHOWN = 50;

/** Rows of known records, of which nothing was sent or not all, and rows with a known account. */
function Differing({ page }: Props) {
  const warnings = page.summary.topWarnings.filter(({ code }) => warningAdvice(code) !== '');
  if (warnings.length === 0) return null;
  return (
    <section>
      <h2>Against what is known</h2>
      <Table
        name="Against what is known"
        heads={[{ n: 'rows' }, 'what', 'for example']}
        rows={warnings.map(({ code, count, exampleRow }) => [
          numberShown(count),
          <>
            <Text of={code} bytes={60} /> {warningAdvice(code)}
          </>,
          `row ${numberShown(exampleRow)}`,
        ])}
      />
    </section>
  );
}

function Damaged({ page }: Props) {
  const sent = page.summary.topWarnings.filter(({ code }) => warningAdvice(code) === '');
  const warnings = sent.slice(0, WARNINGS_SHOWN);
  if (warnings.length === 0) return null;
  return (
    <section>
      <h2>Cells that look damaged</h2>
      <p>
        Sent as they stand. results.csv names the columns; <code>checks</code> in the job definition can keep
        such rows back.
      </p>
      <Table
        name="Cells that look damaged"
        heads={[{ n: 'cells' }, 'what', 'column', 'for example']}
        rows={warnings.map(({ code, column = '', count, exampleRow }) => [
          numberShown(count),
          <Text of={code} bytes={60} />,
          <Text of={column} bytes={150} />,
          `row ${numberShown(exampleRow)}`,
        ])}
      />
    </section>
  );
}

const NOTES_SHOWN = 20;
const DEFINITION_BYTES = 10_000;

function About({ page }: Props) {
  const { summary, definition, version } = page;
  const { source, audit } = summary;
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
    ['target', <Text of={summary.target} />],
    [
      'file',
      <>
        <Text of={summary.file} bytes={600} />
        <br />
        <span class="dim mono">sha256 {summary.sha256}</span>
      </>,
    ],
    ...[...approvalFacts(summary), ...unusualFacts(summary)].map(
      ([name, words]) => [name, <Text of={words} />] as const,
    ),
    ['read as', <Text of={`${sourceWords(source)}; ${countOf(summary.rows, 'row')}`} />],
    ...source.notes.slice(0, NOTES_SHOWN).map((note) => ['note', <Text of={note} />] as const),
    ...times.flatMap(([name, at]) => (at === null ? [] : [[name, <Time at={at} />] as const])),
    ['program', `onboard ${version}`],
    ...(audit === null ? [] : [['audit', `entry ${audit.n}, sha256 ${audit.head}`] as const]),
  ];
  return (
    <section>
      <h2>About this run</h2>
      <Facts of={facts} />
      {definition === null ? null : (
        <details>
          <summary>The job definition, with its defaults</summary>
          <pre tabindex={0}>
            <Lines of={stringify(definition)} bytes={DEFINITION_BYTES} />
          </pre>
        </details>
      )}
    </section>
  );
}

/** Files beside this page. */
function Files({ page: { summary } }: Props) {
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
