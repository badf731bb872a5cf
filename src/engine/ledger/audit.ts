/** The chain of a target's ledger: how an act gets into it, and how it is read. */
import { z } from 'zod';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import { type AuditHead, digestOf } from '../../model/audit.ts';
import type { ServiceState } from '../../model/story.ts';
import { appendEntry } from './audit-chain.ts';
import type { LedgerKeys } from './keys.ts';

/** The fields of an entry before `what`, as the scripts get them; `run` may be ''. */
export function stubOf({ name, actor }: LedgerKeys, run: string, at: string): string {
  const { name: who, via, user } = actor;
  return JSON.stringify({ at, run, ledger: name, actor: who, via, user }).slice(1, -1);
}

type What =
  | 'replied'
  | 'person-added'
  | 'person-removed'
  | 'log-in'
  | 'job-changed'
  | 'job-proposed'
  | 'process-lost'
  | 'taken-over'
  | 'redis-away'
  | `service-${ServiceState}`;

export type Act = {
  readonly what: What;
  /** Left out: it concerns none. */
  readonly run?: string;
  readonly of?: Readonly<Record<string, string>>;
};

/** For what has no script of its own. */
export async function recordAct(redis: RedisConnection, keys: LedgerKeys, act: Act): Promise<void> {
  const { what, run = '', of = {} } = act;
  const records = run === '' ? [] : [keys.run(run).record];
  const said = [stubOf(keys, run, new Date().toISOString()), what, JSON.stringify(of)];
  await appendEntry(redis, [keys.audit, ...records], said);
}

const BATCH = 1_000;

/** Texts of entries from the n-th on, oldest first. */
export async function* readChain(
  redis: RedisConnection,
  { audit }: Pick<LedgerKeys, 'audit'>,
  from = 1,
): AsyncGenerator<readonly string[], void, undefined> {
  for (let at = from - 1; ; at += BATCH) {
    const batch = await redis.lrange(audit, at, at + BATCH - 1);
    if (batch.length > 0) yield batch;
    if (batch.length < BATCH) return;
  }
}

/** `null`: there is no entry yet. */
export async function readHead(
  redis: RedisConnection,
  { audit }: Pick<LedgerKeys, 'audit'>,
): Promise<AuditHead | null> {
  const found = await redis.multi().llen(audit).lindex(audit, -1).exec();
  const [n, text] = z.tuple([z.number(), z.string().nullable()]).parse(found?.map(([, value]) => value));
  return text === null ? null : { n, head: digestOf(text) };
}
