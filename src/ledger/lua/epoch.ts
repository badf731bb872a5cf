/** Lua that declares serverId(): the name of the running server, another one after every restart and failover. */
const SERVER_ID = `
local function serverId()
  local info = redis.call('INFO', 'server')
  -- Found as plain text: a pattern that is tried at each character costs as much as all the rest of INFO.
  local _, at = string.find(info, 'run_id:', 1, true)
  return string.match(info, '^%x+', at + 1)
end
`;

/**
 * What every script that moves rows begins with: nothing happens on a ledger that may have gone back in time.
 * Beside the script's own, which never see them: the last of KEYS: gate; the last three of ARGV: member, the highest of its
 * batches that it knows to be recorded, this batch's number. The gate is a hash: 'server' → the server run for which
 * the ledger was last verified, 'm:<member>' → the member's last batch, 'b:<member>' → when it was last heard of (ms),
 * 'k:<member>' → when it was last told who is a member (ms), 'l:<member>' → when it left (ms), 'w:<member>' → when it was last
 * at work on replaying a journal (ms); while it is closed and members check in: 'checking' → the server run, 'since' → when the
 * first one did (ms), 'heard' → when any member was last heard of before (ms). 'changes' → how often the members may have become
 * others, see CHANGED; 'swept' → when members not heard of were last looked for (ms).
 * Errors: UNVERIFIED server: another server run, or an empty one. UNVERIFIED member: what it had recorded is gone.
 */
export const GATED = `${SERVER_ID}
local GATE = table.remove(KEYS)
local BATCH = tonumber(table.remove(ARGV))
local KNOWN = tonumber(table.remove(ARGV))
local MEMBER = table.remove(ARGV)
do
  local gate = redis.call('HMGET', GATE, 'server', 'm:' .. MEMBER)
  if gate[1] ~= serverId() then return redis.error_reply('UNVERIFIED server') end
  local last = tonumber(gate[2] or '-1')
  if last < KNOWN then return redis.error_reply('UNVERIFIED member') end
  if last < BATCH then redis.call('HSET', GATE, 'm:' .. MEMBER, BATCH) end
end
`;

/**
 * Lua that declares changed(gate, now): the members may have become others. It is counted from the time (ms) at which it was first
 * counted, so that a ledger that was emptied under the same server does not come to a number that was there before.
 */
const CHANGED = `
local function changed(gate, now)
  redis.call('HSETNX', gate, 'changes', now)
  return redis.call('HINCRBY', gate, 'changes', 1)
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
 * How a member finds the gate. KEYS: gate. ARGV: member.
 * Answers {server run, open (0|1), the member's last batch (-1: no member), has anyone ever checked in (0|1), ms since any member was
 * heard of before the ledger was found closed (-1: never)}.
 */
export const LOOK = `${SERVER_ID}
local server = serverId()
local gate = redis.call('HMGET', KEYS[1], 'server', 'm:' .. ARGV[1], 'checking', 'heard')
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
${NEWEST_BEAT}
-- Who has checked in since was heard of just now: that says nothing of how old this Redis is.
local newest = tonumber(gate[4] or newestBeat())
local silence = newest < 0 and -1 or math.max(0, now - newest)
local known = (gate[1] or gate[3]) and 1 or 0
return {server, gate[1] == server and 1 or 0, tonumber(gate[2] or '-1'), known, silence}
`;

/** A member replays a journal, which may take a while: the others wait for it. KEYS: gate. ARGV: member, server run. */
export const WORKING = `${SERVER_ID}
if serverId() ~= ARGV[2] or redis.call('HGET', KEYS[1], 'server') == ARGV[2] then return 0 end
local t = redis.call('TIME')
redis.call('HSET', KEYS[1], 'w:' .. ARGV[1], t[1] * 1000 + math.floor(t[2] / 1000))
return 1
`;

/**
 * A member has replayed its journal, and those of 'gone' members whose journals are at hand. The last one opens the gate.
 * KEYS: gate. ARGV: member, its last batch, server run, how many of the following are gone, gone members, members seen before.
 * Answers {'open'}; {'moved'}: another server run again; {'closed', ms since it was found closed or a missing member was last
 * at work on its journal, members still missing, …}.
 */
export const CHECK_IN = `${SERVER_ID}${CHANGED}
local server = serverId()
if server ~= ARGV[3] then return {'moved'} end
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local open = redis.call('HGET', KEYS[1], 'server') == server
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
for i = 5, 4 + ARGV[4] do
  gone[ARGV[i]] = true
  redis.call('HDEL', KEYS[1], 'm:' .. ARGV[i], 'b:' .. ARGV[i], 'c:' .. ARGV[i], 'k:' .. ARGV[i], 'w:' .. ARGV[i])
  -- Put back in this Redis; should it forget that, it forgets this too.
  redis.call('HSETNX', KEYS[1], 'l:' .. ARGV[i], now)
end
if open then return {'open'} end
redis.call('HSET', KEYS[1], 'c:' .. ARGV[1], server)
for i = 5 + ARGV[4], #ARGV do
  -- Who left on a ledger that still says so has lost nothing.
  local left = redis.call('HEXISTS', KEYS[1], 'l:' .. ARGV[i]) == 1
  if not gone[ARGV[i]] and not left then redis.call('HSETNX', KEYS[1], 'm:' .. ARGV[i], 0) end
