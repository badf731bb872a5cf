/**
 * A ledger's chain beside what its home knows of it. New entries go to ONBOARD_HOME/audit.ndjson
 * too, after what it has: entries that Redis has lost stay there, and below them the chain goes on
 * from where it began anew. By that file, and by the entry that each report names, it is verified.
 */
import { appendFile, readdir, readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { readChain } from '../engine/ledger/audit.ts';
import { insteadOf, messageOf } from '../lib/errors.ts';
import { tell } from '../lib/terminal.ts';
import { type AuditHead, digestOf, parseEntry, verifyChains } from '../model/audit.ts';
import type { Session } from '../session.ts';
import { readSummary } from './report/report.ts';

const EVERY_MS = 5_000;
const FILE = 'audit.ndjson';
const CUT_OFF = `The last line of ${FILE} was broken off as it was written: it is completed from the ledger.`;

/** Until the session ends, and once more then. */
export function keepAuditFile({ io, env, ledger, log, releasers }: Session, target: string): void {
  const { keys } = ledger.of(target);
  const path = join(env.home, FILE);
  let last = '';
  const linesHere = async () => {
    const { lines, torn, bytes } = await readLines(path);
    if (torn !== '') await truncate(path, bytes).then(() => tell(io, CUT_OFF));
    return lines.reverse();
  };
  /** Of the first line that Redis still has; 0: it has none. */
  const placeOf = async (lines: readonly string[]) => {
    for (const line of lines) {
      const n = parseEntry(line)?.n ?? 0;
      if (n > 0 && (await ledger.redis.lindex(keys.audit, n - 1)) === line) return n;
    }
    return 0;
  };
  const add = async () => {
    const place = (await placeOf([last])) || (await placeOf(await linesHere()));
    for await (const texts of readChain(ledger.redis, keys, place + 1)) {
      // A full disk takes a part: the next look reads what the file has.
      last = '';
      await appendFile(path, `${texts.join('\n')}\n`, { mode: 0o600, flush: true });
      last = texts.at(-1) ?? '';
    }
  };
  let adding = Promise.resolve();
  const look = () => {
    const onTrouble = (error: unknown) => log.warn('audit.ndjson', { problem: messageOf(error) });
    adding = adding.then(add).catch(onTrouble);
    return adding;
  };
  void look();
  const looking = setInterval(look, EVERY_MS);
  releasers.push(() => {
    clearInterval(looking);
    return look();
  });
}

/** `torn`: what stands behind the last whole line, but for a character that is not whole. */
async function readLines(path: string) {
  const text = await readFile(path, 'utf8').catch(insteadOf('ENOENT', ''));
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const torn = text.slice(whole.length).replace(/\ufffd+$/, '');
  return { lines: whole.split(/\r?\n/).slice(0, -1), torn, bytes: Buffer.byteLength(whole) };
}

/** What a chain must have; `of`: who says so. */
type Anchor = AuditHead & { readonly of: string };

/** `problem`: the first entry that doesn't fit, by what this home has; `null`: all do. */
export async function verifyLedger(target: string, session: Session) {
  const { env, ledger } = session;
  const { keys } = ledger.of(target);
  // Read before the chain: neither has a later entry than that.
  const anchors = await anchorsIn(join(env.home, 'reports'), target);
  const { lines, torn } = await readLines(join(env.home, FILE));
  const texts: string[] = [];
  for await (const batch of readChain(ledger.redis, keys)) texts.push(...batch);
  const kept = [...lines, torn]
    .map((line, i) => ({ line, at: i + 1, entry: parseEntry(line) }))
    .filter(({ line, entry }) => line !== '' && (entry?.ledger ?? keys.name) === keys.name);
  // A kill left it so: this chain has it whole, or another one in the file may.
  const isOthers = parseEntry(torn) === null && kept.length <= lines.length;
  if (torn !== '' && (isOthers || texts.some((text) => text.startsWith(torn)))) {
    kept.pop();
    keepAuditFile(session, target);
  }
  for (const { line, entry } of kept)
    if (entry !== null) anchors.push({ n: entry.n, head: digestOf(line), of: FILE });
  const { heads, misfit } = verifyChains(texts);
  const isLost = ({ n, head }: Anchor) => digestOf(texts[n - 1] ?? '') !== head;
  const lost = anchors.sort((a, b) => a.n - b.n).find(isLost);
  const odd = kept[(verifyChains(kept.map(({ line }) => line)).misfit ?? 0) - 1];
  const problem =
    (misfit === null ? null : misfitWords(misfit)) ??
    (lost === undefined ? null : lostWords(lost, texts.length)) ??
    (odd === undefined ? null : `Line ${odd.at} of ${FILE} can't be read or does not fit: ${WHY}.`);
  return { heads, problem };
}

function lostWords({ n, of }: Anchor, length: number): string {
  const others = n > length + 1 ? ` and those up to ${n}` : '';
  return (
    `The ledger has lost or changed entry ${Math.min(n, length + 1)}${others}, ` +
    `which ${of} has, or the home had another Redis then.`
  );
}

export function misfitWords(line: number): string {
  return `The entry in line ${line} does not fit the one before it: ${WHY}.`;
}

const WHY = 'one was changed, removed, put in or moved, or Redis lost some';

/** Of the home's reports of runs that went to the target. */
async function anchorsIn(folder: string, target: string): Promise<Anchor[]> {
  const anchors: Anchor[] = [];
  for (const run of await readdir(folder).catch(insteadOf('ENOENT', []))) {
    const summary = await readSummary(join(folder, run));
    if (summary?.target !== target || summary.audit === null) continue;
    anchors.push({ ...summary.audit, of: `reports/${run}/summary.json` });
  }
  return anchors;
}
