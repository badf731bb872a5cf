/**
 * The scripts of the epoch and of the registry of workers, which share one hash (IN_EPOCH). Its
 * field names are short: every worker reads them each second. Redis' own clock decides, not the
 * workers'.
 */

/** Lua: serverId(), another one after every restart and failover. */
const SERVER_ID = `
local function serverId()
  local info = call('INFO', 'server')
  -- A plain-text search: a pattern that is tried at each character doubles the cost of INFO.
  local _, at = string.find(info, 'run_id:', 1, true)
  return string.match(info, '^%x+', at + 1)
end
`;

/**
 * Every script that moves rows begins with this: nothing happens on a ledger that may have gone
 * back in time. It takes the last of KEYS (epoch) and the last four of ARGV (worker, the number of
 * the latest epoch that it knows, the highest of its batches that it knows to be recorded, this
 * batch's number); the script itself never sees them.
 * Errors:
 * - UNVERIFIED server: another run, an empty one, or one from before an epoch that the worker
 *   knows (a former master that lived on)
 * - UNVERIFIED worker: what it had recorded is gone
 *
 * The epoch's hash:
 * - 'server': the server run for which the ledger was last verified
 * - 'number': how many epochs were opened
 * - 'opened': a name for the latest; claims carry it
 * - 'm:<worker>': its last batch; 'b:': when it was last heard of (ms)
 * - while the epoch is closed: 'checking': the server run; 'c:<worker>': the server run for which
 *   the worker has put its journal back
 */
export const IN_EPOCH = `${SERVER_ID}
local EPOCH = table.remove(KEYS)
local BATCH = tonumber(table.remove(ARGV))
local KNOWN = tonumber(table.remove(ARGV))
local NUMBER = tonumber(table.remove(ARGV))
local WORKER = table.remove(ARGV)
local OPENED
do
  local epoch = call('HMGET', EPOCH, 'server', 'm:' .. WORKER, 'opened', 'number')
  if epoch[1] ~= serverId() or tonumber(epoch[4] or '0') < NUMBER then
    return redis.error_reply('UNVERIFIED server')
  end
  local last = tonumber(epoch[2] or '-1')
  if last < KNOWN then return redis.error_reply('UNVERIFIED worker') end
  if last < BATCH then call('HSET', EPOCH, 'm:' .. WORKER, BATCH) end
  OPENED = epoch[3]
end
`;

const NOW = `
local t = call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
`;

/**
 * Lua: registry(epoch): m, b, c: worker → value. shown(worker, beat): as the answers name a worker.
 * leave(epoch, worker): it is no worker any more.
 */
const REGISTRY = `
local function registry(epoch)
  local of = {m = {}, b = {}, c = {}}
  local all = call('HGETALL', epoch)
  for i = 1, #all, 2 do
    local kind, worker = string.match(all[i], '^(%a):(.*)$')
    if kind then of[kind][worker] = all[i + 1] end
  end
  return of
end
local function shown(worker, beat) return worker .. ' ' .. (beat or 0) end
local function leave(epoch, worker)
  call('HDEL', epoch, 'm:' .. worker, 'b:' .. worker, 'c:' .. worker)
end
`;

/**
 * How a worker finds the epoch. Where it replays a journal the others wait for it: it says so
 * before it looks at a closed ledger, and then regularly; CHECK_IN refuses where Redis was emptied.
 * An epoch from before one that the worker knows is closed for everybody.
 * KEYS: epoch. ARGV: worker, what it does ('looks', 'begins' to replay, 'goes on'), the number of
 * the latest epoch that it knows.
 * Answers {server run, open (0|1), its last batch (-1: no worker), the number of the epoch, its
 * name}.
 */
export const LOOK = `${SERVER_ID}${NOW}
local server = serverId()
if tonumber(call('HGET', KEYS[1], 'number') or '0') < tonumber(ARGV[3]) then
  call('HSET', KEYS[1], 'number', ARGV[3])
  if call('HGET', KEYS[1], 'server') == server then call('HSET', KEYS[1], 'server', '') end
end
local epoch = call('HMGET', KEYS[1], 'server', 'm:' .. ARGV[1], 'b:' .. ARGV[1], 'number', 'opened')
local open = epoch[1] == server
local replays = ARGV[2] == 'begins' or (ARGV[2] == 'goes on' and epoch[3])
if replays and not open then call('HSET', KEYS[1], 'b:' .. ARGV[1], now) end
local number, last = tonumber(epoch[4] or '0'), tonumber(epoch[2] or '-1')
return {server, open and 1 or 0, last, number, epoch[5] or ''}
`;

/**
 * A worker has replayed its journal, and those of 'gone' workers that are at hand. The last worker
 * opens the epoch, once it has counted the runs anew.
 * KEYS: epoch, workers that left.
 * ARGV: worker, its last batch, server run, what it knows ('open': it arrives and saw the epoch
 * open; 'closed': it saw it closed; 'counted': it has counted the runs), how many are gone, how
 * many it gives up, gone workers, those given up, workers to be asked for.
 * Answers {'open', the number of the epoch, its name}; {'moved'}: another server run again, or an
 * emptied one; {'count'}: nobody is missing, the runs have to be counted; {'closed', workers still
 * missing and when they were last heard of (ms), …}.
 */
