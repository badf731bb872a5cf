/**
 * Events that somebody is to be told of, kept in the ledger until they are told, so that a process that dies between an event and its
 * message costs no message. Promised: an event is put once, however many processes see it, and is handed to one process at a time, for as
 * long as its lease. It may be told twice, by the same id, where a process dies right after it told it.
 */
import { z } from 'zod';
import type { RedisConnection } from '../lib/redis-connection.ts';
import type { LedgerKeys } from './keys.ts';
import { PUT_EVENT, PUT_OFF, TAKE_EVENT } from './lua/outbox.ts';
import { script } from './script.ts';

/** An event on its way to a channel. */
export type OutboxEntry = {
  readonly id: string;
  /** What is told, as text. */
  readonly body: string;
  /** Tries that have failed. */
  readonly tries: number;
};

export type Outbox = {
  /** False where the event was put before. */
  put(id: string, body: string, channels: readonly string[]): Promise<boolean>;
  /** The event that has been due for longest, for so long this process's; `null`: none is due. */
  take(channel: string, leaseMs: number): Promise<OutboxEntry | null>;
  /** It is told, or given up. */
  drop(channel: string, id: string): Promise<void>;
  /** It could not be told: it is due again after so long. */
  putOff(channel: string, entry: OutboxEntry, ms: number): Promise<void>;
  /** How many of these events are still to be told, by channel. */
  countLeft(ids: readonly string[], channels: readonly string[]): Promise<number>;
  /** When a process first wanted events of this ledger told, ms: what happened before is not told. */
  since(): Promise<number>;
  /** Since when the service was away when that was told; `null`: it was not, or is known to be back. */
  readonly away: {
    read(): Promise<string | null>;
    write(since: string | null): Promise<void>;
  };
};

/** Longer than an event is news, so that none is put a second time. */
const REMEMBERED_S = 2 * 86_400;

const putEvent = script(PUT_EVENT, z.number());
const takeEvent = script(TAKE_EVENT, z.union([z.tuple([z.string(), z.string()]), z.tuple([])]));
const putOffEvent = script(PUT_OFF, z.number());
const entrySchema = z.object({ body: z.string(), tries: z.number().int() });

export function createOutbox(redis: RedisConnection, { outbox }: LedgerKeys): Outbox {
  const due = (channel: string) => `${outbox}:due:${channel}`;
  return {
    async put(id, body, channels) {
      const entry = JSON.stringify({ body, tries: 0 });
      const keys = [`${outbox}:put:${id}`, outbox, ...channels.map(due)];
      return (await putEvent(redis, keys, [REMEMBERED_S, id, entry, ...channels])) === 1;
    },
    async take(channel, leaseMs) {
      const [id, text] = await takeEvent(redis, [outbox, due(channel)], [channel, leaseMs]);
      return id === undefined || text === undefined ? null : { id, ...entrySchema.parse(JSON.parse(text)) };
    },
    async drop(channel, id) {
      await redis.multi().hdel(outbox, `${channel} ${id}`).zrem(due(channel), id).exec();
    },
    async putOff(channel, { id, body, tries }, ms) {
      const entry = JSON.stringify({ body, tries });
      const at = (await timeOf(redis)) + Math.ceil(ms);
      await putOffEvent(redis, [outbox, due(channel)], [channel, id, entry, at]);
    },
    async countLeft(ids, channels) {
      if (ids.length === 0) return 0;
      const fields = channels.flatMap((channel) => ids.map((id) => `${channel} ${id}`));
      return (await redis.hmget(outbox, ...fields)).filter((entry) => entry !== null).length;
    },
    async since() {
      await redis.set(`${outbox}:since`, Date.now(), 'NX');
      return Number(await redis.get(`${outbox}:since`));
    },
    away: {
      read: () => redis.get(`${outbox}:away`),
      async write(since) {
        if (since === null) await redis.del(`${outbox}:away`);
        else await redis.set(`${outbox}:away`, since);
      },
    },
  };
}

async function timeOf(redis: RedisConnection): Promise<number> {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
}
