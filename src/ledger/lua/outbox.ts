/**
 * The scripts of the outbox: events that somebody is to be told of, by channel. Beside one key for each event, which says for two days that
 * it was put, it is a hash `<channel> <event's id>` → entry, and for each channel a sorted set id → when it is due (ms, Redis' clock).
 */

/**
 * Puts an event into the outbox, once. KEYS: that the event was put, outbox, then what is due by channel. ARGV: for how long is remembered that it was
 * put (s), id, entry, then the channels in the order of KEYS. Answers 1: it was put; 0: it was put before, perhaps by another process.
 */
export const PUT_EVENT = `
if not redis.call('SET', KEYS[1], '1', 'NX', 'EX', ARGV[1]) then return 0 end
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
for i = 4, #ARGV do
  redis.call('HSET', KEYS[2], ARGV[i] .. ' ' .. ARGV[2], ARGV[3])
  redis.call('ZADD', KEYS[i - 1], now, ARGV[2])
end
return 1
`;

/**
 * Takes the event of a channel that has been due for longest; it is due again when its lease is over, unless it is settled before.
 * KEYS: outbox, what is due. ARGV: channel, lease (ms). Answers {id, entry}, or {} where none is due.
 */
export const TAKE_EVENT = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local id = redis.call('ZRANGE', KEYS[2], '-inf', now, 'BYSCORE', 'LIMIT', 0, 1)[1]
if not id then return {} end
local entry = redis.call('HGET', KEYS[1], ARGV[1] .. ' ' .. id)
if not entry then
  redis.call('ZREM', KEYS[2], id)
  return {}
end
redis.call('ZADD', KEYS[2], now + tonumber(ARGV[2]), id)
return {id, entry}
`;

/**
 * An event could not be told: it is tried again. KEYS: outbox, what is due. ARGV: channel, id, entry, when it is due (ms). Answers 1, or 0 where it is
 * settled: another process told it after the lease was over.
 */
export const PUT_OFF = `
local field = ARGV[1] .. ' ' .. ARGV[2]
if redis.call('HEXISTS', KEYS[1], field) == 0 then return 0 end
redis.call('HSET', KEYS[1], field, ARGV[3])
redis.call('ZADD', KEYS[2], ARGV[4], ARGV[2])
return 1
`;
