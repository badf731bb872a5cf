/**
 * The sections of report.html that say what became of the rows and what to do: the sum and its picture, the steps, the causes,
 * time, and the rows that need somebody. Each is empty where there is nothing to say.
 */
import { Flow } from '../../lib/chart/flow.tsx';
import { Histogram } from '../../lib/chart/histogram.tsx';
import { StackedStrip, Strip } from '../../lib/chart/strip.tsx';
import { asCalled, countOf, numberShown } from '../../lib/terminal.ts';
import type { Latency, RowCause } from '../../model/digest.ts';
import { OUTCOMES, type Outcome } from '../../model/outcome.ts';
import { UNTOLD } from '../cause.ts';
import { needingRows } from '../digest.ts';
import { nextSteps } from '../next.ts';
import { remainderOf } from '../remainder.ts';
import { columnsShown, keyShown, type Page, wordsShown } from './model.ts';
import { Prose, Text } from './text.tsx';
import { outcomeWords, wasSent } from './words.ts';

type Props = { readonly page: Page };

/** A kind of rows in a picture: an outcome, or none yet. */
type Kind = Outcome | 'open';

function Swatch({ kind }: { readonly kind: Kind }) {
  return (
    <span class="sw">
      <svg viewBox="0 0 8 8" aria-hidden="true">
        <rect width="8" height="8" class={`f-${kind}`} />
      </svg>
    </span>
  );
}

/** The control total as a sum, and as a picture of where the rows went. */
export function Total({ page: { summary } }: Props) {
  const { outcomes, open, rows, controlTotal, records } = summary;
  const found: ReadonlyArray<readonly [Kind, number]> = [
    ...OUTCOMES.map((outcome) => [outcome, outcomes[outcome]] as const),
    ['open', open] as const,
  ];
  const kinds = found.filter(([, n]) => n > 0);
  const sum = kinds.map(([kind, n]) => `${numberShown(n)} ${kindWords(kind)}`).join(' + ');
  return (
    <section>
      <h2>Where the rows went</h2>
      <p>
        {numberShown(rows)} = {sum === '' ? '0' : sum} {controlTotal.holds ? <b>✓ the sum holds</b> : null}
      </p>
      {controlTotal.holds ? null : (
        <p class="alarm" role="alert">
          This sum does not hold: rows were lost or counted twice. That is a defect of this program: keep the
          report and the ledger, and report it.
        </p>
      )}
      {records === null || rows === 0 ? null : <Records accepted={summary} />}
      {rows === 0 ? null : <FlowOf kinds={kinds} rows={rows} />}
    </section>
  );
}

function Records({ accepted: { outcomes, records } }: { readonly accepted: Page['summary'] }) {
  const rows = outcomes.created + outcomes.updated + outcomes.drafted + outcomes.listed;
  if (records === null || records === rows) return null;
  return <p class="dim">{`${countOf(rows, 'row')} in ${countOf(records, 'record')}`}</p>;
}

function kindWords(kind: Kind): string {
  return kind === 'open' ? 'open' : outcomeWords(kind);
}

type FlowOfProps = { readonly kinds: ReadonlyArray<readonly [Kind, number]>; readonly rows: number };

function FlowOf({ kinds, rows }: FlowOfProps) {
  const ends = kinds.map(([kind, n]) => ({ kind, label: kindWords(kind), rows: n }));
  const branches = [
    { label: 'sent', ends: ends.filter(({ kind }) => kind !== 'open' && wasSent(kind)) },
    { label: 'not sent', ends: ends.filter(({ kind }) => kind !== 'open' && !wasSent(kind)) },
    { label: 'still to send', ends: ends.filter(({ kind }) => kind === 'open') },
  ].filter((branch) => branch.ends.length > 0);
  const title = `Of ${countOf(rows, 'row')}: ${kinds.map(([kind, n]) => `${n} ${kindWords(kind)}`).join(', ')}`;
  return (
    <section class="wide" tabindex={0} aria-label="Picture: where the rows went">
      <Flow title={title} whole={{ label: 'rows in the file', rows }} branches={branches} />
    </section>
  );
}

/** What to do, in order, with the commands. */
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
  const { causes, others } = page.digest;
  const shown = causes.slice(0, CAUSES_SHOWN);
  const rest = causes.slice(CAUSES_SHOWN).reduce((sum, { count }) => sum + count, others);
  if (shown.length === 0) return null;
  const total = needingRows(page.digest);
  return (
    <section>
      <h2>{`Why ${countOf(total, 'row')} did not succeed`}</h2>
      <WhereInFile page={page} />
      {shown.map((cause) => (
        <Cause cause={cause} total={total} page={page} />
      ))}
      {rest === 0 ? null : <p class="dim">{`${countOf(rest, 'row')} more for other causes.`}</p>}
    </section>
  );
}

