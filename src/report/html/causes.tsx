/**
 * The sections of report.html about rows without success: why, each cause once, with where in the file they are and what to do; and
 * the first of these rows themselves. Empty where every row succeeded.
 */
import { StackedStrip, Strip } from '../../lib/chart/strip.tsx';
import { Prose, Text } from '../../lib/html-text.tsx';
import { countOf, numberShown } from '../../lib/terminal.ts';
import { needingRows, type RowCause, saidOf, UNTOLD } from '../../model/digest.ts';
import type { Note } from '../../model/note.ts';
import { OUTCOMES, type Outcome } from '../../model/outcome.ts';
import { remainderOf } from '../remainder.ts';
import { keyShown, type Page, wordsShown } from './model.ts';
import { outcomeWords } from './words.ts';

type Props = { readonly page: Page };

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
      <Noted note={page.notes.get(cause.id)} page={page} />
      <p class="dim">
        <Examples cause={cause} page={page} />
      </p>
    </section>
  );
}

/** Words of people here, which are nobody's business elsewhere. */
function Noted({ note, page }: Props & { readonly note: Note | undefined }) {
  if (note === undefined || page.isShared) return null;
  return (
    <p>
      Note: <Text of={wordsShown(note.text, page)} bytes={NOTE_BYTES} />{' '}
      <span class="dim">
        (<Text of={note.by} bytes={NAME_BYTES} />, {note.at.slice(0, 10)})
      </span>
    </p>
  );
}

const NOTE_BYTES = 600;
const NAME_BYTES = 80;

function shareOf(count: number, total: number): string {
  const share = (100 * count) / total;
  return count === total ? 'all of them' : share < 1 ? 'under 1 %' : `${Math.floor(share)} %`;
}

/** The cause's text: fields that it names stand first, with the columns that they are made of. */
function Said({ cause, page }: Omit<CauseProps, 'total'>) {
  const { text, columns } = cause;
  const { fields, words: rest, isUntold } = saidOf(cause);
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
        ? 'The words of the service are in rejections.jsonl: too few rows have the same to tell them here.'
        : null}
      {text === '' && cause.outcome === 'rejected' ? 'The service does not say why.' : null}
      <Text of={wordsShown(rest, page)} />
    </>
  );
}

function Examples({ cause: { examples, count }, page }: Omit<CauseProps, 'total'>) {
  return (
    <>
      {examples.length === 1 ? 'Row' : 'Rows'}{' '}
      {examples.map(({ row, line, key }, i) => (
        <>
          {i === 0 ? '' : ' · '}
          {numberShown(row)} (line {numberShown(line)}
          {keyShown(key, page) === '' ? null : (
            <>
              , <Text of={keyShown(key, page)} bytes={KEY_BYTES} />
            </>
          )}
          )
        </>
      ))}
      {count > examples.length ? ' · …' : ''}
    </>
  );
}

const KEY_BYTES = 130;

/** The first rows that need somebody, those in doubt before all others: a screenful, and the rest folded up. */
export function Needing({ page }: Props) {
  const { needing } = page.digest;
  if (needing.length === 0) return null;
  const more = needingRows(page.digest) - needing.length;
  const files = page.summary.files.filter((file) => remainderOf(file) !== null);
  const folded = needing.slice(SCREENFUL);
  return (
    <section>
      <h2>Rows that need somebody</h2>
      <NeedingTable rows={needing.slice(0, SCREENFUL)} page={page} label="Rows that need somebody" />
      {folded.length === 0 ? null : (
        <details>
          <summary>{`The next ${countOf(folded.length, 'row')}`}</summary>
          <NeedingTable rows={folded} page={page} label="The next rows that need somebody" />
        </details>
      )}
      {more === 0 ? null : <p>{`${numberShown(more)} more in ${files.join(', ')}.`}</p>}
    </section>
  );
}

const SCREENFUL = 25;

type NeedingProps = Props & { readonly rows: Page['digest']['needing']; readonly label: string };

function NeedingTable({ rows, page, label }: NeedingProps) {
  return (
    <section class="scroll" tabindex={0} aria-label={label}>
      <table class="list">
        <thead>
          <tr>
            <th class="n">row</th>
            <th class="n">line</th>
            {page.isShared ? null : <th>key</th>}
            <th>outcome</th>
            <th>why</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ row, line, key, outcome, code, why }) => (
            <tr>
              <td class="n">{numberShown(row)}</td>
              <td class="n">{line === 0 ? '' : numberShown(line)}</td>
              {page.isShared ? null : (
                <td class="mono">
                  <Text of={keyShown(key, page)} bytes={KEY_BYTES} />
                </td>
              )}
              <td class="o">{outcomeWords(outcome)}</td>
              <td>
                <Text of={whyShown(why, code, page)} bytes={WHY_BYTES} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const WHY_BYTES = 200;

function whyShown(why: string, code: string, page: Page): string {
  if (why === '' || why === UNTOLD) return code;
  return wordsShown(why.replaceAll(/(^| )@/g, '$1'), page);
}

function Swatch({ kind }: { readonly kind: Outcome }) {
  return (
    <span class="sw">
      <svg viewBox="0 0 8 8" aria-hidden="true">
        <rect width="8" height="8" class={`f-${kind}`} />
      </svg>
    </span>
  );
}
