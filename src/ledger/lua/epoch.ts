/**
 * The scripts of the epoch and of the registry of workers, which share one hash (IN_EPOCH). Its
 * field names are short: every worker reads them each second. Redis' own clock decides, not the
 * workers'.
 */

/** Lua: serverId(), another one after every restart and failover. */
const SERVER_ID = `
local function serverId()
  local info = redis.call('INFO', 'server')
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
 * Errors: UNVERIFIED server: another server run, an empty one, or one from before an epoch that
 * the worker knows (a former master that lived on). UNVERIFIED worker: what it had recorded is
 * gone.
 *
 * The epoch's hash; times in ms:
 * - 'server': the server run for which the ledger was last verified
 * - 'number': of the epochs that were opened; 'opened': a name for the latest; claims carry it
 * - 'm:<worker>': its last batch; 'b:': its last heartbeat; 'k:': when it last read the registry;
 *   'l:': when it was deregistered; 'w:': when it last said that it replays a journal
 * - while the epoch is closed: 'checking': the server run; 'since': the first check-in; 'heard':
 *   the last heartbeat before that; 'c:<worker>': the server run it checked in for
 * - 'changes': how often the registry may have changed (CHANGED); 'swept': the last look for silent
 *   workers
 */
export const IN_EPOCH = `${SERVER_ID}
local EPOCH = table.remove(KEYS)
local BATCH = tonumber(table.remove(ARGV))
local KNOWN = tonumber(table.remove(ARGV))
local NUMBER = tonumber(table.remove(ARGV))
local WORKER = table.remove(ARGV)
local OPENED
do
  local epoch = redis.call('HMGET', EPOCH, 'server', 'm:' .. WORKER, 'opened', 'number')
  if epoch[1] ~= serverId() or tonumber(epoch[4] or '0') < NUMBER then return redis.error_reply('UNVERIFIED server') end
  local last = tonumber(epoch[2] or '-1')
  if last < KNOWN then return redis.error_reply('UNVERIFIED worker') end
  if last < BATCH then redis.call('HSET', EPOCH, 'm:' .. WORKER, BATCH) end
  OPENED = epoch[3]
end
`;

/** Lua: the registry may have changed. Counted from the time (ms): no emptied ledger repeats it. */
const CHANGED = `
local function changed(epoch, now)
  redis.call('HSETNX', epoch, 'changes', now)
  return redis.call('HINCRBY', epoch, 'changes', 1)
end
`;

/** Lua: the ledger is verified for that server run. */
const OPEN_AS = `
local function openAs(epoch, server, now)
  local number = redis.call('HINCRBY', epoch, 'number', 1)
  redis.call('HSET', epoch, 'server', server, 'opened', number .. ':' .. server .. ':' .. now)
  redis.call('HDEL', epoch, 'checking', 'since', 'heard')
end
`;

const NEWEST_BEAT = `
local function newestBeat()
  local newest = -1
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    if string.sub(field, 1, 2) == 'b:' then newest = math.max(newest, tonumber(redis.call('HGET', KEYS[1], field))) end
  end
  return newest
end
`;

/**
 * How a worker finds the epoch. One from before an epoch that it knows is closed for everybody.
 * KEYS: epoch. ARGV: worker, the number of the latest epoch that it knows.
 * Answers {server run, open (0|1), the worker's last batch (-1: no worker), has anyone ever checked
 * in (0|1), ms since the last heartbeat before the ledger was found closed (-1: none), the epoch's
 * number}.
 */
export const LOOK = `${SERVER_ID}
local server = serverId()
if tonumber(redis.call('HGET', KEYS[1], 'number') or '0') < tonumber(ARGV[2]) then
  redis.call('HSET', KEYS[1], 'number', ARGV[2])
  if redis.call('HGET', KEYS[1], 'server') == server then redis.call('HSET', KEYS[1], 'server', '') end
