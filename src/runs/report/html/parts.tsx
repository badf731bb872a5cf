/** Small parts that report.html and the page share. */
import type { Child } from 'hono/jsx';
import { Lines, Series } from '../../../lib/chart/series.tsx';
import { Text } from '../../../lib/html-text.tsx';
import { numberShown } from '../../../lib/terminal.ts';
import { type Kind, kindsOf, type OutcomeCounts } from '../../../model/outcome.ts';
import type { Told } from '../../../model/story.ts';
import type { Digest } from '../digest.ts';
import type { Latency, Stretch } from '../timeline.ts';

/** In a sum: "2 in doubt". */
export function kindWords(kind: Kind): string {
  return kind === 'in-doubt' ? 'in doubt' : kind;
}

type Counts = { readonly outcomes: OutcomeCounts; readonly rows: number };

export function sumWords(kinds: ReadonlyArray<readonly [Kind, number]>): string {
  return kinds.map(([kind, n]) => `${numberShown(n)} ${kindWords(kind)}`).join(', ');
}

/** The control total: rows = 5 created + 2 in doubt + 3 pending. */
export function Sum({ outcomes, rows }: Counts) {
  const kinds = kindsOf({ outcomes, rows });
  return (
    <span>
      {numberShown(rows)} = {kinds.length === 0 ? '0' : null}
      {kinds.map(([kind, n], i) => (
        <>
          {i === 0 ? '' : ' + '}
          <span class="sum">
            <Dot kind={kind} />
            {numberShown(n)} {kindWords(kind)}
          </span>
        </>
      ))}
    </span>
  );
}

export function Dot({ kind }: { readonly kind: Kind }) {
  return (
    <svg viewBox="0 0 10 10" class="dot" aria-hidden="true">
      <rect width="10" height="10" class={`f-${kind}`} />
    </svg>
  );
}

export function Legend({ kinds }: { readonly kinds: readonly Kind[] }) {
  return (
    <p class="legend">
      {kinds.map((kind) => (
        <span class="sum">
          <Dot kind={kind} />
          {kindWords(kind)}
        </span>
      ))}
    </p>
  );
}

export function targetShown(target: string): string {
  if (target === 'sandbox') return 'SANDBOX';
  return URL.canParse(target) ? new URL(target).host : target;
}

type TimeProps = {
  readonly at: string;
  /** `second`: of events that come close together; `time`: today's, where the day says nothing. */
  readonly show?: 'moment' | 'second' | 'time' | 'day';
};

/** UTC; the page's script rewrites the text in the viewer's own zone. */
export function Time({ at, show = 'moment' }: TimeProps) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return <span>{at.slice(0, 30)}</span>;
  const iso = date.toISOString();
  const [day, time] = [iso.slice(0, 10), iso.slice(11, 19)];
  const moment = `${day} ${time} UTC`;
  const text = { moment, second: moment, time: `${time} UTC`, day }[show];
  return (
    <time datetime={iso} title={moment} data-show={show}>
      {text}
    </time>
  );
}

/** What is wider than a small screen scrolls by itself, by the keyboard too. */
export function Wide({ name, children }: { readonly name: string; readonly children?: Child }) {
  return (
    <section class="wide" tabindex={0} aria-label={name}>
      {children}
    </section>
  );
}

/** `n`: a column of numbers; `mono`: a column of what stands in files; `o`: of outcomes. */
type TableHead = string | { readonly n: string } | { readonly mono: string } | { readonly o: string };

type TableProps = {
  readonly name: string;
  readonly heads: readonly TableHead[];
  readonly class?: string;
  readonly rows: ReadonlyArray<readonly Child[]>;
};