/** All rows by their place in the file: shows a stretch in which everything fails. */
function WhereInFile({ page: { digest } }: Props) {
  const kinds = OUTCOMES.flatMap((kind) => {
    const parts = digest.where[kind];
    return parts === undefined ? [] : [{ kind, parts }];
  });
  const parts = kinds[0]?.parts.length ?? 0;
  if (parts < LEAST_PARTS) return null;
  return (
    <figure>
      <figcaption class="dim">All rows of the file in their order, by what became of them</figcaption>
      <StackedStrip title="Outcomes by place in the file" kinds={kinds} parts={parts} rows={digest.rows} />
      <Ends rows={digest.rows} />
      <ul class="legend">
        {kinds.map(({ kind }) => (
          <li>
            <Swatch kind={kind} />
            {outcomeWords(kind)}
          </li>
        ))}
      </ul>
    </figure>
  );
}

/** A picture of fewer rows than this says less than their numbers. */
const LEAST_PARTS = 10;

function Ends({ rows }: { readonly rows: number }) {
  return (
    <p class="ends dim">
      <span>row 1</span>
      <span>row {numberShown(rows)}</span>
    </p>
  );
}

type CauseProps = Props & { readonly cause: RowCause; readonly total: number };

function Cause({ cause, total, page }: CauseProps) {
  const { outcome, code, count, advice, where } = cause;
  return (
    <section class="cause">
      <h3>
        <span class="count">{numberShown(count)}</span>
        <span>
          <Swatch kind={outcome} />
          {outcomeWords(outcome)}
        </span>
        <span class="dim">
          <Text of={code} bytes={60} />
        </span>
        <span class="dim">{shareOf(count, total)}</span>
      </h3>
      <p class="said">
        <Said cause={cause} page={page} />
      </p>
      {where.length < LEAST_PARTS ? null : (
        <>
          <Strip
            title={`Where in the file: rows ${numberShown(cause.first)} to ${numberShown(cause.last)}`}
            kind={outcome}
            parts={where}
            rows={page.digest.rows}
          />
          <Ends rows={page.digest.rows} />
        </>
      )}
      {advice === '' ? null : (
        <p>
          → <Prose of={advice} />
        </p>
      )}
      <p class="dim">
        <Examples cause={cause} page={page} />
      </p>
    </section>
  );
}

function shareOf(count: number, total: number): string {
  const share = (100 * count) / total;
  return count === total ? 'all of them' : share < 1 ? 'under 1 %' : `${Math.floor(share)} %`;
}

/** The cause's text: fields that it names stand first, with the columns that they are made of. */
function Said({ cause, page }: Omit<CauseProps, 'total'>) {
  const { text, fields, columns } = cause;
  const rest = text
    .split(' | ')
    .filter((part) => !part.startsWith('@') && part !== UNTOLD)
    .join(' · ');
  const isUntold = text === UNTOLD || (fields.length > 0 && rest === '');
  return (
    <>
      {fields.map((field) => (
        <>
          <span class="field">
            <Text of={field} bytes={100} />
          </span>{' '}
        </>
      ))}
      {fields.length === 0 || columns.length === 0 ? null : (
        <>
          ({columns.length === 1 ? 'column' : 'columns'} <Text of={columns.join(', ')} bytes={200} />){' '}
        </>
      )}
      {isUntold
        ? 'What the service says of these rows is in rejections.jsonl: each has words of its own.'
        : null}
      {text === '' && cause.outcome === 'rejected' ? 'The service does not say why.' : null}
      <Text of={wordsShown(rest, page)} />
    </>
  );
}

function Examples({ cause: { examples, count }, page }: Omit<CauseProps, 'total'>) {
  const names = columnsShown(page);
  return (
    <>
      {examples.length === 1 ? 'Row' : 'Rows'}{' '}
      {examples.map(({ row, line, key, shown }, i) => (
        <>
          {i === 0 ? '' : ' · '}
          {numberShown(row)} (line {numberShown(line)}
          {key === '' ? null : (
            <>
              , <Text of={keyShown(key, page)} bytes={KEY_BYTES} />
            </>
          )}
          {names.map((_, at) =>
            shown[at] === undefined || shown[at] === '' ? null : (
              <>
                , <Text of={shown[at]} bytes={CELL_BYTES} />
              </>
            ),
          )}
          )
        </>
      ))}
      {count > examples.length ? ' · …' : ''}
    </>
  );
}