export const CHECK_IN = `${SERVER_ID}${REGISTRY}
local server = serverId()
local epoch, worker, knows = KEYS[1], ARGV[1], ARGV[4]
local open = call('HGET', epoch, 'server') == server
if server ~= ARGV[3] or (knows == 'open' and not open) then return {'moved'} end
if knows ~= 'open' and call('HEXISTS', epoch, 'b:' .. worker) == 0 then return {'moved'} end
${NOW}
if not open and call('HGET', epoch, 'checking') ~= server then
  call('HSET', epoch, 'checking', server)
  for other in pairs(registry(epoch).c) do call('HDEL', epoch, 'c:' .. other) end
end
call('HSET', epoch, 'm:' .. worker, ARGV[2])
local asked = 7 + ARGV[5] + ARGV[6]
for i = 7, asked - 1 do
  leave(epoch, ARGV[i])
  -- Its journal is put back in this Redis. A worker that is given up may come and do more.
  if i < 7 + ARGV[5] then call('ZADD', KEYS[2], 'NX', now, ARGV[i]) end
end
if open then
  local of = call('HMGET', epoch, 'number', 'opened')
  return {'open', of[1] or '0', of[2] or ''}
end
call('HSET', epoch, 'b:' .. worker, now, 'c:' .. worker, server)
for i = asked, #ARGV do
  -- A worker whose leaving is still recorded has lost nothing.
  if not call('ZSCORE', KEYS[2], ARGV[i]) then call('HSETNX', epoch, 'm:' .. ARGV[i], 0) end
end
local of, missing = registry(epoch), {'closed'}
for other in pairs(of.m) do
  if of.c[other] ~= server then missing[#missing + 1] = shown(other, of.b[other]) end
end
if #missing > 1 then return missing end
if knows ~= 'counted' then return {'count'} end
local number = call('HINCRBY', epoch, 'number', 1)
local name = number .. ':' .. server .. ':' .. now
call('HSET', epoch, 'server', server, 'opened', name)
call('HDEL', epoch, 'checking')
return {'open', tostring(number), name}
`;

/**
 * Lua: verification(epoch): which one is under way. A former master that lived on comes back with
 * its server run, but before a later epoch.
 */
const VERIFICATION = `${SERVER_ID}
local function verification(epoch)
  return serverId() .. ' ' .. (call('HGET', epoch, 'number') or '0')
end
`;

/**
 * The worker that reads a run knows that nobody else has read on: 'added' is what was handed out at
 * most. It counts for this verification, and until ADDED tells of more.
 * KEYS: epoch, record.
 */
export const VOUCH = `${VERIFICATION}
if call('HEXISTS', KEYS[2], 'id') == 1 then
  call('HSET', KEYS[2], 'vouched', verification(KEYS[1]))
end
return 1
`;

/**
 * What missing workers sent is partly unknown: rows without a mark may have been sent, up to the
 * highest chunk that a worker may have had. Where the run's reader doesn't vouch for that chunk, a
 * missing worker may have read on, and Redis may have lost that.
 * KEYS: epoch, records of unfinished runs.
 */
export const SUSPECT = `${VERIFICATION}
local now = verification(table.remove(KEYS, 1))
for _, record in ipairs(KEYS) do
  local run = call('HMGET', record, 'id', 'added', 'vouched', 'suspect', 'chunks')
  local upTo = tonumber(run[3] == now and run[2] or run[5])
  if run[1] then call('HSET', record, 'suspect', math.max(upTo, tonumber(run[4] or '0'))) end
end
return 1
`;

/**
 * A worker is alive, and reads who else is. Workers without a heartbeat for long leave the
 * registry: on this server run nothing of theirs was lost. Their last batches stay beside who left
 * ('<worker> <batch>'): a Redis that knows neither has lost the worker.
 * KEYS: workers that left. ARGV: ms without a heartbeat after which a worker leaves, ms for which
 * it is remembered who left.
 * Answers {now (ms), workers and their last heartbeats, …}.
 */
export const HEARTBEAT = `${REGISTRY}${NOW}
call('HSET', EPOCH, 'b:' .. WORKER, now)
call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
local of, out = registry(EPOCH), {tostring(now)}
for worker in pairs(of.m) do
  -- It has just checked in: its first heartbeat is due within a second.
  if not of.b[worker] then
    of.b[worker] = now - ARGV[1] + 1000
    call('HSET', EPOCH, 'b:' .. worker, of.b[worker])
  end
end
for worker, beat in pairs(of.b) do
  -- A heartbeat from before the clock was set back counts as given now.
  if tonumber(beat) > now then call('HSET', EPOCH, 'b:' .. worker, now) end
  if now - beat > tonumber(ARGV[1]) then
    if of.m[worker] then call('ZADD', KEYS[1], now, worker .. ' ' .. of.m[worker]) end
    leave(EPOCH, worker)
  elseif of.m[worker] then out[#out + 1] = shown(worker, beat) end
end
return out
`;

/**
 * A worker ends, and leaves where all it did is recorded. Where some of it may be lost it is still
 * waited for: the others must not go on as if it had done nothing.
 * KEYS: epoch, workers that left. ARGV: worker, the highest of its batches that it knows to be
 * recorded, the number of the latest epoch that it knows.
 * Answers 1: it has left.
 */
export const DEREGISTER = `${SERVER_ID}${REGISTRY}${NOW}
local epoch = call('HMGET', KEYS[1], 'server', 'm:' .. ARGV[1], 'number')
local last = tonumber(epoch[2] or ARGV[2])
local intact = epoch[1] == serverId() and last >= tonumber(ARGV[2])
if not intact or tonumber(epoch[3] or '0') < tonumber(ARGV[3]) then
  call('HSETNX', KEYS[1], 'm:' .. ARGV[1], 0)
  return 0
end
leave(KEYS[1], ARGV[1])
call('ZADD', KEYS[2], 'NX', now, ARGV[1])
return 1
`;
