/**
 * A run's rows in doubt, settled one after the other: what was sent, what a look-up found, and what
 * either decision means. Many at once come as the report's in-doubt file, and are shown before they
 * are recorded. The process that acts records them (decisions.ts: the forms).
 */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { readDoubts, readSightings, rowsInDoubt } from '../../engine/ledger/run-view.ts';
import { Prose, Text } from '../../lib/html-text.tsx';
import { countOf, numberShown, printable } from '../../lib/terminal.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { describeDecision, type KeptSighting } from '../../model/resolution.ts';
import { hasLookUp } from '../../runs/look-up.ts';
import { Table, Time } from '../../runs/report/html/parts.tsx';
import type { Reply } from '../web/visit.ts';
import { Problems } from '../web/words.tsx';
import { decisionField, type FileOfDecisions, readDecisionFile } from './decisions.ts';
import type { PageRoute, PageVisit } from './page-context.ts';
import { RowHead, readRow } from './row.tsx';
import { Id, NO_RUN, RunTitle } from './rows.tsx';
import { namesOf, openRunRows, type RunRows, rowNumber } from './run-rows.ts';
import { runPath } from './runs.tsx';
import { SentShown } from './sent.tsx';

export const doubtsRoutes: readonly PageRoute[] = [
  { method: 'GET', path: '/runs/:id/doubts', role: 'operator', answer: (visit) => answerDoubts(visit) },
  { method: 'PUT', path: '/runs/:id/doubts', role: 'operator', answer: takeFile },
  { method: 'GET', path: '/runs/:id/doubts/:read', role: 'operator', answer: answerDecisions },
];

/** Beside the one that is looked at. */
const LISTED = 50;

type Refused = {
  readonly problems: readonly string[];
  readonly id: string;
  /** To confirm that the row was not created. */
  readonly toType?: string;
};

/** `refused`: what was just sent from this page can't be right, or is asked once more. */
export async function answerDoubts(visit: PageVisit, refused: Refused | null = null): Promise<Reply> {
  const { params, query, form, page, visitor } = visit;
  const open = await openRunRows(page, params.id ?? '');
  if (open === null) return NO_RUN;
  const row = rowNumber(form.get('row') ?? query.get('row') ?? '');
  // By a job that can't be read it would be refused.
  const lookUp = hasLookUp(open.run, page).catch(() => false);
  const [shown, looksUp] = await Promise.all([readDoubtsOf(open, row), lookUp]);
  const { id } = open.run;
  if (shown.chosen !== null)
    page.log.info('a row was looked at', { run: id, row: shown.chosen.row, by: visitor.name });
  const body = <Doubts open={open} shown={shown} looksUp={looksUp} visit={visit} refused={refused} />;
  return { kind: 'page', title: `In doubt, ${id}`, body, status: refused?.problems.length ? 400 : 200 };
}

/** `asked`: the row to look at; the first where it is not in doubt. */
async function readDoubtsOf(open: RunRows, asked: number | null) {
  const { redis, k } = open;
  const rows = await rowsInDoubt(redis, k);
  const settled = await redis.hlen(k.resolutions);
  const at = Math.max(0, asked === null ? 0 : rows.indexOf(asked));
  const row = rows[at];
  if (row === undefined) return { left: 0, settled, list: [], chosen: null };
  const from = Math.max(0, Math.min(at - LISTED / 2, rows.length - LISTED));
  const listed = rows.slice(from, from + LISTED);
  const [doubts, sightings, shown, names] = await Promise.all([
    readDoubts(redis, k, listed),
    readSightings(redis, k, [row]),
    readRow(open, row),
    namesOf(open, listed),
  ]);
  const list = listed.map((one) => ({
    row: one,
    key: doubts.get(one)?.key ?? '',
    name: names.get(one) ?? '',
  }));
  // The row after the last is the first again.
  const following = rows[at + 1] ?? rows[0] ?? row;
  const chosen = {
    ...shown,
    sighting: sightings.get(row) ?? null,
    following: following === row ? null : following,
  };
  return { left: rows.length, settled, list, chosen };
}

/** A file comes without a form: what it says is shown on a page of its own. */
async function takeFile({ params, bytes, page }: PageVisit): Promise<Reply> {
  const { id = '' } = params;
  const open = await openRunRows(page, id);
  if (open === null) throw new UsageError('There is no such run in the ledger.');
  const name = randomBytes(16).toString('hex');
  page.decisionFiles.set(name, await readDecisionFile(page, open, bytes ?? Readable.from([])));
  return { kind: 'json', value: { to: runPath(id, `/doubts/${name}`) } };
}

async function answerDecisions({ params, page }: PageVisit): Promise<Reply> {
  const file = page.decisionFiles.get(params.read ?? '');
  if (file === undefined)
    return { kind: 'missing', words: 'What that file said is not kept any more: give it again.' };
  return { kind: 'page', title: `Decisions, ${file.run.id}`, body: <Decisions file={file} /> };
}

