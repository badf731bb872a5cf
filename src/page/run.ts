/**
 * A run as its page shows it, and the files of its report. What moves is read from what counts of
 * it alone; its record, which for a large run is large, once for as long as it is looked at. Files
 * are those that the report's summary names, and no path comes from a request.
 */
import { createReadStream, existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readBriefs } from '../ledger/brief.ts';
import { readNotes } from '../ledger/notes.ts';
import { readStory } from '../ledger/story.ts';
import { insteadOf } from '../lib/errors.ts';
import { createRecentMap } from '../lib/recent.ts';
import type { Run } from '../model/run.ts';
import { tellStory } from '../model/story.ts';
import { readSummary } from '../report/report.ts';
import { stretchesOf } from '../report/timeline.ts';
import { requestWords } from '../report/words.ts';
import { serviceWords } from '../runs/service-notice.ts';
import { serviceReport, stateOf } from '../runs/status.ts';
import { reportDirectory } from '../session.ts';
import { CAUSES_SHOWN } from '../web/causes.tsx';
import type { RunPart, RunShown } from '../web/run.tsx';
import type { Desk } from './desk.ts';
import { createDigests } from './digests.ts';
import { createPaces, lineOf } from './run-lines.ts';

const KEPT = 16;
const SUMMARY = 'summary.json';
const PAGE = 'report.html';

export function createRunPart(desk: Desk): RunPart {
  const { ledger, env } = desk;
  const digests = createDigests(desk);
  const paceOf = createPaces();
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
      const [isLeased, happened, digest, report, summary] = await Promise.all([
        store.hasLease(id),
        readStory(ledger.redis, keys, id),
        digests.of(run),
        serviceReport(ledger, run.target),
        readSummary(reportDirectory(env, id)),
      ]);
      const causes = digest.causes.slice(0, CAUSES_SHOWN).map((cause) => cause.id);
      const pace = paceOf(brief, now);
      const story = tellStory(run, happened);
      return {
        run: lineOf(brief, now, stateOf(run, isLeased)),
        parent: run.parent,
        request: run.request === undefined ? '' : requestWords(run.request),
        service: report.state === 'well' ? '' : serviceWords(report),
        perSecond: pace.perSecond,
        left: pace.left,
        stretches: stretchesOf(digest.moments, story),
        story,
        digest,
        notes: await readNotes(ledger.redis, keys, causes),
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
