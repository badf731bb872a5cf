/**
 * A file as it comes in, and the jobs that would fit it. The page itself never reads the file: that
 * is done by processes of their own. What comes then is mapping.tsx, where no job fits, and
 * checking.tsx.
 */
import { Text } from '../lib/html-text.tsx';
import { countOf, numberShown } from '../lib/terminal.ts';
import { GONE } from './checking.tsx';
import { Problems } from './mapping.tsx';
import { inFormWords, type Reading, ReadOtherwise, readingIn, readingProposed } from './reading.tsx';
import type { Reply, Route, Visit } from './visit.ts';
import { COLUMNS_SHOWN, MoreColumns } from './words.tsx';

export type UploadShown = {
  readonly id: string;
  /** The file's name, as it was chosen. */
  readonly given: string;
  readonly by: string;
  readonly at: string;
  readonly bytes: number;
};

/** A job, and how well the file goes with it. */
export type FittingJob = {
  readonly name: string;
  readonly operation: string;
  /** Its `files` take a file of that name. */
  readonly isNamed: boolean;
  /** What of the columns doesn't fit it. */
  readonly problems: readonly string[];
};

export type Looked =
  | {
      readonly kind: 'read';
      /** How it was understood, in few words, and by which settings. */
      readonly understood: string;
      readonly reading: Reading;
      readonly notes: readonly string[];
      readonly columns: readonly string[];
      readonly rows: ReadonlyArray<{ readonly line: number; readonly cells: readonly string[] }>;
      /** Best first. */
      readonly jobs: readonly FittingJob[];
    }
  | { readonly kind: 'unreadable'; readonly problems: readonly string[] };

export type FilesPart = {
  /** Throws a UsageError where the file is too large, or there is no room. */
  receive(given: string, by: string, bytes: AsyncIterable<Uint8Array>): Promise<UploadShown>;
  uploads(): Promise<readonly UploadShown[]>;
  upload(id: string): Promise<UploadShown | null>;
  discard(id: string): Promise<void>;
  /** Without settings of somebody's own, those of a job that it fits are tried too. */
  look(id: string, reading: Reading): Promise<Looked>;
};

export const filesRoutes: readonly Route<FilesPart>[] = [
  { method: 'GET', path: '/upload', role: 'operator', answer: showUploads },
  { method: 'PUT', path: '/uploads', role: 'operator', answer: receive },
  { method: 'GET', path: '/uploads/:id', role: 'operator', answer: showUpload },
  { method: 'POST', path: '/uploads/:id/discard', role: 'operator', answer: discard },
];

