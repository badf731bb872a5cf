/**
 * One row of a run: what the file says, what was sent, what the service said, and where else its
 * key is known. For operators: it holds cells and bodies.
 */
import { Lines, Prose, Text } from '../lib/html-text.tsx';
import { countOf, numberShown } from '../lib/terminal.ts';
import type { Visitor } from '../model/ask.ts';
import { messageOf } from '../model/sentence.ts';
import type { Settlement } from '../model/settlement.ts';
import {
  type KnownKey,
  NO_RUN,
  OutcomeMark,
  type RunHead,
  RunTitle,
  rowAddress,
  rowNumber,
} from './rows.tsx';
import type { Reply, Route, Visit } from './visit.ts';
import { COLUMNS_SHOWN, MoreColumns } from './words.tsx';

/** What was sent, or why that is not shown. */
export type SentShown =
  | {
      readonly kind: 'request';
      readonly method: string;
      readonly path: string;
      /** The body's members by their paths, as JSON; empty where it has none. */
      readonly fields: readonly { readonly field: string; readonly value: string }[];
      readonly notes: readonly string[];
    }
  | { readonly kind: 'nothing'; readonly why: string };

export type FileShown =
  | { readonly kind: 'cells'; readonly cells: readonly { readonly column: string; readonly value: string }[] }
  | { readonly kind: 'text'; readonly text: string; readonly problem: string }
  | { readonly kind: 'gone' };

export type RowShown = {
  readonly row: number;
  /** `null`: it has no outcome yet. */
  readonly settlement: Settlement | null;
  readonly advice: string;
  readonly file: FileShown;
  readonly sent: SentShown;
  /** The body of a refusal as it was received; `null`: none is kept. */
  readonly said: { readonly text: string; readonly restBytes: number } | null;
  readonly chunk: number;
  /** The rows that were one request with it, itself among them; empty where it was alone. */
  readonly group: readonly number[];
  /** Who settled it from in doubt, how and when, in words; empty: nobody did. */
  readonly resolution: string;
};

export type RowPage = RowShown & {
  readonly run: RunHead;
  readonly previous: number | null;
  readonly next: number | null;
  /** What the ledger knows of the row's key, where that is not this row. */
  readonly elsewhere: readonly KnownKey[];
  /** The run that this one is a rerun of, and the latest rerun that has the row. */
  readonly parent: string | null;
  readonly rerun: string | null;
};

export type RowPart = {
  /** `null`: there is no such run, or no such row in it. */
  row(run: string, row: number, visitor: Visitor): Promise<RowPage | null>;
};

export const rowRoutes: readonly Route<RowPart>[] = [
  { method: 'GET', path: '/runs/:id/rows/:row', role: 'operator', answer },
];

async function answer({ params, page, visitor }: Visit<RowPart>): Promise<Reply> {
  const number = rowNumber(params.row ?? '');
  const shown = number === null ? null : await page.row(params.id ?? '', number, visitor);
  if (shown === null) return { kind: 'missing', words: `${NO_RUN.slice(0, -1)}, or it has no such row.` };
  return { kind: 'page', title: `Row ${shown.row} of ${shown.run.id}`, body: <RowView shown={shown} /> };
}

function RowView({ shown }: { readonly shown: RowPage }) {
  const { run, row, previous, next } = shown;
  return (
    <>
      <RunTitle run={run} here="row" />
      <p class="pager">
        {previous === null ? null : (
          <a href={rowAddress(run.id, previous)} rel="prev" data-key="p">
            {`‹ ${numberShown(previous)}`}
          </a>
        )}
        <strong>{`Row ${numberShown(row)}`}</strong>
        {next === null ? null : (
          <a href={rowAddress(run.id, next)} rel="next" data-key="n">
            {`${numberShown(next)} ›`}
          </a>
        )}
      </p>
      <RowHead run={run.id} shown={shown} />
      {shown.advice === '' ? null : (
        <p>
          <Prose of={shown.advice} />
        </p>
      )}
      <ThreeSides shown={shown} />
      <Elsewhere shown={shown} />
    </>
  );
}

/** What became of the row, in a few lines. */
export function RowHead({ run, shown }: { readonly run: string; readonly shown: RowShown }) {
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
        {id === '' ? null : (
          <>
            {' · '}
            <code>
              <Text of={id} />
            </code>
          </>
        )}
      </p>
      {message === '' ? null : (
        <p>
          <Text of={message} bytes={2_000} />
        </p>
      )}
      <p class="dim">
        {[code, status === 0 ? '' : `status ${status}`, times, `chunk ${numberShown(chunk)}`]
          .filter((part) => part !== '')
          .join(' · ')}
      </p>
      {resolution === '' ? null : (
        <p>
          <Text of={resolution} />
        </p>
      )}
      {group.length === 0 ? null : (
        <p>
          {'One request with '}
          {group.map((mate, i) => (
            <>
              {i === 0 ? '' : ', '}
              <a href={rowAddress(run, mate)}>{`row ${numberShown(mate)}`}</a>
            </>
          ))}
        </p>
      )}
    </div>
  );
}

