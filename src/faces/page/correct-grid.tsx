/** The grid of rows that are being corrected: each cell, what is wrong with it, and its buttons. */
import type { JobDefinition } from '../../config/job-definition.ts';
import { Lines, Text } from '../../lib/html-text.tsx';
import { countOf, numberShown } from '../../lib/terminal.ts';
import type { Issue } from '../../model/issue.ts';
import type { CellsRow, Row } from '../../model/row.ts';
import type { Run } from '../../model/run.ts';
import { expectedWords, issueWords, messageOf } from '../../model/sentence.ts';
import { rowOf, type WrongRow } from '../../runs/correcting.ts';
import { Wide } from '../../runs/report/html/parts.tsx';
import { reasonOf } from '../../runs/report/remainder.ts';
import { runPath } from './runs.tsx';

/** A row as it stands in the form. */
export type Edited = {
  readonly wrong: WrongRow;
  readonly now: CellsRow;
  /** As it would be loaded. */
  readonly row: Row;
  /** But for those of cells that are ticked as right. */
  readonly issues: readonly Issue[];
  /** One that could not be read: its cells are said to be right. */
  readonly isChanged: boolean;
  /** Of what could not be read: the lines that are not ticked are said to be no records. */
  readonly isRestNone: boolean;
  /** Of cells that only look damaged; none where something of its request is changed. */
  readonly doubtful: readonly Doubtful[];
};

/** `name`: of its tick. */
export type Doubtful = {
  readonly name: string;
  readonly at: number;
  readonly issue: Issue;
  readonly isRight: boolean;
};

export type Screen = {
  readonly run: Run;
  readonly definition: JobDefinition;
  readonly edited: readonly Edited[];
  readonly total: number;
  /** Of the open rows, those that could not be read and are not on this screen. */
  readonly unread: number;
  readonly next: number | null;
  /** Of the file, by their places. */
  readonly columns: readonly number[];
  readonly keyAt: number;
  readonly nameAt: number;
  readonly asked: AskedFor;
};

type AskedFor = {
  readonly code: string | null;
  readonly after: number;
  readonly isWhole: boolean;
  /** How somebody knows that cells are right. */
  readonly why: string;
};

/** Of a workbook's number cell, in a row that is changed: what it says is sent as text. */
export function textTick(row: number, at: number): string {
  return `${row}.${at}.text`;
}

/** That the other lines of a row are no records. */
export function restTick(row: number): string {
  return `${row}.rest`;
}

/**
 * Rows that could not be read and can't go yet: each of their lines is to be a record that can be
 * sent, or said to be none, so that none is lost beside another.
 */
export function tornRows(edited: readonly Edited[]): ReadonlySet<number> {
  const isOpen = ({ wrong, isChanged, isRestNone, issues }: Edited) =>
    wrong.unread !== null && (isChanged ? issues.length > 0 : wrong.part === 0 || !isRestNone);
  return new Set(edited.filter(isOpen).map(({ wrong }) => rowOf(wrong)));
}

/** What one button says of all cells that look damaged in the same way. */
export function likenessOf(issue: Pick<Issue, 'code' | 'expected' | 'values' | 'settings'>): string {
  return `${issue.code} ${expectedWords(issue)}`;
}

/** Where more than one cell looks damaged in the same way. */
export function AllAlike({ edited }: Pick<Screen, 'edited'>) {
  const open = edited.flatMap(({ doubtful }) => doubtful.filter(({ isRight }) => !isRight));
  const groups = new Map<string, Doubtful[]>();
  for (const one of open) {
    const likeness = likenessOf(one.issue);
    groups.set(likeness, [...(groups.get(likeness) ?? []), one]);
  }
  return (
    <>
      {[...groups].map(([likeness, [first, ...others]]) =>
        first === undefined || others.length === 0 ? null : (
          <p class="acts">
            <button type="submit" name="alike" value={likeness}>
              {`These ${others.length + 1} are right`}
            </button>{' '}
            <span class="dim">
              <Text of={issueWords(first.issue)} bytes={300} />
            </span>
          </p>
        ),
      )}
    </>
  );
}

