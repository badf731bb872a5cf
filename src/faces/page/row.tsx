/**
 * One row of a run: what the file says, what was sent, what the service said, and where else its
 * key is known. For operators only: it holds cells and bodies, which the ledger keeps only for rows
 * that did not succeed.
 */
import type { JobDefinition } from '../../config/job-definition.ts';
import { placeOfDigest } from '../../engine/ledger/keys.ts';
import { chunksAround } from '../../engine/ledger/run-view.ts';
import { Lines, Prose, Text } from '../../lib/html-text.tsx';
import { countOf, numberShown } from '../../lib/terminal.ts';
import { identityByPlace } from '../../model/identity.ts';
import { describeDecision, resolutionSchema } from '../../model/resolution.ts';
import type { Row } from '../../model/row.ts';
import { groupRows } from '../../model/row-group.ts';
import { messageOf } from '../../model/sentence.ts';
import type { RefusalBody, SettledChunk, Settlement } from '../../model/settlement.ts';
import { spaceOf } from '../../operations/operations.ts';
import { Facts, Time } from '../../runs/report/html/parts.tsx';
import { adviceIn } from '../../runs/report/results.ts';
import type { Reply } from '../web/visit.ts';
import { COLUMNS_SHOWN, MoreColumns } from '../web/words.tsx';
import type { PageRoute, PageVisit } from './page-context.ts';
import { Id, Knows, OutcomeMark, RunTitle, rowPath } from './rows.tsx';
import {
  cellsOf,
  type KnownKey,
  knownIn,
  openRunRows,
  type RunRows,
  rowAt,
  rowNumber,
  rowsUpTo,
} from './run-rows.ts';
import { SentShown, sentFor } from './sent.tsx';

export const rowRoutes: readonly PageRoute[] = [
  { method: 'GET', path: '/runs/:id/rows/:row', role: 'operator', answer },
];

const NO_ROW: Reply = {
  kind: 'missing',
  words: 'There is no such run in the ledger, or it has no such row.',
};

async function answer({ params, page, visitor }: PageVisit): Promise<Reply> {
  const { id = '' } = params;
  const row = rowNumber(params.row ?? '');
  const open = await openRunRows(page, id);
  if (open === null || row === null || !hasRow(open, row)) return NO_ROW;
  page.log.info('a row was looked at', { run: id, row, by: visitor.name });
  const shown = await readRow(open, row);
  const body = <RowView open={open} shown={shown} />;
  return { kind: 'page', title: `Row ${row} of ${id}`, body };
}

/** A rerun whose row numbers are lost may have any. */
function hasRow(open: RunRows, row: number): boolean {
  const isLost = open.run.parent !== null && open.numbers === null;
  return isLost || rowAt(open, rowsUpTo(open, row)) === row;
}

type ShownRow = Awaited<ReturnType<typeof readRow>>;

/** The row as it stands now, and what the ledger knows of its key. */
export async function readRow(open: RunRows, row: number) {
  const { definition, redis, k, view } = open;
  const chunk = await chunkWith(open, row);
  const settlement = chunk?.settlements.find((one) => one.row === row) ?? null;
  const group = settlement === null ? [] : groupOf(settlement, chunk?.settlements ?? [], definition);
  const numbers = group.length === 0 ? [row] : group;
  const [sources, bodies, resolution, [key]] = await Promise.all([
    view.sources(numbers),
    view.bodies([row]),
    redis.hget(k.resolutions, String(row)),
    settlement === null ? [] : keyOf(open, settlement),
  ]);
  const rows = numbers.flatMap((one) => sources.get(one) ?? []);
  return {
    row,
    settlement,
    chunk: chunk?.chunk ?? 0,
    source: sources.get(row) ?? null,
    sent: sentFor(settlement, rows, { ...open, key }),
    said: bodies.get(row) ?? null,
    /** All rows of its request, itself among them; empty: it was alone. */
    group,
    /** Who settled it from in doubt. */
    resolution: resolution === null ? null : resolutionSchema.parse(JSON.parse(resolution)),
    key,
  };
}

async function chunkWith({ redis, keys, run }: RunRows, row: number): Promise<SettledChunk | null> {
  for await (const chunk of chunksAround(redis, keys, run, new Set([row])))
    if (chunk.settlements.some((one) => one.row === row)) return chunk;
  return null;
}

function groupOf(
  { row }: Settlement,
  settlements: readonly Settlement[],
  definition: JobDefinition | null,
): readonly number[] {
  if (definition?.group === undefined) return [];
  const groups = groupRows(settlements, ({ key }) => (key === '' ? null : key));
  const rows = groups.map(({ leader, members }) => [leader.row, ...members.map((member) => member.row)]);
  return rows.find((own) => own.length > 1 && own.includes(row)) ?? [];
}

async function keyOf(open: RunRows, { key, keyDigest, row }: Settlement): Promise<readonly KnownKey[]> {
  const { run } = open;
  const space = spaceOf(run.operation);
  if (space === null) return [];
  const place = keyDigest === undefined ? undefined : placeOfDigest(keyDigest);
  return knownIn(open, key === '' ? identityByPlace(run, row) : key, [space], place);
}

type Props = { readonly open: RunRows; readonly shown: ShownRow };

