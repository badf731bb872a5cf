/**
 * Puts a journal back into a Redis that lost something; outcomes go back by REPLAY_SETTLED
 * (rows.ts). Each script may run twice, and on a ledger that lost nothing.
 */

import { CONTESTED_MARK } from '../mark.ts';
import { KEY_ENTRIES } from './keys.ts';
import { OPEN_CHUNK } from './open-chunk.ts';
import { BY_PROCESS } from './rows.ts';

/**
 * Puts a run's record back where Redis lost it.
 * KEYS: record, runs, files.
 * ARGV: run, created at (ms), file's entry, state, prefix of run records, created at (ISO), then
 * field, value, …
 * Answers 1: the record was gone.
 *
 * The file's entry names its youngest run, whatever Redis went back to: an older one must not let a
 * third run in. A cancellation that any journal or Redis knows stands.
 */
export const RESTORE = `
if call('HEXISTS', KEYS[1], 'id') == 1 then
  local state = call('HGET', KEYS[1], 'state')
  local isOver = state == 'finished' or state == 'cancelled'
  if ARGV[4] == 'cancelled' and not isOver then
    call('HSET', KEYS[1], 'state', 'cancelled', 'reason', '', 'request', '')
  end
  return 0
end
call('HSET', KEYS[1], unpack(ARGV, 7))
call('ZADD', KEYS[2], ARGV[2], ARGV[1])
local held = call('HGET', KEYS[3], ARGV[3])
local since = held and call('HGET', ARGV[5] .. held, 'createdAt')
if not since or since < ARGV[6] then call('HSET', KEYS[3], ARGV[3], ARGV[1]) end
return 1
`;

/** KEYS: record. ARGV: highest queued chunk. Answers 1: none is known to be higher. */
export const ADDED = `
if call('HEXISTS', KEYS[1], 'id') == 0 then return 0 end
local known = tonumber(call('HGET', KEYS[1], 'added') or '0')
if tonumber(ARGV[1]) < known then return 0 end
call('HSET', KEYS[1], 'added', ARGV[1])
call('HDEL', KEYS[1], 'vouched')
return 1
`;

/**
 * Puts lost intents back, with their keys' claims.
 * KEYS: prefix of chunks, blocks. ARGV: run, JSON of intents: chunk, row, mark, key.
 * A row with an outcome stays as it is, and so does its key, which may have been given back. An
 * earlier intent of the same process gives way; with one of another process the row is contested.
 */
export const REPLAY_INTENT = `${KEY_ENTRIES}${OPEN_CHUNK}${BY_PROCESS}
local run = ARGV[1]
local function isIntent(mark) return string.sub(mark, 1, 2) == 'i ' end
-- A journal knows its process' intents best: one it no longer names was withdrawn.
local function markOver(current, mark)
  if not current or taker(current) == taker(mark) then return mark end
  return isIntent(current) and '${CONTESTED_MARK}'
end
for _, e in ipairs(cjson.decode(ARGV[2])) do
  local row, of = tostring(e.row), e.key
  local key = KEYS[1] .. e.chunk
  local open = call('HEXISTS', KEYS[2], e.chunk) == 0
  local current = open and marksOf(key, {row})[row]
  local stands = open and markOver(current, e.mark)
  if stands and current ~= stands then call('HSET', key, row, stands) end
  if stands and of and not isTaken(call('HGET', of.bucket, (placeOf(of.digest)))) then
    putKey(of.bucket, of.digest, 'c', run, row, '')
  end
end
return 1
`;