end
local missing = {}
local since = tonumber(redis.call('HGET', KEYS[1], 'since'))
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  local member = string.match(field, '^m:(.*)$')
  if member and redis.call('HGET', KEYS[1], 'c:' .. member) ~= server then
    missing[#missing + 1] = member
    since = math.max(since, tonumber(redis.call('HGET', KEYS[1], 'w:' .. member) or '0'))
  end
end
if #missing == 0 then
  redis.call('HSET', KEYS[1], 'server', server)
  redis.call('HDEL', KEYS[1], 'checking', 'since', 'heard')
  return {'open'}
end
return {'closed', tostring(math.max(0, now - since)), unpack(missing)}
`;

/**
 * Opens the gate without members that can't be waited for any longer: what they had sent and Redis has forgotten is not known,
 * so rows that may have been theirs are in doubt. KEYS: gate, records of unfinished runs. ARGV: server run, missing members.
 * 'suspect' of a run: the highest chunk that may have been handed to a worker. Answers 1: opened.
 */
export const OPEN_WITHOUT = `${SERVER_ID}${CHANGED}
if serverId() ~= ARGV[1] then return 0 end
if redis.call('HGET', KEYS[1], 'server') == ARGV[1] then return 1 end
local t = redis.call('TIME')
changed(KEYS[1], t[1] * 1000 + math.floor(t[2] / 1000))
local missing = {}
for i = 2, #ARGV do
  missing[ARGV[i]] = true
  redis.call('HDEL', KEYS[1], 'm:' .. ARGV[i], 'b:' .. ARGV[i], 'c:' .. ARGV[i], 'k:' .. ARGV[i], 'w:' .. ARGV[i])
end
for i = 2, #KEYS do
  local run = redis.call('HMGET', KEYS[i], 'id', 'added', 'addedBy', 'suspect', 'chunks')
  if run[1] then
    local trusted = run[3] and not missing[run[3]]
    local upTo = tonumber(trusted and run[2] or run[5])
    redis.call('HSET', KEYS[i], 'suspect', math.max(upTo, tonumber(run[4] or '0')))
  end
end
redis.call('HSET', KEYS[1], 'server', ARGV[1])
redis.call('HDEL', KEYS[1], 'checking', 'since', 'heard')
return 1
`;

/**
 * A member is alive. Members not heard of for long are let go: on this server run nothing of theirs was lost.
 * ARGV: ms after which a member is let go, ms for which it is remembered that one has left, ms from one look at all members to the
 * next, what the member answering last was told of them as ('': nothing). Answers {what to call them, members, …}, and no members
 * where they are those that it was told of: a name is used once, since another server run is another name.
 */
export const BEAT = `${CHANGED}
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('HSET', GATE, 'b:' .. MEMBER, now, 'k:' .. MEMBER, now)
local gate = redis.call('HMGET', GATE, 'server', 'changes', 'swept')
local roster = gate[1] .. ' ' .. (gate[2] or '0')
-- Every member asks each second: if each was shown all the others, that would be paid with the square of their number.
local isDue = math.abs(now - tonumber(gate[3] or '0')) >= tonumber(ARGV[3])
if not isDue and ARGV[4] == roster then return {roster} end
local all = redis.call('HGETALL', GATE)
local beats, left = {}, {}
local names = {}
for i = 1, #all, 2 do
  local kind, name = string.sub(all[i], 1, 2), string.sub(all[i], 3)
  if kind == 'm:' then names[#names + 1] = name
  elseif kind == 'b:' then beats[name] = tonumber(all[i + 1])
  elseif kind == 'l:' and now - tonumber(all[i + 1]) > tonumber(ARGV[2]) then left[#left + 1] = all[i] end
end
local members = {roster}
for _, member in ipairs(names) do
  if now - (beats[member] or 0) > tonumber(ARGV[1]) then redis.call('HDEL', GATE, 'm:' .. member, 'b:' .. member, 'c:' .. member, 'k:' .. member)
  else members[#members + 1] = member end
end
for _, field in ipairs(left) do redis.call('HDEL', GATE, field) end
redis.call('HSET', GATE, 'swept', now)
if #members <= #names then members[1] = gate[1] .. ' ' .. changed(GATE, now) end
return members
`;

/**
 * Who is alive and has not been told yet that this member is one. KEYS: gate. ARGV: member, ms within which the living are heard of,
 * when this was first asked (ms, 0: now). Answers {when it was first asked, their names}.
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
 * A member ends, and is let go where all it did is recorded. Where some of it may be lost the member is still asked for:
 * the others must not go on as if it had done nothing. KEYS: gate. ARGV: member, the highest of its batches that it
 * knows to be recorded. Answers 1: it is a member no longer.
 */
export const LEAVE = `${SERVER_ID}${CHANGED}
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local gate = redis.call('HMGET', KEYS[1], 'server', 'm:' .. ARGV[1])
local intact = gate[1] == serverId() and (not gate[2] or tonumber(gate[2]) >= tonumber(ARGV[2]))
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
