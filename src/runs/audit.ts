/**
 * New entries of the audit go to ONBOARD_HOME/audit.ndjson too, after what it has. Entries that
 * Redis has lost stay there, and below them the chain goes on from where it began anew.
 */
import { appendFile, readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { readChain } from '../ledger/audit.ts';
import { insteadOf, messageOf } from '../lib/errors.ts';
import { parseEntry } from '../model/audit.ts';
import type { Session } from '../session.ts';

const EVERY_MS = 5_000;

/** Until the session ends, and once more then. */
export function keepAuditFile({ env, ledger, log, releasers }: Session, target: string): void {
  const { keys } = ledger.of(target);
  const path = join(env.home, 'audit.ndjson');
  let last = '';
  /** Of the first line that Redis still has; 0: it has none. */
  const placeOf = async (lines: readonly string[]) => {
    for (const line of lines) {
      const n = parseEntry(line)?.n ?? 0;
      if (n > 0 && (await ledger.redis.lindex(keys.audit, n - 1)) === line) return n;
    }
    return 0;
  };
  const add = async () => {
    const place = (await placeOf([last])) || (await placeOf((await linesOf(path)).reverse()));
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

/** A line whose writing was broken off is removed. */
async function linesOf(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch(insteadOf('ENOENT', ''));
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  if (whole !== text) await truncate(path, Buffer.byteLength(whole));
  return whole.split('\n');
}
