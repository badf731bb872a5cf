/**
 * The sections of report.html that say what became of the rows and what to do: the sum and its picture, the steps, and time. Each is
 * empty where there is nothing to say.
 */
import { Flow } from '../../lib/chart/flow.tsx';
import { Histogram } from '../../lib/chart/histogram.tsx';
import { Prose } from '../../lib/html-text.tsx';
import { asCalled, countOf, numberShown } from '../../lib/terminal.ts';
import type { Latency } from '../../model/digest.ts';
import { OUTCOMES, type Outcome } from '../../model/outcome.ts';
import { nextSteps } from '../next.ts';
import type { Page } from './model.ts';
import { outcomeWords, wasSent } from './words.ts';

type Props = { readonly page: Page };

/** A kind of rows in a picture: an outcome, or none yet. */
type Kind = Outcome | 'open';

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
