/**
 * The rows of a run that are in doubt, for the page: one after the other with what is known of each, and what an edited in-doubt file says
 * of them, read and checked by the same code as `onboard resolve`, before anybody records it. Of the file nothing stays behind.
 */
import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeHomeFolder } from '../config/environment.ts';
import { readDoubts, readSightings, rowsInDoubt } from '../ledger/run-view.ts';
import { createRecentMap } from '../lib/recent.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { RowDecision } from '../model/ask.ts';
import type { Decision } from '../model/resolution.ts';
import { isTable } from '../model/source.ts';
import { checkDecisions } from '../runs/decisions.ts';
import { readDecisions } from '../runs/resolve-file.ts';
import type { DecisionsRead, DoubtsPart } from '../web/doubts.tsx';
import { NO_RUN } from '../web/rows.tsx';
import type { Desk } from './desk.ts';
import { readRow } from './row.ts';
import { headOf, openRunRows, type RunRows } from './run-rows.ts';

/** Beside the one that is looked at. */
const LISTED = 50;
/** A form has 64 kB. */
const AT_ONCE = 300;
const MOST_BYTES = 8 * 1024 * 1024;
const FILES_KEPT = 16;

type DoubtsDesk = Pick<Desk, 'ledger' | 'env' | 'log'>;

export function createDoubtsPart(desk: DoubtsDesk): DoubtsPart {
  const kept = createRecentMap<string, DecisionsRead>(FILES_KEPT);
  return {
    async doubts(id, asked, visitor) {
      const open = await openRunRows(desk, id);
      if (open === null) return null;
      const { run, redis, k } = open;
      const rows = await rowsInDoubt(redis, k);
      const settled = await redis.hlen(k.resolutions);
      const at = Math.max(0, asked === null ? 0 : rows.indexOf(asked));
      const chosen = rows[at];
      const head = { run: headOf(run), left: rows.length, settled };
      if (chosen === undefined) return { ...head, list: [], chosen: null, following: null };
      desk.log.info('a row was looked at', { run: id, row: chosen, by: visitor.name });
      const from = Math.max(0, Math.min(at - LISTED / 2, rows.length - LISTED));
      const listed = rows.slice(from, from + LISTED);
      const [doubts, sightings, { key: _, ...shown }] = await Promise.all([
        readDoubts(redis, k, listed),
        readSightings(redis, k, [chosen]),
        readRow(open, chosen),
      ]);
      const following = rows[at + 1] ?? rows[0] ?? null;
      return {
        ...head,
        list: listed.map((row) => ({ row, key: doubts.get(row)?.key ?? '' })),
        chosen: { ...shown, sighting: sightings.get(chosen) ?? null },
        following: following === chosen ? null : following,
      };
    },
    async readDecisions(id, bytes) {
      const open = await openRunRows(desk, id);
      if (open === null) throw new UsageError(NO_RUN);
      const name = randomBytes(16).toString('hex');
      kept.set(name, await decisionsOf(desk, open, await gather(bytes)));
      return name;
    },
    decisions: (name) => kept.get(name) ?? null,
  };
}

async function gather(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of bytes) {
    size += part.length;
    if (size > MOST_BYTES)
      throw new UsageError('The file is larger than 8 MiB: use `onboard resolve --file`, which takes any.');
    parts.push(part);
  }
  const file = Buffer.concat(parts);
  const kind = file.subarray(0, 2).toString('latin1');
  // Packed files could be of any size.
  if (size === 0 || kind === 'PK' || kind === '\x1f\x8b')
    throw new UsageError('Expected in-doubt.csv or in-doubt.ndjson as plain text: save it as CSV.');
  return file;
}

async function decisionsOf(desk: DoubtsDesk, open: RunRows, file: Buffer): Promise<DecisionsRead> {
  const { run, definition } = open;
  if (definition === null)
    throw new UsageError('The ledger no longer has the run’s definition: settle its rows one by one.');
  // Named as uploads are: what a crash leaves is removed with them.
  const folder = await makeHomeFolder(desk.env.home, 'uploads', randomBytes(16).toString('hex'));
  const path = join(folder, isTable(run.source) ? 'in-doubt.csv' : 'in-doubt.ndjson');
  try {
    await writeFile(path, file, { flag: 'wx', mode: 0o600 });
    const said = await readDecisions(path, run, definition.key ?? null);
    const { decisions, mates } = await checkDecisions(run, said, definition.group !== undefined, desk.ledger);
    const doubts = await readDoubts(
      open.redis,
      open.k,
      decisions.map(({ row }) => row),
    );
    const left = decisions.filter(({ row }) => doubts.has(row));
    const shown = left.slice(0, AT_ONCE).map(({ row, decision }) => ({
      ...asked(row, decision),
      key: doubts.get(row)?.key ?? '',
    }));
    return {
      run: headOf(run),
      decisions: shown,
      more: left.length - shown.length,
      mates: mates.length,
      open: said.open,
      settled: decisions.length - left.length,
    };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const problems = error.all.map((one) =>
      (typeof one === 'string' ? one : one()).replaceAll(path, 'the file'),
    );
    throw new UsageError(problems.filter((one) => one !== 'Nothing was resolved.'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function asked(row: number, decision: Decision): RowDecision {
  return decision.kind === 'created' ? { row, as: 'created', id: decision.id } : { row, as: 'not-created' };
}
