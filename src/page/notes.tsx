/** The note on a cause: what people want to tell who meets it next. */
import { readNotes } from '../ledger/notes.ts';
import { NOTE_CHARACTERS } from '../model/note.ts';
import { runPath } from '../web/runs.tsx';
import type { Reply, Route, Visit } from '../web/visit.ts';
import { findRun, NO_RUN, refused, STANDS_ALONE, told } from './acting.tsx';
import type { Desk } from './desk.ts';

export const noteRoutes: readonly Route<Desk>[] = [
  { method: 'GET', path: '/causes/:id/note', role: 'operator', answer: writeNote },
  { method: 'POST', path: '/causes/:id/note', role: 'operator', answer: note },
];

async function note({ params, form, page, visitor }: Visit<Desk>): Promise<Reply> {
  const run = form.get('run') ?? '';
  if (page.ask === null) return refused(run, [STANDS_ALONE]);
  const ask = { kind: 'note', run, cause: params.id ?? '', text: form.get('text') ?? '' } as const;
  const answer = await page.ask(ask, visitor);
  if (answer.kind !== 'done') return told(run, answer);
  return { kind: 'redirect', to: runPath(run) };
}

/** On a page of its own, since what is typed in a part that is made anew each second would be lost. */
async function writeNote({ params, query, page }: Visit<Desk>): Promise<Reply> {
  const run = query.get('run') ?? '';
  const cause = params.id ?? '';
  const found = await findRun(run, page);
  if (found === null) return NO_RUN;
  const { redis } = page.ledger;
  const notes = await readNotes(redis, page.ledger.of(found.target).keys, [cause]);
  return {
    kind: 'page',
    title: 'Note on a cause',
    body: (
      <>
        <h1>Note on a cause</h1>
        <p>
          It shows beside this cause at every run that has it, to all who see the page. Without text it is
          removed.
        </p>
        <form method="post" action={`/causes/${encodeURIComponent(cause)}/note`}>
          <input type="hidden" name="run" value={run} />
          <p>
            <label>
              Note
              <br />
              <textarea name="text" rows={5} cols={60} maxlength={NOTE_CHARACTERS}>
                {notes.get(cause)?.text}
              </textarea>
            </label>
          </p>
          <p class="acts">
            <button type="submit" class="go">
              Keep the note
            </button>
            <a href={runPath(run)}>Leave it as it is</a>
          </p>
        </form>
      </>
    ),
  };
}