type Shown = Awaited<ReturnType<typeof readDoubtsOf>>;
type Chosen = NonNullable<Shown['chosen']>;

type Props = {
  readonly open: RunRows;
  readonly shown: Shown;
  readonly looksUp: boolean;
  readonly visit: PageVisit;
  readonly refused: Refused | null;
};

function Doubts({ open: { run }, shown, looksUp, visit, refused }: Props) {
  const { left, settled, chosen } = shown;
  const isOff = visit.page.ask === null;
  return (
    <>
      <RunTitle run={run} here="doubts" />
      {left === 0 ? (
        <p class="verdict">
          {`No row is in doubt${settled === 0 ? '' : ` any more: ${countOf(settled, 'row')} settled`}. `}
          <a href={runPath(run.id)}>To the run</a>
        </p>
      ) : (
        <p class="verdict doubt">
          <b>{`${countOf(left, 'row')} may exist at the service.`}</b> Nothing is sent again until somebody
          says what became of {left === 1 ? 'it' : 'them'}.{' '}
          <span role="status">{`${numberShown(settled)} settled · ${numberShown(left)} left`}</span>
        </p>
      )}
      {chosen === null ? null : (
        <>
          <div class="doubts">
            <nav aria-label="Rows in doubt">
              <List run={run.id} shown={shown} />
              {looksUp ? (
                <form method="post" action={runPath(run.id, '/look-up')}>
                  <button type="submit" disabled={isOff}>
                    Look them up at the service
                  </button>
                </form>
              ) : null}
            </nav>
            <div>
              <h2>{`Row ${numberShown(chosen.row)}`}</h2>
              <RowHead run={run.id} shown={chosen} />
              <SentShown sent={chosen.sent} said="" />
              <Sighted sighting={chosen.sighting} />
              <Settle run={run.id} chosen={chosen} visit={visit} refused={refused} />
            </div>
          </div>
          <ByFile run={run.id} />
        </>
      )}
    </>
  );
}

function List({ run, shown: { list, chosen, left } }: Pick<Props, 'shown'> & { readonly run: string }) {
  return (
    <>
      <ol class="plain">
        {list.map(({ row, key, name }) => (
          <li>
            <a
              href={runPath(run, `/doubts?row=${row}`)}
              aria-current={row === chosen?.row ? 'true' : undefined}
            >
              {`Row ${numberShown(row)} `}
              <Text of={key} bytes={60} />
              {name === '' ? null : (
                <>
                  <br />
                  <Text of={name} bytes={60} />
                </>
              )}
            </a>
          </li>
        ))}
      </ol>
      {left > list.length ? (
        <p class="dim">
          {`${numberShown(left - list.length)} more; `}
          <a href={runPath(run, '/rows?outcome=in-doubt')}>all of them</a>
        </p>
      ) : null}
    </>
  );
}

const FOUND: Readonly<Record<KeptSighting['kind'], string>> = {
  found: 'found, but that record would be another row’s too',
  'found-twice': 'found twice or more',
  'not-found': 'not found, which is no proof: it may still be on its way',
  unclear: 'the service’s answer says nothing',
};

function Sighted({ sighting }: { readonly sighting: KeptSighting | null }) {
  if (sighting === null) return <p class="dim">It was not looked up yet.</p>;
  return (
    <p>
      Looked up <Time at={sighting.at} />
      {`: ${FOUND[sighting.kind]}.`}
    </p>
  );
}

type SettleProps = Pick<Props, 'visit' | 'refused'> & { readonly run: string; readonly chosen: Chosen };

function Settle({ run, chosen, visit, refused }: SettleProps) {
  const { row, following } = chosen;
  const ids = chosen.sighting?.ids ?? [];
  const members = chosen.group.filter((one) => one !== row);
  const toType = refused?.toType;
  return (
    <form method="post" action={runPath(run, '/resolve')} class="card settle">
      <input type="hidden" name="row" value={String(row)} />
      {following === null ? null : <input type="hidden" name="next" value={String(following)} />}
      <fieldset disabled={visit.page.ask === null}>
        <legend>{`What became of row ${numberShown(row)}?`}</legend>
        <div id="refused">
          <Problems of={refused?.problems ?? []} />
        </div>
        {ids.map((id) => (
          <label>
            <input type="radio" name="as" value={`created:${id}`} /> It was created, as <Id of={id} />
          </label>
        ))}
        <OtherId words={ids.length === 0 ? 'under the id' : 'under another id'} refused={refused} />
        <label>
          <input type="radio" name="as" value="not-created" data-key="n" checked={toType !== undefined} /> It
          was not created
        </label>
        {toType === undefined ? null : (
          <label>
            To record that, type <Id of={toType} />{' '}
            <input type="text" name="typed" autocomplete="off" spellcheck={false} autofocus />
          </label>
        )}
        {members.length === 0 ? null : (
          <p>{`The same is recorded of ${members.length === 1 ? 'row' : 'rows'} ${members.map(numberShown).join(', ')}: they are one record.`}</p>
        )}
        <p class="dim">
          If you say “not” and it was created, a re-run makes it twice. This can’t be taken back, and it is
          kept who said it.
        </p>
        <button type="submit" class="go">
          {`Record as ${visit.visitor.name}${following === null ? '' : ', then the next'}`}
        </button>{' '}
        {following === null ? null : (
          <a href={runPath(run, `/doubts?row=${following}`)} data-key="s">
            Skip it
          </a>
        )}
      </fieldset>
      <p class="dim keys-hint">Keys: c created, n not created, s skip; Enter records.</p>
    </form>
  );
}