const KEY_BYTES = 130;
const CELL_BYTES = 80;

/** How long the service took, and with which statuses it answered. */
export function Times({ page: { digest, summary } }: Props) {
  const { latency, statuses } = digest;
  if (latency === null) return null;
  return (
    <section>
      <h2>Time</h2>
      <div class="two">
        <figure>
          <figcaption>{latencyWords(latency)}</figcaption>
          <Histogram
            title={latencyWords(latency)}
            bars={latency.buckets.map(({ from, rows }) => ({ label: msShown(from), count: rows }))}
          />
          <details>
            <summary>The numbers</summary>
            <table class="short">
              <thead>
                <tr>
                  <th class="n">from</th>
                  <th class="n">below</th>
                  <th class="n">rows</th>
                </tr>
              </thead>
              <tbody>
                {latency.buckets.map(({ from, to, rows }) => (
                  <tr>
                    <td class="n">{msShown(from)}</td>
                    <td class="n">{msShown(to)}</td>
                    <td class="n">{numberShown(rows)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </details>
        </figure>
        <div>
          <p>{tookWords(summary)}</p>
          <table class="short">
            <caption>Last answers</caption>
            <thead>
              <tr>
                <th>status</th>
                <th class="n">rows</th>
              </tr>
            </thead>
            <tbody>
              {statuses.slice(0, STATUSES_SHOWN).map(({ status, rows }) => (
                <tr>
                  <td>{status === 0 ? 'no answer' : String(status)}</td>
                  <td class="n">{numberShown(rows)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </div>
    </section>
  );
}

const STATUSES_SHOWN = 12;

function latencyWords({ p50, p90, p99, max }: Latency): string {
  return `How long the service took: half within ${msShown(p50)}, nine in ten within ${msShown(p90)}, 99 in 100 within ${msShown(p99)}, at most ${msShown(max)}`;
}

function msShown(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`;
}

function tookWords({ startedAt, finishedAt, writtenAt, rowsPerSecond }: Page['summary']): string {
  if (startedAt === null) return 'The run has not begun.';
  const seconds = Math.round((Date.parse(finishedAt ?? writtenAt) - Date.parse(startedAt)) / 1_000);
  const parts = [
    [Math.floor(seconds / 3600), 'h'] as const,
    [Math.floor(seconds / 60) % 60, 'min'] as const,
    [seconds % 60, 's'] as const,
  ].filter(([n]) => n > 0);
  const took = parts.length === 0 ? 'less than a second' : parts.map(([n, unit]) => `${n} ${unit}`).join(' ');
  const since = finishedAt === null ? 'So far' : 'The run took';
  return `${since} ${took}, ${numberShown(Math.round(rowsPerSecond))} rows per second, pauses included.`;
}

/** The first rows that need somebody, those in doubt before all others. */
export function Needing({ page }: Props) {
  const { needing } = page.digest;
  if (needing.length === 0) return null;
  const more = needingRows(page.digest) - needing.length;
  const names = columnsShown(page);
  const files = page.summary.files.filter((file) => remainderOf(file) !== null);
  return (
    <section>
      <h2>Rows that need somebody</h2>
      <section class="scroll" tabindex={0} aria-label="Rows that need somebody">
        <table class="list">
          <thead>
            <tr>
              <th class="n">row</th>
              <th class="n">line</th>
              <th>key</th>
              {names.map((name) => (
                <th>
                  <Text of={name} bytes={CELL_BYTES} />
                </th>
              ))}
              <th>outcome</th>
              <th>why</th>
            </tr>
          </thead>
          <tbody>
            {needing.map(({ row, line, key, shown, outcome, code, why }) => (
              <tr>
                <td class="n">{numberShown(row)}</td>
                <td class="n">{line === 0 ? '' : numberShown(line)}</td>
                <td class="mono">
                  <Text of={keyShown(key, page)} bytes={KEY_BYTES} />
                </td>
                {names.map((_, at) => (
                  <td>
                    <Text of={shown[at] ?? ''} bytes={CELL_BYTES} />
                  </td>
                ))}
                <td class="o">{outcomeWords(outcome)}</td>
                <td>
                  <Text of={whyShown(why, code, page)} bytes={WHY_BYTES} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {more === 0 ? null : <p>{`${numberShown(more)} more in ${files.join(', ')}.`}</p>}
    </section>
  );
}

const WHY_BYTES = 200;

function whyShown(why: string, code: string, page: Page): string {
  if (why === '' || why === UNTOLD) return code;
  return wordsShown(why.replaceAll(/(^| )@/g, '$1'), page);
}