function RowView({ open, shown }: Props) {
  const { run } = open;
  const { row, settlement, source, sent, said } = shown;
  const advice = settlement === null ? '' : adviceIn(settlement, { ...run, extension: 'csv' });
  return (
    <>
      <RunTitle run={run} here="row" />
      <Neighbours open={open} row={row} />
      <RowHead run={run.id} shown={shown} />
      {advice === '' ? null : (
        <p>
          <Prose of={advice} />
        </p>
      )}
      {run.purged !== undefined ? null : (
        <div class="two">
          <section>
            <h2>What the file says</h2>
            <File source={source} columns={run.source.columns} />
          </section>
          <section>
            <h2>What was sent</h2>
            <SentShown sent={sent} said={said?.text ?? ''} />
          </section>
          <section>
            <h2>What the service said</h2>
            <Said said={said} />
          </section>
        </div>
      )}
      <Elsewhere open={open} shown={shown} />
    </>
  );
}

function Neighbours({ open, row }: Pick<Props, 'open'> & { readonly row: number }) {
  const place = rowsUpTo(open, row);
  const [previous, next] = [rowAt(open, place - 1), rowAt(open, place + 1)];
  return (
    <p class="pager">
      {previous === null ? null : (
        <a href={rowPath(open.run.id, previous)} rel="prev" data-key="p">
          {`‹ ${numberShown(previous)}`}
        </a>
      )}
      <strong>{`Row ${numberShown(row)}`}</strong>
      {next === null ? null : (
        <a href={rowPath(open.run.id, next)} rel="next" data-key="n">
          {`${numberShown(next)} ›`}
        </a>
      )}
    </p>
  );
}

export function RowHead({ run, shown }: { readonly run: string; readonly shown: ShownRow }) {
  const { settlement, group, chunk, resolution } = shown;
  if (settlement === null) return <p class="card">It has no outcome yet.</p>;
  const { line, key, outcome, id, code, attempts, ms, status } = settlement;
  const message = messageOf(settlement);
  const times =
    attempts === 0 ? 'not sent' : `${countOf(attempts, 'attempt')}, the last took ${numberShown(ms)} ms`;
  return (
    <div class="card">
      <p>
        <OutcomeMark of={outcome} />
        {key === '' ? null : (
          <>
            {' · key '}
            <strong>
              <Text of={key} />
            </strong>
          </>
        )}
        {line === 0 ? null : ` · line ${numberShown(line)}`}
        {id === '' ? null : ' · '}
        <Id of={id} />
      </p>
      {message === '' ? null : (
        <p>
          <Prose of={message} bytes={2_000} />
        </p>
      )}
      <p class="dim">
        {[code, status === 0 ? '' : `status ${status}`, times, `chunk ${numberShown(chunk)}`]
          .filter((part) => part !== '')
          .join(' · ')}
      </p>
      {resolution === null ? null : (
        <p>
          It was in doubt ({resolution.was}) until <Text of={resolution.by} /> said{' '}
          <Time at={resolution.at} />:{' '}
          <Text of={describeDecision({ kind: resolution.decision, id: resolution.id })} />.
        </p>
      )}
      {group.length === 0 ? null : (
        <p>
          {'One request with '}
          {group.map((member, i) => (
            <>
              {i === 0 ? '' : ', '}
              <a href={rowPath(run, member)}>{`row ${numberShown(member)}`}</a>
            </>
          ))}
        </p>
      )}
    </div>
  );
}

const CELL_BYTES = 2_000;
const BODY_BYTES = 70_000;

function File({ source, columns }: { readonly source: Row | null; readonly columns: readonly string[] }) {
  if (source === null) return <p class="dim">Cells are kept only of rows that did not succeed.</p>;
  const cells = cellsOf(source, columns);
  if (cells === null)
    return (
      <>
        {source.kind === 'unreadable' ? <p>{source.problem}</p> : null}
        <Received text={source.kind === 'cells' ? '' : source.text} />
      </>
    );
  return (
    <>
      <Facts
        class="fields"
        of={cells
          .slice(0, COLUMNS_SHOWN)
          .map(([column, value]) => [<Text of={column} />, <Text of={value} bytes={CELL_BYTES} />])}
      />
      <MoreColumns more={cells.length - COLUMNS_SHOWN} />
    </>
  );
}

function Received({ text }: { readonly text: string }) {
  return (
    <pre class="text">
      <Lines of={text} bytes={BODY_BYTES} />
    </pre>
  );
}

function Said({ said }: { readonly said: RefusalBody | null }) {
  if (said === null) return <p class="dim">No answer of it is kept: only refusals are.</p>;
  const { text, restBytes } = said;
  return (
    <>
      <Received text={text} />
      <p class="dim">
        {`As received, ${countOf(Buffer.byteLength(text) + restBytes, 'byte')}${restBytes === 0 ? '' : `; the last ${numberShown(restBytes)} are not kept`}.`}
      </p>
    </>
  );
}

function Elsewhere({ open, shown: { row, key } }: Props) {
  const { id, parent } = open.run;
  const other = key === undefined || (key.run === id && key.row === row) ? null : key;
  if (other === null && parent === null) return null;
  return (
    <section>
      <h2>Elsewhere</h2>
      <ul>
        {other === null ? null : (
          <li>
            Its key <Knows of={other} />
          </li>
        )}
        {parent === null ? null : (
          <li>
            <a href={rowPath(parent, row)}>{`The same row in run ${parent}`}</a>, of which this is a rerun
          </li>
        )}
      </ul>
    </section>
  );
}
