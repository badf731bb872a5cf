/**
 * The scripts of runs, their chunks and their rate. Each script's contract stands above it; keys
 * and arguments go by position.
 */

import { AUDIT_ENTRY } from './audit.ts';

/**
 * Registers a run, or names the one that stands in its way. Sent again after a lost reply, it
 * changes nothing.
 * - A run of a file: the one that already took this file through this job. An unfinished run always
 *   goes on, whatever `again` says.
 * - A rerun (its rows are in the ledger already), or a file with rows of earlier runs: another that
 *   was registered since its rows were chosen.
 * KEYS: files, runs, the new run's record, its input, the audit's chain.
 * ARGV: JSON of {entry: its place in files, id, createdAt (ms), prefix: of run records, again or
 * rerun: {chunks, ttl: seconds}; taken: the run that took rows of others last when the rows were
 * chosen, from: the runs that they are of; stub, of: of the entry}, then field, value, …
 * Answers {'new', id}, {'known', id} or {'overtaken', ''}. Error: the input is not whole, or
 * another run has that very id.
 */
export const REGISTER = `${AUDIT_ENTRY}
local ask = cjson.decode(ARGV[1])
local id, rerun = ask.id, ask.rerun
local known = call('HGET', KEYS[1], ask.entry)
if known == id then return {'new', id} end
if rerun then
  if call('HLEN', KEYS[4]) ~= rerun.chunks then
    return redis.error_reply('the rows of rerun ' .. id .. ' are not all in the ledger')
  end
elseif known then
  local state = call('HGET', ask.prefix .. known, 'state')
  local ended = state == 'finished' or state == 'cancelled'
  if state and not (ended and ask.again) then return {'known', known} end
end
if ask.taken and (call('HGET', KEYS[1], 'taken') or '') ~= ask.taken then return {'overtaken', ''} end
if call('EXISTS', KEYS[3]) == 1 then
  return redis.error_reply('another run has the id ' .. id .. ': try again')
end
if rerun then call('EXPIRE', KEYS[4], rerun.ttl) end
call('HSET', KEYS[1], ask.entry, id)
local told = {KEYS[3]}
if ask.taken then
  call('HSET', KEYS[1], 'taken', id)
  for _, from in ipairs(ask.from) do
    call('SADD', ask.prefix .. from .. ':takers', id)
    told[#told + 1] = ask.prefix .. from
  end
end
call('ZADD', KEYS[2], ask.createdAt, id)
call('HSET', KEYS[3], unpack(ARGV, 2))
audit(KEYS[5], ask.stub, rerun and 'rerun' or 'registered', ask.of, unpack(told))
return {'new', id}
`;

/**
 * Moves a run to another state where the table of transitions allows it, with the time (ms) and an
 * entry in the audit. A run that its canary stopped has its next chunk go alone, too. One waiting
 * for approval is cancelled, or approved: whoever names its reason approves it.
 * KEYS: record, the audit's chain.
 * ARGV: to, reason ('' clears it), now (ISO), who asked for it as JSON ('': nobody), the entry's
 * stub and `of`, then the states it may come from, each alone or with its reason behind a space.
 * Answers the state it was in, and whether it moved.
 */
export const TRANSITION = `${AUDIT_ENTRY}
local was = call('HMGET', KEYS[1], 'state', 'reason')
local state = was[1]
local place = (was[1] or '') .. ' ' .. (was[2] or '')
local waits = place == 'paused approval'
for i = 7, #ARGV do
  if ARGV[i] == place or (ARGV[i] == state and (not waits or ARGV[1] == 'cancelled')) then
    local t, to, of = call('TIME'), ARGV[1], ARGV[6]
    local what = to
    local movedAt = t[1] * 1000 + math.floor(t[2] / 1000)
    call('HSET', KEYS[1], 'state', to, 'reason', ARGV[2], 'request', ARGV[4], 'movedAt', movedAt)
    if to == 'running' then
      what = call('HSETNX', KEYS[1], 'startedAt', ARGV[3]) == 1 and 'began' or 'resumed'
      local sent = call('HGET', KEYS[1], 'added') or 0
      call('HDEL', KEYS[1], 'pauseFor', 'problem')
      -- The next unreadable answer pauses it again; refusals are counted anew.
      if was[2] ~= 'unreadable-answers' then
        call('HDEL', KEYS[1], 'streaks')
      end
      if waits then
        call('HSET', KEYS[1], 'approval', ARGV[4])
        what = 'approved'
      end
      if place == 'stopped canary' then call('HSET', KEYS[1], 'canary', sent + 1) end
    end
    if to == 'finished' or to == 'cancelled' then call('HSET', KEYS[1], 'finishedAt', ARGV[3]) end
    if to == 'finished' then what, of = 'ended', counts(KEYS[1]) end
    audit(KEYS[2], ARGV[5], what, of, KEYS[1])
    return {state, 1}
  end
end
return {state or '', 0}
`;

/**
 * Takes or renews a lease. KEYS: lease. ARGV: holder, duration (ms). Answers 1: the holder has it.
 * Another's lease is cut to that duration: expiry goes by Redis' wall clock, and one that was set
 * back would keep a dead holder's lease for all that time.
 */
export const HOLD_LEASE = `
local holder = call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then
  if call('PTTL', KEYS[1]) > tonumber(ARGV[2]) then call('PEXPIRE', KEYS[1], ARGV[2]) end
  return 0
end
call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`;

/** KEYS: lease. ARGV: holder. */
export const DROP_LEASE = `
if call('GET', KEYS[1]) == ARGV[1] then return call('DEL', KEYS[1]) end
return 0
`;