/** What to ask where a row in doubt is said not to be created; `null`: it was confirmed. */
export async function unconfirmed({ params, form, page }: PageVisit, row: number) {
  const open = await openRunRows(page, params.id ?? '');
  const doubt = open === null ? undefined : (await readDoubts(open.redis, open.k, [row])).get(row);
  if (doubt === undefined) return null;
  const { key } = doubt;
  // The number in the place of a key that can't be typed as it shows.
  const toType = key === printable(key) && /^\S(?: ?\S){0,29}$/.test(key) ? key : String(row);
  const typed = form.get('typed');
  if (typed?.trim() === toType) return null;
  return { problems: typed === null ? [] : [`Expected ${toType}, typed out: nothing was recorded.`], toType };
}

function OtherId({ words, refused }: Pick<Props, 'refused'> & { readonly words: string }) {
  const id = refused?.id ?? '';
  return (
    <div>
      <label>
        <input type="radio" name="as" value="created" data-key="c" checked={id !== ''} />
        {` It was created, ${words} `}
      </label>
      <input
        type="text"
        name="id"
        data-key="c"
        value={id}
        autocomplete="off"
        spellcheck={false}
        aria-label="Its id at the service"
        aria-describedby={refused === null ? undefined : 'refused'}
        aria-invalid={refused === null ? undefined : 'true'}
      />
    </div>
  );
}

function ByFile({ run }: { readonly run: string }) {
  return (
    <details>
      <summary>Many at once, by file</summary>
      <p>
        Fill <code>onboard_resolution</code> in the report’s in-doubt file: <code>created:&lt;id&gt;</code>,{' '}
        <code>not-created</code>, or nothing. What it says is shown before it is recorded.
      </p>
      <div data-upload={runPath(run, '/doubts')} class="drop">
        <label>
          Drop the edited file here, or choose it <input type="file" accept=".csv,.ndjson" />
        </label>
        <progress max="100" value="0" hidden />
        <p role="status" />
      </div>
      <noscript>
        <Prose of={`Without script: \`onboard resolve ${run} --file <in-doubt file>\`.`} />
      </noscript>
    </details>
  );
}

function Decisions({ file }: { readonly file: FileOfDecisions }) {
  const { run, decisions } = file;
  const created = decisions.filter(({ decision }) => decision.kind === 'created').length;
  return (
    <>
      <RunTitle run={run} here="doubts" />
      <p class="verdict">
        {decisions.length === 0
          ? 'The file decides on no row that is in doubt.'
          : `The file says of ${countOf(decisions.length, 'row')}: ${numberShown(created)} created, ${numberShown(decisions.length - created)} not created. Nothing is recorded yet.`}
      </p>
      {notesOn(file).map((note) => (
        <p>{note}</p>
      ))}
      {decisions.length === 0 ? null : (
        <form method="post" action={runPath(run.id, '/resolve')}>
          <Table
            name="Decisions"
            class="list rows"
            heads={[{ n: 'Row' }, 'Key', 'Name', 'What became of it']}
            rows={decisions.map((one) => [
              numberShown(one.row),
              <Text of={one.key} bytes={120} />,
              <Text of={one.name} bytes={120} />,
              <>
                <input type="hidden" name="decision" value={decisionField(one)} />
                <Text of={describeDecision(one.decision)} />
              </>,
            ])}
          />
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
        <a href={runPath(run.id, '/doubts')}>Back to the rows in doubt</a>
      </p>
    </>
  );
}

function notesOn({ open, settled, members, more }: FileOfDecisions): readonly string[] {
  const notes: ReadonlyArray<readonly [number, string]> = [
    [open, `Left in doubt: ${countOf(open, 'line')} without a decision.`],
    [settled, `${countOf(settled, 'row')} named in it: not in doubt any more.`],
    [members, `${countOf(members, 'row')} not named in it: one record with such a row.`],
    [more, `${numberShown(more)} more come after these: give the file again then.`],
  ];
  return notes.filter(([count]) => count > 0).map(([, words]) => words);
}
