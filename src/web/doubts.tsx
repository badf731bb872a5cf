/**
 * The rows of a run that may exist at the service, settled one after the other: what was sent, what
 * a look-up found, and what it means to say the one or the other. Many at once come as the report's
 * in-doubt file, and are shown before they are recorded. Nothing is recorded here: the forms go to
 * who does it (`decisions.ts` says what is in them).
 */
import { Readable } from 'node:stream';
import { Text } from '../lib/html-text.tsx';
import { countOf, numberShown } from '../lib/terminal.ts';
import type { RowDecision, Visitor } from '../model/ask.ts';
import type { KeptSighting } from '../model/resolution.ts';
import { Time } from '../report/html/parts.tsx';
import { decisionField } from './decisions.ts';
import { RowHead, type RowShown, Sent } from './row.tsx';
import { NO_RUN, type RunHead, RunTitle, rowNumber } from './rows.tsx';
import type { Reply, Route, Visit } from './visit.ts';

export type ListedDoubt = { readonly row: number; readonly key: string };

export type DoubtsPage = {
  readonly run: RunHead;
  /** Rows in doubt, and rows that somebody or a look-up has settled. */
  readonly left: number;
  readonly settled: number;
  /** Some of them, the chosen one among them. */
  readonly list: readonly ListedDoubt[];
  /** `null`: none is in doubt. */
  readonly chosen: (RowShown & { readonly sighting: KeptSighting | null }) | null;
  /** The one after it, which may be the first again; `null`: there is no other. */
  readonly following: number | null;
};

/** What a file says of rows, each still in doubt. */
export type DecisionsRead = {
  readonly run: RunHead;
  /** As many as are recorded at once. */
  readonly decisions: readonly (RowDecision & { readonly key: string })[];
  /** Decisions beyond those. */
  readonly more: number;
  /** Rows that are not named, but one record with such a row. */
  readonly mates: number;
  /** Lines without a decision, and decisions on rows that are no longer in doubt. */
  readonly open: number;
  readonly settled: number;
};

export type DoubtsPart = {
  /** `row`: the one to look at; the first where it is not in doubt. */
  doubts(run: string, row: number | null, visitor: Visitor): Promise<DoubtsPage | null>;
  /** What to ask `decisions` for; a UsageError lists all that can't be right in the file. */
  readDecisions(run: string, bytes: AsyncIterable<Uint8Array>): Promise<string>;
  /** `null`: it was too long ago. */
  decisions(read: string): DecisionsRead | null;
};

export const doubtsRoutes: readonly Route<DoubtsPart>[] = [
  { method: 'GET', path: '/runs/:id/doubts', role: 'operator', answer: (visit) => answerDoubts(visit) },
  { method: 'PUT', path: '/runs/:id/doubts', role: 'operator', answer: takeFile },
  { method: 'GET', path: '/runs/:id/doubts/:read', role: 'operator', answer: answerDecisions },
];

/** What somebody gave that was refused, to be said beside the fields. */
type Refused = { readonly problems: readonly string[]; readonly id: string };

/** The page; `refused`: what was asked for from it just now could not be right. */
export async function answerDoubts(visit: Visit<DoubtsPart>, refused: Refused | null = null): Promise<Reply> {
  const { params, query, form, page, visitor } = visit;
  const row = rowNumber(form.get('row') ?? query.get('row') ?? '');
  const shown = await page.doubts(params.id ?? '', row, visitor);
  if (shown === null) return { kind: 'missing', words: NO_RUN };
  const body = <Doubts shown={shown} visit={visit} refused={refused} />;
  const title = `In doubt, ${shown.run.id}`;
  return refused === null ? { kind: 'page', title, body } : { kind: 'page', title, body, status: 400 };
}

/** A file comes without a form, as all files do: what it says is shown on a page of its own. */
async function takeFile({ params, bytes, page }: Visit<DoubtsPart>): Promise<Reply> {
  const id = params.id ?? '';
  const read = await page.readDecisions(id, bytes ?? Readable.from([]));
  return { kind: 'json', value: { to: `/runs/${encodeURIComponent(id)}/doubts/${read}` } };
}

async function answerDecisions({ params, page }: Visit<DoubtsPart>): Promise<Reply> {
  const read = page.decisions(params.read ?? '');
  if (read === null)
    return { kind: 'missing', words: 'What that file said is not kept any more: give it again.' };
  return { kind: 'page', title: `Decisions, ${read.run.id}`, body: <Decisions read={read} /> };
}