/**
 * What a worker needs to begin a chunk.
 * KEYS: record, chunk, blocks. ARGV: chunk.
 * Answers {run state, closed (0|1), may a lost worker have sent its unmarked rows (0|1), field,
 * value, …}, the fields of the chunk's hash (open-chunk.ts).
 */
export const TAKE = `
local run = call('HMGET', KEYS[1], 'state', 'suspect')
local closed = call('HEXISTS', KEYS[3], ARGV[1])
local out = {run[1] or '', closed, tonumber(ARGV[1]) <= tonumber(run[2] or '0') and 1 or 0}
if closed == 0 then
  for _, v in ipairs(call('HGETALL', KEYS[2])) do out[#out + 1] = v end
end
return out
`;

/**
 * A key is wrapped anew, with an entry in each of the audit's chains. KEYS: hash, chains. ARGV:
 * field, its text, another one, the entries' `of`, then their stubs. Answers 1: replaced, now or
 * before; 0: it is a third one by now.
 */
export const REPLACE = `${AUDIT_ENTRY}
local found = call('HGET', KEYS[1], ARGV[1])
if found ~= ARGV[2] then return found == ARGV[3] and 1 or 0 end
call('HSET', KEYS[1], ARGV[1], ARGV[3])
for i = 2, #KEYS do audit(KEYS[i], ARGV[i + 3], 'key-rotated', ARGV[4]) end
return 1
`;

/**
 * Lua: finishRun(record, blocks, chunks, now, chain, stub, isLast): a run whose chunks are all
 * blocks is finished, or wound up by its last one.
 */
const FINISH_RUN = `${AUDIT_ENTRY}
local function finishRun(record, blocks, chunks, now, chain, stub, isLast)
  if call('HLEN', blocks) < tonumber(chunks) then return end
  local state = call('HGET', record, 'state')
  if state == 'finished' or (state == 'cancelled' and not isLast) then return end
  if state ~= 'cancelled' then
    call('HSET', record, 'state', 'finished', 'reason', '', 'request', '', 'finishedAt', now)
  end
  audit(chain, stub, 'ended', counts(record), record)
end
`;

/**
 * A chunk whose rows are all settled becomes one block, and the run with its last block is
 * finished.
 * KEYS: record, prefix of chunks, blocks, the audit's chain.
 * ARGV: chunk, how often an outcome was recorded or changed ('n', open-chunk.ts) when it was read,
 * block, the run's chunks, now (ISO), the entry's stub.
 * Answers 1: it is closed, now or before; 0: something changed since.
 */
export const CLOSE = `${FINISH_RUN}
local key = KEYS[2] .. ARGV[1]
local isNew = call('HEXISTS', KEYS[3], ARGV[1]) == 0
if isNew then
  if (call('HGET', key, 'n') or '0') ~= ARGV[2] then return 0 end
  call('HSET', KEYS[3], ARGV[1], ARGV[3])
end
call('DEL', key)
finishRun(KEYS[1], KEYS[3], ARGV[4], ARGV[5], KEYS[4], ARGV[6], isNew)
return 1
`;

/**
 * Replaces a run's numbers and the list of its doubts, unless they changed since its rows were
 * counted.
 * KEYS: record, blocks, doubts, the audit's chain.
 * ARGV: JSON of {counts: [[field, as it was, as it is], …], wrong: [[row, its chunk (0: not in
 * doubt)], …] where the list is, chunks: of the run, now (ISO), stub: of the entry}.
 * Answers 1: replaced; 0: they have changed.
 */
export const RECOUNT = `${FINISH_RUN}
local ask = cjson.decode(ARGV[1])
for _, e in ipairs(ask.counts) do
  if tonumber(call('HGET', KEYS[1], e[1]) or '0') ~= e[2] then return 0 end
end
for _, e in ipairs(ask.counts) do call('HSET', KEYS[1], e[1], e[3]) end
for _, e in ipairs(ask.wrong) do
  if e[2] == 0 then call('HDEL', KEYS[3], e[1])
  else call('HSET', KEYS[3], e[1], e[2]) end
end
finishRun(KEYS[1], KEYS[2], ask.chunks, ask.now, KEYS[4], ask.stub)
return 1
`;

/**
 * Reserves times on the run's time line, evenly spaced, over all workers (GCRA). None is far ahead,
 * so that a worker that dies takes few along; time in which nobody asked is made up for, so that
 * the rate is reached. Redis' own clock decides.
 * KEYS: rate. ARGV: how many at most, µs between two, how far ahead (µs), how far back (µs).
 * Answers {how many, µs until the first of them}, or {0, µs until the next try is worth it}.
 */
export const RESERVE = `
local t = call('TIME')
local now = t[1] * 1000000 + t[2]
local free = tonumber(call('GET', KEYS[1]) or now)
-- A time beyond that was given before the clock was set back.
local latest = now + ARGV[3] + ARGV[2]
if free > latest then
  free = latest
  call('SET', KEYS[1], string.format('%.1f', free), 'PX', math.ceil((free - now) / 1000) + 1000)
end
local first = math.max(now - ARGV[4], free)
local times = math.min(tonumber(ARGV[1]), math.floor((now + ARGV[3] - first) / ARGV[2]) + 1)
if times < 1 then return {'0', string.format('%.0f', first - ARGV[3] - now)} end
local after = first + times * ARGV[2]
local ms = math.ceil(math.max(0, after - now) / 1000)
call('SET', KEYS[1], string.format('%.1f', after), 'PX', ms + 1000)
return {tostring(times), string.format('%.0f', first - now)}
`;