async function showUploads({ page }: Visit<FilesPart>): Promise<Reply> {
  const uploads = await page.uploads();
  return {
    kind: 'page',
    title: 'Upload',
    body: (
      <>
        <h1>Upload a file</h1>
        <p>
          A CSV, JSON, NDJSON or Excel (.xlsx) file as the partner sends it. Nothing is sent to the service
          before you have seen what would be sent, and said so.
        </p>
        <div class="drop" data-upload="/uploads">
          <label class="btn go">
            Choose a file <input type="file" class="unseen" />
          </label>{' '}
          <span class="dim">or drop it here</span>
          <progress max={100} value={0} hidden aria-label="How much of it is here" />
          <p role="status" />
        </div>
        <noscript>
          <p>
            Uploads need the page's script. Without it, put the file into the inbox folder, or use{' '}
            <code>onboard run</code>.
          </p>
        </noscript>
        {uploads.length === 0 ? null : (
          <section>
            <h2>Here already</h2>
            <table class="list">
              <thead>
                <tr>
                  <th scope="col">file</th>
                  <th scope="col" class="n">
                    bytes
                  </th>
                  <th scope="col">by</th>
                  <th scope="col">came in</th>
                  <th scope="col" />
                </tr>
              </thead>
              <tbody>
                {uploads.map(({ id, given, bytes, by, at }) => (
                  <tr>
                    <td>
                      <a href={`/uploads/${id}`}>
                        <Text of={given} bytes={150} />
                      </a>
                    </td>
                    <td class="n">{numberShown(bytes)}</td>
                    <td>
                      <Text of={by} bytes={80} />
                    </td>
                    <td>
                      <time datetime={at}>{at}</time>
                    </td>
                    <td>
                      <Discard id={id} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        )}
      </>
    ),
  };
}

function Discard({ id }: { readonly id: string }) {
  return (
    <form method="post" action={`/uploads/${id}/discard`}>
      <button type="submit">Discard</button>
    </form>
  );
}

/** The browser goes to the upload's own page itself. */
async function receive({ query, bytes, page, visitor }: Visit<FilesPart>): Promise<Reply> {
  if (bytes === null) return { kind: 'missing', words: 'No file came.' };
  const { id } = await page.receive(query.get('name') ?? '', visitor.name, bytes);
  return { kind: 'json', value: { to: `/uploads/${id}` } };
}

async function discard({ params, page }: Visit<FilesPart>): Promise<Reply> {
  await page.discard(params.id ?? '');
  return { kind: 'redirect', to: '/upload' };
}

async function showUpload({ params, query, page }: Visit<FilesPart>): Promise<Reply> {
  const upload = await page.upload(params.id ?? '');
  if (upload === null) return GONE;
  const reading = readingIn(query);
  const looked = await page.look(upload.id, reading);
  return {
    kind: 'page',
    title: upload.given,
    body: (
      <>
        <h1>
          <Text of={upload.given} bytes={150} />
        </h1>
        {looked.kind === 'unreadable' ? (
          <>
            <p>It can't be read so. Nothing was sent.</p>
            <Problems of={looked.problems.map(inFormWords)} />
            <ReadOtherwise
              id={upload.id}
              given={upload.given}
              reading={{ ...reading, ...readingProposed(looked.problems) }}
            />
          </>
        ) : (
          <>
            <p class="dim">
              <Text of={`${looked.understood}; ${countOf(looked.columns.length, 'column')}.`} />
            </p>
            {looked.notes.map((note) => (
              <p>
                <Text of={inFormWords(note)} bytes={500} />
              </p>
            ))}
            <details>
              <summary>Read it otherwise</summary>
              <ReadOtherwise id={upload.id} given={upload.given} reading={looked.reading} />
            </details>
            <Jobs upload={upload} looked={looked} chosen={query.get('job')} />
            <FirstRows looked={looked} />
          </>
        )}
        <Discard id={upload.id} />
      </>
    ),
  };
}

const MISFITS_SHOWN = 3;

/** Which job takes it: those that fit, and a new one. */
function Jobs({
  upload: { id },
  looked: { jobs, reading },
  chosen,
}: {
  readonly upload: UploadShown;
  readonly looked: Extract<Looked, { kind: 'read' }>;
  readonly chosen: string | null;
}) {
  const fitting = jobs.filter(({ problems }) => problems.length === 0);
  const others = jobs.filter(({ problems }) => problems.length > 0);
  const first = fitting.find(({ name }) => name === chosen) ?? fitting[0];
  return (
    <section>
      <h2>Which job takes it?</h2>
      {first === undefined ? <p>None of the jobs fits this file.</p> : null}
      {first === undefined ? null : (
        <form method="post" action={`/uploads/${id}/check`}>
          {fitting.map(({ name, operation, isNamed }) => (
            <p>
              <label>
                <input type="radio" name="job" value={name} checked={name === first.name} /> <b>{name}</b>{' '}
                <span class="dim">
                  {operation}
                  {isNamed ? ', takes files of this name' : ''}
                </span>
              </label>
            </p>
          ))}
          <p class="acts">
            <button type="submit" class="go">
              Check the file with it
            </button>
          </p>
        </form>
      )}
      <p>
        <a href={`/uploads/${id}/map?${new URLSearchParams(reading)}`}>Make a new job for it</a>: choose which
        column is which field.
      </p>
      {others.length === 0 ? null : (
        <details>
          <summary>{`${countOf(others.length, 'job')} that can't take it, and why`}</summary>
          <dl>
            {others.map(({ name, problems }) => (
              <>
                <dt>{name}</dt>
                <dd>
                  <Text of={problems.slice(0, MISFITS_SHOWN).join(' ')} bytes={1_000} />
                </dd>
              </>
            ))}
          </dl>
        </details>
      )}
    </section>
  );
}

const ROWS_SHOWN = 10;

function FirstRows({ looked }: { readonly looked: Extract<Looked, { kind: 'read' }> }) {
  return (
    <section>
      <h2>Its first rows</h2>
      <MoreColumns more={looked.columns.length - COLUMNS_SHOWN} />
      <section class="scroll" tabindex={0} aria-label="First rows">
        <table>
          <thead>
            <tr>
              <th scope="col" class="n">
                line
              </th>
              {looked.columns.slice(0, COLUMNS_SHOWN).map((column) => (
                <th scope="col">
                  <Text of={column} bytes={100} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {looked.rows.slice(0, ROWS_SHOWN).map(({ line, cells }) => (
              <tr>
                <td class="n">{line}</td>
                {cells.slice(0, COLUMNS_SHOWN).map((cell) => (
                  <td>
                    <Text of={cell} bytes={100} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}