function ThreeSides({ shown: { file, sent, said } }: { readonly shown: RowShown }) {
  return (
    <div class="two">
      <section>
        <h2>What the file says</h2>
        <File file={file} />
      </section>
      <section>
        <h2>What was sent</h2>
        <Sent sent={sent} said={said?.text ?? ''} />
      </section>
      <section>
        <h2>What the service said</h2>
        <Said said={said} />
      </section>
    </div>
  );
}

const CELL_BYTES = 2_000;
const BODY_BYTES = 70_000;

function File({ file }: { readonly file: FileShown }) {
  switch (file.kind) {
    case 'gone':
      return <p class="dim">Cells are kept only of rows that did not succeed.</p>;
    case 'text':
      return (
        <>
          {file.problem === '' ? null : <p>{file.problem}</p>}
          <pre class="text">
            <Lines of={file.text} bytes={BODY_BYTES} />
          </pre>
        </>
      );
    case 'cells':
      return (
        <>
          <dl class="fields">
            {file.cells.slice(0, COLUMNS_SHOWN).map(({ column, value }) => (
              <>
                <dt>
                  <Text of={column} />
                </dt>
                <dd>
                  <Text of={value} bytes={CELL_BYTES} />
                </dd>
              </>
            ))}
          </dl>
          <MoreColumns more={file.cells.length - COLUMNS_SHOWN} />
        </>
      );
    default:
      return file satisfies never;
  }
}

/** `said`: fields that the answer names are marked. */
export function Sent({ sent, said }: { readonly sent: SentShown; readonly said: string }) {
  if (sent.kind === 'nothing') return <p class="dim">{sent.why}</p>;
  return (
    <>
      <p>
        <code>
          <Text of={`${sent.method} ${sent.path}`} />
        </code>
      </p>
      <dl class="fields">
        {sent.fields.map(({ field, value }) => (
          <>
            <dt class={isNamed(field, said) ? 'named' : undefined}>
              <Text of={field} />
            </dt>
            <dd>
              <Text of={value} bytes={CELL_BYTES} />
              {isNamed(field, said) ? <strong class="named"> ◀ the service names it</strong> : null}
            </dd>
          </>
        ))}
      </dl>
      {sent.notes.map((note) => (
        <p class="dim">{note}</p>
      ))}
    </>
  );
}

/** Also as `accounts[0].iban` or `/accounts/0/iban`; a plain word may be one by chance. */
function isNamed(field: string, said: string): boolean {
  const written = [field, field.replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]'), `/${field.replaceAll('.', '/')}`];
  return written.some((path) => (/[.[/]/.test(path) ? said.includes(path) : said.includes(`"${path}"`)));
}

function Said({ said }: { readonly said: RowShown['said'] }) {
  if (said === null) return <p class="dim">No answer of it is kept: only refusals are.</p>;
  const { text, restBytes } = said;
  return (
    <>
      <pre class="text">
        <Lines of={text} bytes={BODY_BYTES} />
      </pre>
      <p class="dim">
        {`As received, ${countOf(Buffer.byteLength(text) + restBytes, 'byte')}${restBytes === 0 ? '' : `; the last ${numberShown(restBytes)} are not kept`}.`}
      </p>
    </>
  );
}

function Elsewhere({ shown: { row, elsewhere, parent, rerun } }: { readonly shown: RowPage }) {
  if (elsewhere.length === 0 && parent === null && rerun === null) return null;
  return (
    <section>
      <h2>Elsewhere</h2>
      <ul>
        {elsewhere.map((key) => (
          <li>
            {'Its key is '}
            {ELSEWHERE[key.is]}
            <a href={rowAddress(key.run, key.row)}>{`row ${numberShown(key.row)} of run ${key.run}`}</a>
            {key.id === '' ? null : (
              <>
                {', as '}
                <code>
                  <Text of={key.id} />
                </code>
              </>
            )}
          </li>
        ))}
        {parent === null ? null : (
          <li>
            <a href={rowAddress(parent, row)}>{`The same row in run ${parent}`}</a>, of which this is a rerun
          </li>
        )}
        {rerun === null ? null : (
          <li>
            <a href={rowAddress(rerun, row)}>{`The same row in run ${rerun}`}</a>, a rerun of this one
          </li>
        )}
      </ul>
    </section>
  );
}

const ELSEWHERE: Readonly<Record<KnownKey['is'], string>> = {
  known: 'that of a record made by ',
  held: 'claimed, and not done yet, by ',
  'in-doubt': 'claimed, and in doubt, by ',
  'given-back': 'free again; it was claimed last by ',
};