type Props = {
  readonly shown: DoubtsPage;
  readonly visit: Visit<DoubtsPart>;
  readonly refused: Refused | null;
};

function Doubts({ shown, visit, refused }: Props) {
  const { run, left, settled, chosen } = shown;
  const base = `/runs/${encodeURIComponent(run.id)}`;
  return (
    <>
      <RunTitle run={run} here="doubts" />
      {left === 0 ? (
        <p class="verdict">
          {`No row is in doubt${settled === 0 ? '' : ` any more: ${countOf(settled, 'row')} settled`}. `}
          <a href={base}>To the run</a>
        </p>
      ) : (
        <p class="verdict doubt">
          <b>{`${countOf(left, 'row')} may exist at the service.`}</b> Nothing is sent again until somebody
          says what became of {left === 1 ? 'it' : 'them'}.{' '}
          <span role="status">{`${numberShown(settled)} settled · ${numberShown(left)} left`}</span>
        </p>
      )}
      {visit.page.ask === null ? <p class="notice">{STANDS_ALONE}</p> : null}
      {chosen === null ? null : (
        <div class="doubts">
          <nav aria-label="Rows in doubt">
            <List shown={shown} />
            <LookUp base={base} isOff={visit.page.ask === null} />
          </nav>
          <div>
            <h2>{`Row ${numberShown(chosen.row)}`}</h2>
            <RowHead run={run.id} shown={chosen} />
            <Sent sent={chosen.sent} said="" />
            <Sighted sighting={chosen.sighting} />
            <Settle shown={shown} visit={visit} refused={refused} />
          </div>
        </div>
      )}
      {chosen === null ? null : <ByFile base={base} />}
    </>
  );
}

const STANDS_ALONE =
  'This page stands alone and can only show: start it with `onboard start` to settle rows here.';

function List({ shown: { run, list, chosen, left } }: Pick<Props, 'shown'>) {
  return (
    <>
      <ol class="plain">
        {list.map(({ row, key }) => (
          <li>
            <a
              href={`/runs/${encodeURIComponent(run.id)}/doubts?row=${row}`}
              aria-current={row === chosen?.row ? 'true' : undefined}
            >
              {`Row ${numberShown(row)} `}
              <Text of={key} bytes={60} />
            </a>
          </li>
        ))}
      </ol>
      {left > list.length ? (
        <p class="dim">
          {`${numberShown(left - list.length)} more; `}
          <a href={`/runs/${encodeURIComponent(run.id)}/rows?outcome=in-doubt`}>all of them</a>
        </p>
      ) : null}
    </>
  );
}

/** For all of them at once: what is found for one may be another's. */
function LookUp({ base, isOff }: { readonly base: string; readonly isOff: boolean }) {
  return (
    <form method="post" action={`${base}/look-up`}>
      <button type="submit" disabled={isOff}>
        Look them up at the service
      </button>
    </form>
  );
}

function Sighted({ sighting }: { readonly sighting: KeptSighting | null }) {
  if (sighting === null) return <p class="dim">It was not looked up yet.</p>;
  const { kind, at } = sighting;
  const found: Readonly<Record<typeof kind, string>> = {
    found: 'found, but that record would be another row’s too',
    'found-twice': 'found twice or more',
    'not-found': 'not found, which is no proof: it may still be on its way',
    unclear: 'the service’s answer says nothing',
  };
  return (
    <p>
      {'Looked up '}
      <Time at={at} />
      {`: ${found[kind]}.`}
    </p>
  );
}

