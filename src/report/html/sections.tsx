/** The sections of report.html about a run's rows. Each is empty where there is nothing to say. */
import { Prose, Text } from '../../lib/html-text.tsx';
import { asCalled, countOf, duration, numberShown } from '../../lib/terminal.ts';
import { warningAdvice } from '../../model/advice.ts';
import type { Notes } from '../../model/note.ts';
import { acceptedRows } from '../../model/outcome.ts';
import { type Happening, tellStory } from '../../model/story.ts';
import { type Digest, needingRows } from '../digest.ts';
import { nextSteps } from '../next.ts';
import { remainderOf } from '../remainder.ts';
import type { Summary } from '../summary.ts';
import { stretchesOf } from '../timeline.ts';
import { SUM_DEFECT } from '../words.ts';
import { CauseCard, NeedingTable, WhereInFile } from './causes.tsx';
import { Bar, Latencies, Rates, Story, Sum, Table } from './parts.tsx';

export type Page = {
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

export function Total({ page: { summary } }: Props) {
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
      {rows === 0 ? null : <Bar outcomes={outcomes} rows={rows} />}
    </section>
  );
}

export function Steps({ page }: Props) {
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

export function Causes({ page }: Props) {
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

export function Pace({ page: { summary, digest, story: happened } }: Props) {
  const whole = tellStory(summary, happened);
  const story = whole.slice(-STORY_SHOWN);
  const stretches = stretchesOf(digest.moments, whole);
  if (stretches.length === 0 && story.length === 0) return null;
  return (
    <section>
      <h2>How it went</h2>
      <Rates stretches={stretches} story={story} />
      <Story story={story} />
    </section>
  );
}

export function Times({ page: { digest, summary } }: Props) {
  if (digest.latency === null) return null;
  return (
    <section>
      <h2>Time</h2>
      <Latencies digest={digest} />
      <p>{tookWords(summary)}</p>
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
export function Needing({ page }: Props) {
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

export function Damaged({ page: { summary } }: Props) {
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