export function Table({ name, heads, class: of = 'list', rows }: TableProps) {
  const kinds = heads.map((head) => (typeof head === 'string' ? undefined : Object.keys(head)[0]));
  return (
    <Wide name={name}>
      <table class={of}>
        <thead>
          <tr>
            {heads.map((head, i) => (
              <th scope="col" class={kinds[i] === 'n' ? 'n' : undefined}>
                {typeof head === 'string' ? head : Object.values(head)[0]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells) => (
            <tr>
              {cells.map((cell, i) => (
                <td class={kinds[i]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Wide>
  );
}

/** What is known of something, by names. */
export function Facts({
  of,
  class: kind,
}: {
  readonly of: ReadonlyArray<readonly [name: Child, value: Child]>;
  readonly class?: string;
}) {
  return (
    <dl class={kind}>
      {of.map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </>
      ))}
    </dl>
  );
}

type RatesProps = {
  readonly stretches: readonly Stretch[];
  readonly story: readonly Told[];
};

/** Of fewer a picture is a block or two: words and numbers say as much. */
const LEAST_DRAWN = 5;
/** A run's end comes a moment after its last rows; later events would take all the room. */
const AFTER_S = 3;

export function Rates({ stretches, story }: RatesProps) {
  if (stretches.length < LEAST_DRAWN) return null;
  const seconds = stretches.at(-1)?.to ?? 0;
  const events = story.filter((event) => event.seconds <= seconds + Math.max(AFTER_S, seconds / 10));
  const kinds = [...new Set(stretches.flatMap(({ parts }) => parts.map(({ kind }) => kind)))];
  return (
    <figure>
      <figcaption>
        {RATES}
        {events.length === 0 ? '' : '; numbers as in the list of events'}
      </figcaption>
      <Wide name="Picture: rows per second">
        <Series title={RATES} seconds={seconds} stretches={stretches} events={events} />
      </Wide>
      <Legend kinds={kinds} />
      <details>
        <summary>The numbers</summary>
        <Table
          name="Rows per second"
          class="short"
          heads={[{ n: 'from second' }, { n: 'to' }, 'rows per second']}
          rows={stretches.map(({ from, to, parts }) => [
            tenths(from),
            tenths(to),
            parts.map(({ kind, value }) => `${tenths(value)} ${kindWords(kind)}`).join(', ') || 'none',
          ])}
        />
      </details>
    </figure>
  );
}

const RATES = 'Rows per second by outcome, by the time since the start';

function tenths(n: number): string {
  return n < 10 ? String(Math.round(n * 10) / 10) : numberShown(Math.round(n));
}

export function Story({ story }: { readonly story: readonly Pick<Told, 'n' | 'at' | 'words'>[] }) {
  return (
    <ol class="story">
      {story.map(({ n, at, words }) => (
        <li value={n}>
          <Time at={new Date(at).toISOString()} show="second" /> <Text of={words} />
        </li>
      ))}
    </ol>
  );
}

/** How long the service took over time, and its unusual answers. */
export function Latencies({
  digest: { latency, moments, statuses },
}: {
  readonly digest: Pick<Digest, 'latency' | 'moments' | 'statuses'>;
}) {
  if (latency === null) return null;
  const answered = statuses.reduce((sum, { rows }) => sum + rows, 0);
  const points = moments.flatMap(({ to, took }) => (took === null ? [] : [{ seconds: to, ...took }]));
  const lines = (['p50', 'p90', 'p99'] as const).map((kind) => ({
    kind,
    points: points.map((one) => ({ seconds: one.seconds, value: one[kind] })),
  }));
  const isDrawn = points.length >= LEAST_DRAWN;
  return (
    <figure>
      <figcaption>
        How long the service took{isDrawn ? ', by the time since the start' : ''}: {latencyWords(latency)}
      </figcaption>
      {!isDrawn ? null : (
        <Wide name="Picture: how long the service took">
          <Lines
            title="How long the service took for half, nine in ten and 99 in 100 rows, by the time since the start"
            seconds={points.at(-1)?.seconds ?? 0}
            lines={lines}
            label={msShown}
          />
        </Wide>
      )}
      <p class="dim">
        {!isDrawn ? '' : 'From below: half, nine in ten, 99 in 100 rows. '}
        {statuses
          .filter(({ status }) => status !== USUAL_STATUS)
          .map(({ status, rows }) => `${status || 'no answer'}: ${shareOf(rows, answered)}`)
          .join(' · ')}
      </p>
    </figure>
  );
}

const USUAL_STATUS = 200;

function shareOf(n: number, all: number): string {
  const share = (100 * n) / all;
  return share < 0.1 ? 'under 0.1 %' : `${Math.round(share * 10) / 10} %`;
}

function latencyWords({ p50, p90, p99, max }: Latency): string {
  return `half within ${msShown(p50)}, nine in ten within ${msShown(p90)}, 99 in 100 within ${msShown(p99)}, at most ${msShown(max)}`;
}

function msShown(ms: number): string {
  return ms < 1_000 ? `${numberShown(ms)} ms` : `${Math.round(ms / 100) / 10} s`;
}