export function Grid({ screen }: { readonly screen: Screen }) {
  const { run, edited, columns, keyAt, nameAt } = screen;
  const shownAt = columns.filter((at) => at !== keyAt && at !== nameAt);
  const heads = shownAt.map((at) => run.source.columns[at] ?? '');
  return (
    <Wide name="Rows to correct">
      <table class="list grid">
        <thead>
          <tr>
            <th scope="col" class="n">
              row
            </th>
            <th scope="col">key</th>
            {nameAt === -1 ? null : (
              <th scope="col">
                <Text of={run.source.columns[nameAt] ?? ''} bytes={100} />
              </th>
            )}
            {heads.map((head) => (
              <th scope="col">
                <Text of={head} bytes={100} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {edited.map((row) => (
            <>
              <Unread row={row} edited={edited} width={shownAt.length + (nameAt === -1 ? 2 : 3)} />
              <GridRow row={row} screen={screen} shownAt={shownAt} />
            </>
          ))}
        </tbody>
      </table>
    </Wide>
  );
}

type UnreadProps = {
  readonly row: Edited;
  readonly edited: readonly Edited[];
  readonly width: number;
};

/** Above its cells: what stands in the file, and the tick that says that they are read right. */
function Unread({ row, edited, width }: UnreadProps) {
  const { wrong, isChanged, issues, isRestNone } = row;
  const { unread, part } = wrong;
  if (unread === null) return null;
  const words = isChanged ? issues.map(issueWords) : [];
  const problems =
    words.length === 0 ? null : (
      <p class="bad">
        <Text of={`It can't be sent yet: ${words.join('; ')}`} bytes={500} />
      </p>
    );
  if (part > 0)
    return (
      <tr class="unread">
        <td colspan={width}>
          <label class="tick">
            <input type="checkbox" name="read" value={String(unread.row)} checked={isChanged} /> Line{' '}
            {numberShown(unread.line)} of it is a record of its own, with these cells
          </label>
          {problems}
        </td>
      </tr>
    );
  return (
    <tr class="unread">
      <td colspan={width}>
        <p>
          <Text of={`Row ${numberShown(unread.row)} could not be read. ${unread.problem}.`} bytes={700} />
        </p>
        <pre tabindex={0} class="text">
          <Lines of={unread.text} bytes={4_000} />
        </pre>
        <label class="tick">
          <input type="checkbox" name="read" value={String(unread.row)} checked={isChanged} /> The cells below
          are the whole record.
        </label>
        {edited.some((other) => other.wrong.part > 0 && rowOf(other.wrong) === rowOf(wrong)) ? (
          <label class="tick">
            <input type="checkbox" name="read" value={restTick(rowOf(wrong))} checked={isRestNone} /> Its
            lines that are not ticked below are no records, and are not sent. Until each is one or the other,
            the row can't go.
          </label>
        ) : null}
        {problems}
      </td>
    </tr>
  );
}

type GridRowProps = { readonly row: Edited; readonly screen: Screen; readonly shownAt: readonly number[] };

function GridRow({ row, screen, shownAt }: GridRowProps) {
  const { run, keyAt, nameAt } = screen;
  const { wrong, now } = row;
  const place = (at: number) => (
    <Cell
      row={row}
      at={at}
      column={run.source.columns[at] ?? ''}
      like={at === keyAt || at === nameAt ? 0 : likeIt(screen.edited, row, at)}
    />
  );
  const isKeyOpen = KEY_FAULTS.has(wrong.settlement.code) && keyAt !== -1;
  return (
    <tr class={row.isChanged ? 'changed' : undefined}>
      <th scope="row" class="n">
        {wrong.part > 0 ? '+' : <a href={runPath(run.id, `/rows/${now.row}`)}>{numberShown(now.row)}</a>}
      </th>
      <td>
        {isKeyOpen ? place(keyAt) : <Text of={wrong.settlement.key} bytes={120} />}
        <RowWords row={row} columns={run.source.columns} />
      </td>
      {nameAt === -1 ? null : <td>{place(nameAt)}</td>}
      {shownAt.map((at) => (
        <td>{place(at)}</td>
      ))}
    </tr>
  );
}

/** Elsewhere the key says which row it is. */
const KEY_FAULTS: ReadonlySet<string> = new Set([
  'duplicate_key',
  'key_alike',
  'empty_key',
  'totals_row',
  'unreadable_row',
]);

/** What is wrong with no single cell. */
function RowWords({ row, columns }: { readonly row: Edited; readonly columns: readonly string[] }) {
  const { wrong, issues, isChanged } = row;
  if (wrong.unread !== null && !isChanged) return null;
  const ofRow = issues.filter(({ column }) => column === null || !columns.includes(column)).map(issueWords);
  // What its cells alone don't show, such as a key that an earlier row of the file has.
  if (row.doubtful.some(({ isRight }) => isRight)) return null;
  const isShown = (issues.length === 0 || wrong.settlement.outcome !== 'invalid') && !isChanged;
  const said = isShown ? [reasonOf(wrong) || messageOf(wrong.settlement)] : [];
  return (
    <>
      {[...said, ...ofRow].map((one) => (
        <small class="bad">
          <Text of={one} bytes={300} />
        </small>
      ))}
    </>
  );
}

type CellProps = {
  readonly row: Edited;
  readonly at: number;
  readonly column: string;
  /** Other rows that said the same there, and still do. */
  readonly like: number;
};

function likeIt(edited: readonly Edited[], { wrong, now }: Edited, at: number): number {
  const before = wrong.source.cells[at];
  if (now.cells[at] === before) return 0;
  return edited.filter((one) => one.wrong.source.cells[at] === before && one.now.cells[at] === before).length;
}

type AsTextProps = {
  readonly row: CellsRow;
  readonly at: number;
  readonly isChanged: boolean;
  /** The workbook holds a number, a date or a boolean there. */
  readonly isTyped: boolean;
};

/** Its row goes into a file, where it is written as text: no file says that a cell is right. */
function AsText({ row, at, isChanged, isTyped }: AsTextProps) {
  if (!isTyped || !isChanged) return null;
  return (
    <label class="right">
      <input
        type="checkbox"
        name="text"
        value={textTick(row.row, at)}
        checked={row.typed?.includes(at) !== true}
      />{' '}
      it is right, as text
    </label>
  );
}

function Cell({ row: { wrong, now, issues, doubtful, isChanged }, at, column, like }: CellProps) {
  const value = now.cells[at] ?? '';
  // A field of one line would lose them.
  if (/[\r\n]/.test(wrong.source.cells[at] ?? '')) return <Text of={value} bytes={300} />;
  const own = issues.filter((issue) => issue.column === column);
  const name = `c${now.row}.${at}`;
  const isNew = value !== wrong.source.cells[at];
  return (
    <>
      <span class="of" aria-hidden="true">
        <Text of={column} bytes={100} />
      </span>
      <input
        name={name}
        value={value}
        autocomplete="off"
        spellcheck={false}
        class={isNew ? 'changed' : undefined}
        aria-label={`${column} of row ${now.row}`}
        aria-invalid={own.length > 0 ? 'true' : undefined}
        aria-describedby={own.length > 0 ? `w${name}` : undefined}
      />
      {like === 0 ? null : (
        <button type="submit" name="same" value={name}>
          {`The same for ${countOf(like, 'more row')} like it`}
        </button>
      )}
      {own.length === 0 ? null : (
        <small class="bad" id={`w${name}`}>
          <Text of={own.map(ofCell).join('; ')} bytes={300} />
        </small>
      )}
      <AsText row={now} isChanged={isChanged} at={at} isTyped={wrong.source.typed?.includes(at) === true} />
      {doubtful
        .filter((one) => one.at === at)
        .map(({ name: tick, isRight, issue }) => (
          <label class="right">
            <input
              type="checkbox"
              name="right"
              value={tick}
              checked={isRight}
              aria-label={`${column} of row ${now.row} is right: ${ofCell(issue)}`}
            />{' '}
            it is right
            {isRight ? (
              <small class="dim">
                {' '}
                <Text of={`(it looks damaged: ${ofCell(issue)})`} bytes={300} />
              </small>
            ) : null}
          </label>
        ))}
    </>
  );
}

/** The column stands above it. */
function ofCell(issue: Issue): string {
  return issueWords({ ...issue, column: null });
}
