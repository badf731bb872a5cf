/**
 * A run as its page shows it, and the files of its report. What moves is read from what counts of it alone; its record, which for a large
 * run is large, once for as long as it is looked at. Files are those that the report's summary names, and no path comes from a request.
 */
import { createReadStream, existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readBriefs } from '../ledger/brief.ts';
import { readAttempts, readHistory } from '../ledger/history.ts';
import { readNotes } from '../ledger/notes.ts';
import { insteadOf } from '../lib/errors.ts';
import { createRecentMap } from '../lib/recent.ts';
import { REQUEST_SECONDS } from '../metrics/meter.ts';
import { type Digest, needingRows, saidOf } from '../model/digest.ts';
import { type LatencySlot, ratesOf, tellStory } from '../model/history.ts';
import type { Note } from '../model/note.ts';
import type { Run } from '../model/run.ts';
import { readSummary } from '../report/report.ts';
import { requestWords } from '../report/words.ts';
import { serviceWords } from '../runs/service-notice.ts';
import { serviceReport, stateOf } from '../runs/status.ts';
import { reportDirectory } from '../session.ts';
import type { CauseShown } from '../web/causes.tsx';
import type { LatencyShown, RunPart, RunShown } from '../web/run.tsx';
import type { Desk } from './desk.ts';
import { createDigests } from './digests.ts';
import { lineOf, paceOf } from './run-lines.ts';

const KEPT = 16;
const SUMMARY = 'summary.json';
const PAGE = 'report.html';

export function createRunPart(desk: Desk): RunPart {
  const { ledger, env } = desk;
  const digests = createDigests(desk);
  const kept = createRecentMap<string, Run>(KEPT);

  /** With the moving parts of the record as they are now; `null`: there is no such run. */
  async function lookAt(id: string) {
    const target = await ledger.index.targetOf(id);
    if (target === null) return null;
    const { keys, store } = ledger.of(target);
    const [brief] = await readBriefs(ledger.redis, keys, [id]);
    const known = kept.get(id) ?? (await store.get(id));
    if (brief === undefined || known === null) return null;
    kept.set(id, known);
    return { brief, keys, store, run: { ...known, ...brief } };
  }

  return {
    async run(id, visitor): Promise<RunShown | null> {
      const found = await lookAt(id);
      if (found === null) return null;
      const { brief, keys, store, run } = found;
      const now = Date.now();
      const [isLeased, pace, history, attempts, digest, report, summary] = await Promise.all([
        store.hasLease(id),
        paceOf(ledger, brief, now),
        readHistory(ledger.redis, keys, id),
        readAttempts(ledger.redis, keys, id),
        digests.of(run),
        serviceReport(ledger, run.target),
        readSummary(reportDirectory(env, id)),
      ]);
      const causes = digest.causes.slice(0, CAUSES_SHOWN).map((cause) => cause.id);
      const notes = await readNotes(ledger.redis, keys, causes);
      return {
        run: lineOf(brief, now, stateOf(run, isLeased)),
        parent: run.parent,
        request: run.request === undefined ? '' : requestWords(run.request),
        service: report.state === 'well' ? '' : serviceWords(report),
        perSecond: pace.perSecond,
        left: pace.left,
        stretches: ratesOf(history.pulse),
        story: tellStory(run, history.story),
        latency: latencyOf(attempts),
        digest: digestShown(digest, run, notes),
        files: summary === null || visitor.role === 'viewer' ? [] : [SUMMARY, ...summary.files],
        hasReport: summary?.files.includes(PAGE) === true,
      };
    },
    async report(id) {
      const found = await lookAt(id);
      if (found === null) return null;
      return readFile(join(reportDirectory(env, found.run.id), PAGE)).catch(insteadOf('ENOENT', null));
    },
    async file(id, name) {
      const found = await lookAt(id);
      if (found === null) return null;
      const folder = reportDirectory(env, found.run.id);
      const named = [SUMMARY, ...((await readSummary(folder))?.files ?? [])].find((one) => one === name);
      const path = join(folder, named ?? '');
      return named === undefined || !existsSync(path) ? null : createReadStream(path);
    },
  };
}

/** Each is 2 kB of the page; report.html has all. */
const CAUSES_SHOWN = 20;

function digestShown(
  digest: Digest,
  { rows }: Pick<Run, 'rows'>,
  notes: ReadonlyMap<string, Note>,
): RunShown['digest'] {
  const causes = digest.causes.slice(0, CAUSES_SHOWN).map((cause): CauseShown => {
    const { id, outcome, code, columns, advice, count, first, last, examples, where } = cause;
    const said = saidOf(cause);
    return {
      ...{ id, outcome, code, columns, advice, count, first, last, where },
      fields: said.fields,
      words: said.words,
      isUntold: said.isUntold,
      note: notes.get(id) ?? null,
      examples,
    };
  });
  const named = causes.reduce((sum, { count }) => sum + count, 0);
  return {
    rows,
    read: digest.read,
    needing: needingRows(digest),
    where: digest.where,
    causes,
    others: Math.max(0, needingRows(digest) - named),
    latency: digest.latency,
  };
}

const POINTS = 120;

/** Neighbouring slots together, so that a long run's picture has no more points than a short one's. */
function latencyOf(slots: readonly LatencySlot[]): LatencyShown {
  const each = Math.max(1, Math.ceil(slots.length / POINTS));
  const points: LatencyShown['points'][number][] = [];
  for (let at = 0; at < slots.length; at += each) {
    const some = slots.slice(at, at + each);
    const counts = Array.from({ length: REQUEST_SECONDS.length + 1 }, (_, step) =>
      some.reduce((sum, { counts: of }) => sum + (of[step] ?? 0), 0),
    );
    const [p50, p90, p99] = [0.5, 0.9, 0.99].map((share) => boundOf(counts, share));
    points.push({ seconds: some[0]?.slot ?? 0, p50: p50 ?? 0, p90: p90 ?? 0, p99: p99 ?? 0 });
  }
  const attempts = slots.reduce((sum, { counts }) => sum + counts.reduce((all, n) => all + n, 0), 0);
  const statuses = new Map<string, number>();
  for (const slot of slots)
    for (const [status, n] of slot.statuses) statuses.set(status, (statuses.get(status) ?? 0) + n);
  return { points, attempts, statuses: [...statuses].sort(([, a], [, b]) => b - a) };
}

/** Milliseconds within which so large a share was, as far as the steps of time tell. */
function boundOf(counts: readonly number[], share: number): number {
  const wanted = share * counts.reduce((sum, n) => sum + n, 0);
  let sum = 0;
  const step = counts.findIndex((n) => {
    sum += n;
    return sum >= wanted;
  });
  return 1000 * (REQUEST_SECONDS[step] ?? REQUEST_SECONDS.at(-1) ?? 0);
}