end
local epoch = redis.call('HMGET', KEYS[1], 'server', 'm:' .. ARGV[1], 'checking', 'heard', 'number')
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
${NEWEST_BEAT}
-- A check-in gives a heartbeat too, which says nothing of how old this Redis is.
local newest = tonumber(epoch[4] or newestBeat())
local silence = newest < 0 and -1 or math.max(0, now - newest)
local known = (epoch[1] or epoch[3]) and 1 or 0
return {server, epoch[1] == server and 1 or 0, tonumber(epoch[2] or '-1'), known, silence, tonumber(epoch[5] or '0')}
`;

/**
 * A worker replays a journal, and the others wait for it. It says so before it looks at the ledger
 * and then regularly; CHECK_IN refuses where Redis was emptied since.
 * KEYS: epoch. ARGV: worker, server run, does it begin (0|1).
 */
export const REPLAYING = `${SERVER_ID}
if serverId() ~= ARGV[2] or redis.call('HGET', KEYS[1], 'server') == ARGV[2] then return 0 end
if ARGV[3] == '0' and redis.call('HEXISTS', KEYS[1], 'w:' .. ARGV[1]) == 0 then return 0 end
local t = redis.call('TIME')
redis.call('HSET', KEYS[1], 'w:' .. ARGV[1], t[1] * 1000 + math.floor(t[2] / 1000))
return 1
`;

/**
 * A worker has replayed its journal, and those of 'gone' workers that are at hand. The last worker
 * opens the epoch, once it has counted the runs anew.
 * KEYS: epoch.
 * ARGV: worker, its last batch, server run, its stage (0: it arrives and saw the epoch open, 1: saw
 * it closed, 2: it waits, 3: it has counted), how many of the following are gone, gone workers,
 * workers seen before.
 * Answers {'open', the epoch's number}; {'moved'}: another server run again, or an emptied one;
 * {'count'}: nobody is missing, the runs have to be counted; {'closed', ms since the epoch was
 * found closed or a missing worker last worked on its journal, workers still missing, …}.
 */
export const CHECK_IN = `${SERVER_ID}${CHANGED}${OPEN_AS}
local server = serverId()
if server ~= ARGV[3] then return {'moved'} end
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local open = redis.call('HGET', KEYS[1], 'server') == server
local stage = tonumber(ARGV[4])
if stage == 0 and not open then return {'moved'} end
if stage == 1 and redis.call('HEXISTS', KEYS[1], 'w:' .. ARGV[1]) == 0 then return {'moved'} end
if stage > 1 and redis.call('HGET', KEYS[1], 'c:' .. ARGV[1]) ~= server then return {'moved'} end
${NEWEST_BEAT}
if not open then redis.call('HSETNX', KEYS[1], 'heard', newestBeat()) end
if not open and redis.call('HGET', KEYS[1], 'checking') ~= server then
  redis.call('HSET', KEYS[1], 'checking', server, 'since', now)
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    if string.sub(field, 1, 2) == 'c:' then redis.call('HDEL', KEYS[1], field) end
  end
end
redis.call('HSET', KEYS[1], 'm:' .. ARGV[1], ARGV[2], 'b:' .. ARGV[1], now)
changed(KEYS[1], now)
redis.call('HDEL', KEYS[1], 'w:' .. ARGV[1])
local gone = {}
for i = 6, 5 + ARGV[5] do
  gone[ARGV[i]] = true
  redis.call('HDEL', KEYS[1], 'm:' .. ARGV[i], 'b:' .. ARGV[i], 'c:' .. ARGV[i], 'k:' .. ARGV[i], 'w:' .. ARGV[i])
  -- Its journal is put back in this Redis; a Redis that forgets that also forgets this field.
  redis.call('HSETNX', KEYS[1], 'l:' .. ARGV[i], now)
end
if open then return {'open', redis.call('HGET', KEYS[1], 'number') or '0'} end
redis.call('HSET', KEYS[1], 'c:' .. ARGV[1], server)
for i = 6 + ARGV[5], #ARGV do
  -- A worker whose deregistration is still recorded has lost nothing.
  local left = redis.call('HEXISTS', KEYS[1], 'l:' .. ARGV[i]) == 1
  if not gone[ARGV[i]] and not left then redis.call('HSETNX', KEYS[1], 'm:' .. ARGV[i], 0) end
