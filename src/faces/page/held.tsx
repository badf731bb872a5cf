/**
 * Rows that are held for their account: whoever has called the payee says that the account was
 * changed at the service, or that several payees may have it. One of a kind at a time.
 */
import { Text } from '../../lib/html-text.tsx';
import { numberShown } from '../../lib/terminal.ts';
import type { Run } from '../../model/run.ts';
import { accountsAt, type OpenRow, rowsToWriteOff } from '../../runs/account.ts';
import { HELD_CODES, type HeldCode } from '../../runs/held-accounts.ts';
import { placesOfFile } from '../../runs/inbox/settle.ts';
import { accountsBeside, type Beside, besideWords, placeOf } from '../../runs/known-accounts.ts';
import { Table } from '../../runs/report/html/parts.tsx';
import type { Reply } from '../web/visit.ts';
import { askFor, refusedFor, told, WHY_CHARACTERS } from './acting.tsx';
import type { PageContext, PageRoute, PageVisit } from './page-context.ts';
import { ofRun } from './rows.tsx';
import { namesOf, openRunRows, rowNumber } from './run-rows.ts';
import { runPath } from './runs.tsx';

export const heldRoutes: readonly PageRoute[] = [
  { method: 'GET', path: '/runs/:id/held', role: 'operator', answer: ofRun(showHeld) },
  { method: 'POST', path: '/runs/:id/held', role: 'operator', answer: decideHeld },
];

/** Anybody else's, of a payee who is asked by what came with the file, is worth nothing. */
const CALL_FIRST =
  'Call the payee first, by a way that you knew before, never by one that came with the file.';

const SAID: Readonly<
  Record<HeldCode, { readonly title: string; readonly words: string; readonly go: string }>
> = {
  account_changed: {
    title: 'Another account than is known',
    words:
      'A draft is never updated. Where the account is right, change it at the service by hand: it is the known one ' +
      'from then on, and these rows are written off.',
    go: 'It is changed at the service',
  },
  account_shared: {
    title: 'An account of another payee',
    words:
      'Where several payees have it by right, such as those of a factoring or payroll firm, it holds no row any ' +
      'more, nor one of a later file. Send the rows again then.',
    go: 'Several payees may have it',
  },
};

async function showHeld(run: Run, { page }: PageVisit): Promise<Reply> {
  const open = await rowsToWriteOff(run.id, accountsAt(run.target, page.ledger));
  const ofCode = HELD_CODES.map(async (code) => {
    const rows = open.filter(({ last }) => last.code === code);
    return { code, rows, listed: await listedOf(rows, run, page) };
  });
  const held = (await Promise.all(ofCode)).filter(({ rows }) => rows.length > 0);
  const title = 'Rows held for their account';
  const body = (
    <>
      <h1>{title}</h1>
      {held.length === 0 ? <p>No open row of this run is held for its account.</p> : <p>{CALL_FIRST}</p>}
      {held.map((of) => (
        <Held run={run} {...of} />
      ))}
      <p>
        <a href={runPath(run.id)}>Leave them as they are</a>
      </p>
    </>
  );
  return { kind: 'page', title, body };
}

const MOVED: HeldCode = 'account_changed';

const ROWS_LISTED = 200;

type Listed = OpenRow & {
  /** What the record is called. */
  readonly name: string;
  /** Of rows that are held for it, where both are known. */
  readonly accounts: Beside | undefined;
};

/** The rows may stand in several runs by now. */
async function listedOf(rows: readonly OpenRow[], of: Run, page: PageContext): Promise<readonly Listed[]> {
  const listed = rows.slice(0, ROWS_LISTED);
  const names = await namesOfAll(listed, page);
  const moved = listed.flatMap(({ last }) => (last.code === MOVED ? [last] : []));
  const placesOf = (run: Run) => placesOfFile(run, page.env.home);
  const accounts = await accountsBeside(moved, of.target, { ledger: page.ledger, placesOf });
  return listed.map((one) => {
    const place = placeOf(one.last);
    return { ...one, name: names.get(place) ?? '', accounts: accounts.get(place) };
  });
}

async function namesOfAll(rows: readonly OpenRow[], page: PageContext): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const run of new Set(rows.map(({ last }) => last.run))) {
    const opened = await openRunRows(page, run);
    const numbers = rows.filter(({ last }) => last.run === run).map(({ last }) => last.row);
    const found = opened === null ? [] : await namesOf(opened, numbers);
    for (const [row, name] of found) names.set(placeOf({ run, row }), name);
  }
  return names;
}

type HeldProps = {
  readonly run: Run;
  readonly code: HeldCode;
  readonly rows: readonly OpenRow[];
  readonly listed: readonly Listed[];
};

function Held({ run, code, rows, listed }: HeldProps) {
  const { title, words, go } = SAID[code];
  return (
    <form method="post" action={runPath(run.id, '/held')}>
      <h2>{title}</h2>
      <p>{words}</p>
      <input type="hidden" name="code" value={code} />
      <Table
        name={title}
        class="list rows"
        heads={[{ n: 'Row' }, 'Key', 'Name', ...(code === MOVED ? ['Account'] : [])]}
        rows={listed.map(({ row, last, name, accounts }) => [
          <label>
            <input type="checkbox" name="rows" value={String(row)} /> {numberShown(row)}
          </label>,
          <a href={runPath(last.run, `/rows/${last.row}`)}>
            <Text of={last.key} bytes={120} />
          </a>,
          <Text of={name} bytes={120} />,
          ...(code === MOVED ? [accountCell(accounts)] : []),
        ])}
      />
      {rows.length <= ROWS_LISTED ? null : (
        <p>{`The first ${ROWS_LISTED} of ${numberShown(rows.length)}.`}</p>
      )}
      <p>
        <label>
          Why <input name="why" maxlength={WHY_CHARACTERS} size={40} required />
        </label>{' '}
        <button type="submit">{go}</button>
      </p>
    </form>
  );
}

function accountCell(beside: Beside | undefined) {
  return beside === undefined ? '' : <Text of={besideWords(beside)} />;
}

async function decideHeld(visit: PageVisit): Promise<Reply> {
  const { params, form } = visit;
  const run = params.id ?? '';
  const code = HELD_CODES.find((one) => one === form.get('code'));
  const rows = form.getAll('rows').flatMap((text) => rowNumber(text) ?? []);
  const back = runPath(run, '/held');
  if (code === undefined || rows.length === 0) return told(refusedFor([ROWS_EXPECTED]), back);
  const why = (form.get('why') ?? '').slice(0, WHY_CHARACTERS);
  return told(await askFor(visit, { kind: 'held', run, code, rows, why }), back);
}

const ROWS_EXPECTED = 'Expected rows to be chosen. Nothing was changed.';