function Settle({ shown, visit, refused }: Props) {
  const { run, chosen, following } = shown;
  if (chosen === null) return null;
  const ids = chosen.sighting?.ids ?? [];
  const base = `/runs/${encodeURIComponent(run.id)}`;
  const mates = chosen.group.filter((row) => row !== chosen.row);
  return (
    <form method="post" action={`${base}/resolve`} class="card settle">
      <input type="hidden" name="row" value={String(chosen.row)} />
      {following === null ? null : <input type="hidden" name="next" value={String(following)} />}
      <fieldset disabled={visit.page.ask === null}>
        <legend>{`What became of row ${numberShown(chosen.row)}?`}</legend>
        {refused === null ? null : (
          <ul class="bad" role="alert" id="refused">
            {refused.problems.map((problem) => (
              <li>
                <Text of={problem} bytes={2_000} />
              </li>
            ))}
          </ul>
        )}
        {ids.map((id) => (
          <label>
            <input type="radio" name="as" value={`created:${id}`} />
            {' It was created, as '}
            <code>
              <Text of={id} />
            </code>
          </label>
        ))}
        <div>
          <label>
            <input
              type="radio"
              name="as"
              value="created"
              data-key="c"
              checked={refused !== null && refused.id !== ''}
            />
            {` It was created, ${ids.length === 0 ? 'under the id' : 'under another id'} `}
          </label>
          <input
            type="text"
            name="id"
            value={refused?.id ?? ''}
            autocomplete="off"
            spellcheck={false}
            aria-label="Its id at the service"
            aria-describedby={refused === null ? undefined : 'refused'}
            aria-invalid={refused === null ? undefined : 'true'}
          />
        </div>
        <label>
          <input type="radio" name="as" value="not-created" data-key="n" /> It was not created
        </label>
        {mates.length === 0 ? null : (
          <p>{`The same is recorded of ${mates.length === 1 ? 'row' : 'rows'} ${mates.map(numberShown).join(', ')}: they are one record.`}</p>
        )}
        <p class="dim">
          If you say “not” and it was created, a re-run makes it twice. This can’t be taken back, and it is
          kept who said it.
        </p>
        <button type="submit" class="go">
          {`Record as ${visit.visitor.name}${following === null ? '' : ', then the next'}`}
        </button>{' '}
        {following === null ? null : (
          <a href={`${base}/doubts?row=${following}`} data-key="s">
            Skip it
          </a>
        )}
      </fieldset>
      <p class="dim keys-hint">Keys: c created, n not created, s skip.</p>
    </form>
  );
}

function ByFile({ base }: { readonly base: string }) {
  return (
    <details>
      <summary>Many at once, by file</summary>
      <p>
        Fill <code>onboard_resolution</code> in the report’s in-doubt file: <code>created:&lt;id&gt;</code>,{' '}
        <code>not-created</code>, or nothing. What it says is shown before it is recorded.
      </p>
      <div data-upload={`${base}/doubts`} class="drop">
        <label>
          Drop the edited file here, or choose it <input type="file" accept=".csv,.ndjson" />
        </label>
        <progress max="100" value="0" hidden />
        <p role="status" />
      </div>
      <noscript>
        Without script: <code>onboard resolve --file</code>.
      </noscript>
    </details>
  );
}

/** The decisions of a file, before they are recorded. */
function Decisions({ read }: { readonly read: DecisionsRead }) {
  const { run, decisions, more, mates, open, settled } = read;
  const base = `/runs/${encodeURIComponent(run.id)}`;
  const created = decisions.filter(({ as }) => as === 'created').length;
  const notes = [
    open === 0 ? '' : `Left in doubt: ${countOf(open, 'line')} without a decision.`,
    settled === 0
      ? ''
      : `${countOf(settled, 'row')} named in it ${settled === 1 ? 'is' : 'are'} not in doubt any more.`,
    mates === 0
      ? ''
      : `${countOf(mates, 'row')} not named in it ${mates === 1 ? 'is' : 'are'} one record with such a row.`,
    more === 0 ? '' : `${numberShown(more)} more come after these: give the file again then.`,
  ].filter((note) => note !== '');
  return (
    <>
      <RunTitle run={run} here="doubts" />
      <p class="verdict">
        {decisions.length === 0
          ? 'The file decides on no row that is in doubt.'
          : `The file says of ${countOf(decisions.length, 'row')}: ${numberShown(created)} created, ${numberShown(decisions.length - created)} not created. Nothing is recorded yet.`}
      </p>
      {notes.map((note) => (
        <p>{note}</p>
      ))}
      {decisions.length === 0 ? null : (
        <form method="post" action={`${base}/resolve`}>
          <section class="scroll" tabindex={0} aria-label="Decisions">
            <table class="list rows">
              <thead>
                <tr>
                  <th class="n">Row</th>
                  <th>Key</th>
                  <th>What became of it</th>
                </tr>
              </thead>
              <tbody>
                {decisions.map((one) => (
                  <tr>
                    <td class="n">{numberShown(one.row)}</td>
                    <td>
                      <Text of={one.key} bytes={120} />
                    </td>
                    <td>
                      <input type="hidden" name="decision" value={decisionField(one)} />
                      {one.as === 'created' ? <Text of={`created, as ${one.id}`} /> : 'not created'}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
          <p class="dim">
            A row that is recorded as not created, and was, is made twice by a re-run. This can’t be taken
            back.
          </p>
          <button type="submit" class="go">
            {`Record ${countOf(decisions.length, 'decision')}`}
          </button>
        </form>
      )}
      <p>
        <a href={`${base}/doubts`}>Back to the rows in doubt</a>
      </p>
    </>
  );
}