end
local missing = {}
-- The clock may have been set back meanwhile: then the wait counts from now.
local since = math.min(now, tonumber(redis.call('HGET', KEYS[1], 'since')))
redis.call('HSET', KEYS[1], 'since', since)
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  local worker = string.match(field, '^m:(.*)$')
  if worker and redis.call('HGET', KEYS[1], 'c:' .. worker) ~= server then
    missing[#missing + 1] = worker
    since = math.max(since, math.min(now, tonumber(redis.call('HGET', KEYS[1], 'w:' .. worker) or '0')))
  end
end
if #missing == 0 and stage < 3 then return {'count'} end
if #missing == 0 then
  openAs(KEYS[1], server, now)
  return {'open', redis.call('HGET', KEYS[1], 'number')}
end
return {'closed', tostring(math.max(0, now - since)), unpack(missing)}
`;

/**
 * Other workers put these workers' journals back while the ledger is closed, so nobody waits for
 * them. They may still come again and do more, unlike gone workers, so no 'l:' is set.
 * KEYS: epoch. ARGV: server run, workers. Answers 1: nobody waits.
 */
export const VOUCH = `${SERVER_ID}${CHANGED}
if serverId() ~= ARGV[1] or redis.call('HGET', KEYS[1], 'server') == ARGV[1] then return 0 end
local t = redis.call('TIME')
changed(KEYS[1], t[1] * 1000 + math.floor(t[2] / 1000))
for i = 2, #ARGV do
  redis.call('HDEL', KEYS[1], 'm:' .. ARGV[i], 'b:' .. ARGV[i], 'c:' .. ARGV[i], 'k:' .. ARGV[i], 'w:' .. ARGV[i])
end
return 1
`;

/**
 * Lua: suspect(record, missing): rows of the run without a mark may have been sent, up to the
 * highest chunk that a worker may have had. The worker that read the file knows that chunk, unless
 * it is missing.
 */
const SUSPECT_RUN = `
local function suspect(record, missing)
  local run = redis.call('HMGET', record, 'id', 'added', 'addedBy', 'suspect', 'chunks')
  if not run[1] then return end
  local trusted = run[3] and not missing[run[3]]
  local upTo = tonumber(trusted and run[2] or run[5])
  redis.call('HSET', record, 'suspect', math.max(upTo, tonumber(run[4] or '0')))
end
`;

/** What these workers sent is partly unknown. KEYS: records of unfinished runs. ARGV: workers. */
export const SUSPECT = `${SUSPECT_RUN}
local missing = {}
for _, worker in ipairs(ARGV) do missing[worker] = true end
for _, record in ipairs(KEYS) do suspect(record, missing) end
return 1
`;

/**
 * Opens the epoch without workers that can't be waited for any longer. What they sent and Redis
 * forgot is unknown, so rows that may be theirs are in doubt.
 * KEYS: epoch, records of unfinished runs. ARGV: server run, the worker that opens it, missing
 * workers.
 * Answers 1: opened; 0: another server run, or one that was emptied since that worker's check-in.
 */
export const OPEN_WITHOUT = `${SERVER_ID}${CHANGED}${OPEN_AS}${SUSPECT_RUN}
if serverId() ~= ARGV[1] then return 0 end
if redis.call('HGET', KEYS[1], 'server') == ARGV[1] then return 1 end
if redis.call('HGET', KEYS[1], 'c:' .. ARGV[2]) ~= ARGV[1] then return 0 end
local t = redis.call('TIME')
changed(KEYS[1], t[1] * 1000 + math.floor(t[2] / 1000))
local missing = {}
for i = 3, #ARGV do
  missing[ARGV[i]] = true
  redis.call('HDEL', KEYS[1], 'm:' .. ARGV[i], 'b:' .. ARGV[i], 'c:' .. ARGV[i], 'k:' .. ARGV[i], 'w:' .. ARGV[i])
end
for i = 2, #KEYS do suspect(KEYS[i], missing) end
openAs(KEYS[1], ARGV[1], t[1] .. t[2])
return 1
`;

/**
 * A worker is alive. Workers without a heartbeat for long leave the registry: on this server run
 * nothing of theirs was lost.
 * ARGV: ms without a heartbeat after which a worker leaves, ms for which a deregistration is
 * remembered, ms between two looks at all workers, the name of the list that the worker got last
 * ('': none).
 * Answers {name of the list, workers, …}, without workers where the worker has that list. No name
 * is used twice: another server run makes other names.
 */
export const HEARTBEAT = `${CHANGED}
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('HSET', EPOCH, 'b:' .. WORKER, now, 'k:' .. WORKER, now)
local epoch = redis.call('HMGET', EPOCH, 'server', 'changes', 'swept')
local roster = epoch[1] .. ' ' .. (epoch[2] or '0')
-- Every worker asks each second: full answers would cost the square of their number.
local isDue = math.abs(now - tonumber(epoch[3] or '0')) >= tonumber(ARGV[3])
if not isDue and ARGV[4] == roster then return {roster} end
local all = redis.call('HGETALL', EPOCH)
local beats, left = {}, {}
local names = {}
for i = 1, #all, 2 do
  local kind, name = string.sub(all[i], 1, 2), string.sub(all[i], 3)
  if kind == 'm:' then names[#names + 1] = name
  elseif kind == 'b:' then beats[name] = tonumber(all[i + 1])
  elseif kind == 'l:' and now - tonumber(all[i + 1]) > tonumber(ARGV[2]) then left[#left + 1] = all[i] end
end
local workers = {roster}
for _, worker in ipairs(names) do
  -- A heartbeat from before the clock was set back counts as given now.
  if (beats[worker] or 0) > now then redis.call('HSET', EPOCH, 'b:' .. worker, now) end
  if now - (beats[worker] or 0) > tonumber(ARGV[1]) then redis.call('HDEL', EPOCH, 'm:' .. worker, 'b:' .. worker, 'c:' .. worker, 'k:' .. worker)
  else workers[#workers + 1] = worker end
end
for _, field in ipairs(left) do redis.call('HDEL', EPOCH, field) end
redis.call('HSET', EPOCH, 'swept', now)
if #workers <= #names then workers[1] = epoch[1] .. ' ' .. changed(EPOCH, now) end
return workers
`;

/**
 * Living workers that don't know yet of this one.
 * KEYS: epoch. ARGV: worker, ms within which a living worker gives a heartbeat, when this was first
 * asked (ms, 0: now).
 * Answers {when it was first asked, their names}.
 */
export const UNAWARE = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local since = ARGV[3] == '0' and now or tonumber(ARGV[3])
local unaware = {tostring(since)}
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  local other = string.match(field, '^m:(.*)$')
  if other and other ~= ARGV[1] then
    local at = redis.call('HMGET', KEYS[1], 'b:' .. other, 'k:' .. other)
    local alive = now - tonumber(at[1] or '0') <= tonumber(ARGV[2])
    if alive and tonumber(at[2] or '0') <= since then unaware[#unaware + 1] = other end
  end
end
return unaware
`;

/**
 * A worker ends, and is deregistered where all it did is recorded. Where some of it may be lost it
 * is still waited for: the others must not go on as if it had done nothing.
 * KEYS: epoch. ARGV: worker, the highest of its batches that it knows to be recorded.
 * Answers 1: deregistered.
 */
export const DEREGISTER = `${SERVER_ID}${CHANGED}
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local epoch = redis.call('HMGET', KEYS[1], 'server', 'm:' .. ARGV[1])
local intact = epoch[1] == serverId() and (not epoch[2] or tonumber(epoch[2]) >= tonumber(ARGV[2]))
if not intact and ARGV[2] ~= '0' then
  redis.call('HSETNX', KEYS[1], 'm:' .. ARGV[1], 0)
  changed(KEYS[1], now)
  return 0
end
changed(KEYS[1], now)
redis.call('HDEL', KEYS[1], 'm:' .. ARGV[1], 'b:' .. ARGV[1], 'c:' .. ARGV[1], 'k:' .. ARGV[1])
redis.call('HSETNX', KEYS[1], 'l:' .. ARGV[1], now)
return 1
`;
