/**
 * The scripts that decide on rows, each a compare-and-set on the row's mark. Whatever an outcome
 * changes (mark, key, source, counters) changes in one step.
 */

import { CONTESTED_MARK } from '../mark.ts';
import { WHOLE_BODIES } from '../refusal-bodies.ts';
import { AUDIT_ENTRY } from './audit.ts';
import { SUCCESS } from './breaker.ts';
import { GRANT } from './grant.ts';
import { KEY_ENTRIES } from './keys.ts';
import { OPEN_CHUNK } from './open-chunk.ts';

/**
 * Lua: endProbe(mark): probing is left to the next row, where the row of that mark probed;
 * withdraw(rows), each {chunk, row, mark}: takes intents back under which nothing was received, so
 * that the row is unsent again. Only this very mark is removed. Answers for each whether it was
 * there: 1 or 0.
 */
const WITHDRAW = `
local function endProbe(mark)
  if call('HGET', KEYS[9], 'probe') == mark then call('HDEL', KEYS[9], 'probing', 'probe') end
end
local function withdraw(rows)
  local out = {}
  for i, e in ipairs(rows) do
    local key, row, mark = KEYS[2] .. e[1], tostring(e[2]), e[3]
    local isThere = marksOf(key, {row})[row] == mark
    if isThere then
      unmark(key, row)
      endProbe(mark)
    end
    out[i] = isThere and 1 or 0
  end
  return out
end
`;

/** Whose intent a mark is: of one take, whatever the attempt. */
const BY_TAKE = `
local REPLAYED = false
local function taker(mark) return string.match(mark or '', '^i (%S+) ') end
`;

/** Whose intent a mark is: of one process, the first part of its takers' names. */
export const BY_PROCESS = `
local function taker(mark)
  return string.match(mark or '', '^i ([^ .]+)%.') or string.match(mark or '', '^i (%S+) ')
end
`;

/**
 * Lua: record(together, rows): outcomes, with the row's mark, its key, what its report needs, and
 * the counters, in one step (settle-entry.ts has both forms). Answers the rows that were not
 * recorded: they had their outcome, or belong to another taker.
 * KEYS: record, prefix of chunks, blocks, late, doubts, sources, bodies, documents, breaker,
 * resolutions.
 *
 * - The first definite outcome stays. It replaces 'in-doubt', never the other way round, also after
 *   the chunk was closed.
 * - A take that gave up (no mark: its intent is withdrawn) says nothing about a doubt: that is
 *   another's request. Nor does a `shared` refusal.
 * - An acceptance also replaces a person's decision that the row was not created.
 * - All intents of one take count as the same: a replayed journal may meet an earlier attempt's.
 * - Over another taker's intent only an acceptance is recorded: a refusal says nothing of the
 *   other's request.
 * - A row of a group without a mark of its own ends only as the group's first row does.
 * - A take that gave up a create is not believed in a chunk of which a lost worker may have sent
 *   rows: the next take leaves the row in doubt. Nor is a `shared` refusal.
 */
const RECORD = `
local run = ARGV[1]
local function record(together, rows)
local out = {}
local BREAKER = KEYS[9]
local answered = false
local ANSWERED = {}
-- Answers that are alike, each kind counted since the last accepted row.
local known = {}
if not REPLAYED then known = call('HMGET', KEYS[1], 'streaks', 'lifted') end
local streaks = {}
if known[1] then streaks = cjson.decode(known[1]) end
local function endStreaks() streaks = {} end
local function follow(streak)
  if REPLAYED or streak.reason == known[2] then return end
  streaks[streak.of] = (streaks[streak.of] or 0) + 1
  -- Whoever asks to send next pauses the run.
  if streaks[streak.of] < streak.limit then return end
  call('HSET', KEYS[1], 'pauseFor', streak.reason)
end
local counts, undoubted, overrules = {}, {}, {}
local function count(outcome, by) counts[outcome] = (counts[outcome] or 0) + by end
local function keep(key, row, value)
  if value then call('HSET', key, row, value) end
end
-- Also of a row that is not recorded: others were told by the digest alone.
local function keepBody(body)
  local digest, text, part = body.digest, body.text, body.part
  if call('HEXISTS', KEYS[7], digest) == 1 then return digest end
  -- Counted over all workers.
  local isWhole = not part or (text and call('HINCRBY', KEYS[7], body.cause, 1) <= ${WHOLE_BODIES})
  if not isWhole then digest, text = part.digest, part.text end
  if text then call('HSETNX', KEYS[7], digest, text) end
  return digest
end
local function identity(row, bucket, digest, becomes, id, isClaimed)
  -- Claimed in this epoch: nobody else can have it, so no look is needed.
  if isClaimed or hasKey(bucket, digest, run, row) then putKey(bucket, digest, becomes, run, row, id) end
end
local function fields(of)
  if not of then return end
  local isKnown = (call('HGET', of.bucket, of.digest) or '') == of.before and of.after ~= ''
  if isKnown then call('HSET', of.bucket, of.digest, of.after)
  else call('HDEL', of.bucket, of.digest) end
end
local entries = {}
-- Nearly all rows were accepted under the order's intents: those are recorded as one text.
local function isInOrder(key, by, names)
  local found = call('HMGET', key, 'at', 'd' .. names[1], unpack(names))
  local taker, last, epoch = order(found[1])
  if taker ~= by or found[2] then return false end
  for j, row in ipairs(names) do
    if found[j + 2] or tonumber(row) > last then return false end
  end
  return true, epoch == OPENED
end
for _, group in ipairs(together) do
  local key, names, cells = KEYS[2] .. group.chunk, {}, group.rows
  for at = 1, #cells, 4 do names[#names + 1] = tostring(cells[at]) end
  local inOrder, isClaimed = isInOrder(key, group.taker, names)
  local settlements = not inOrder and rowsTogether(group.settlements)
  for j, row in ipairs(names) do
    local bucket, digest, id = cells[4 * j - 2], cells[4 * j - 1], cells[4 * j]
    local mark = 'i ' .. group.taker .. ' 1.' .. row
    ANSWERED[mark] = true
    if not inOrder then
      local settlement = settlements[j]
      local e = {chunk = group.chunk, row = row, settlement = settlement, mark = mark}
      e.outcome, e.accepted = group.outcome, 1
      if bucket ~= '' then e.key = {bucket = bucket, digest = digest, becomes = 'k', id = id} end
      entries[#entries + 1] = e
    elseif bucket ~= '' then identity(row, bucket, digest, 'k', id, isClaimed) end
  end
  if inOrder then
    call('HINCRBY', key, 'n', #names)
    call('HSET', key, 'd' .. names[1], group.settlements)
    count(group.outcome, #names)
    endStreaks()
  end
  answered = true
end
for _, e in ipairs(rows) do
  -- As Lua has it a number may become a field's name in another form: 1e+08.
  e.row, e.lead = tostring(e.row), e.lead and tostring(e.lead)
  entries[#entries + 1] = e
end
-- Marks are read and written chunk by chunk: a command per row would cost several times as much.
local chunks = {}
for _, e in ipairs(entries) do
  local of = chunks[e.chunk]
  if not of then
    of = {key = KEYS[2] .. e.chunk, rows = {}, new = {}, recorded = 0}
    chunks[e.chunk] = of
  end
  of.rows[#of.rows + 1] = e.row
end
for chunk, of in pairs(chunks) do
  of.closed = call('HEXISTS', KEYS[3], chunk) == 1
  -- Half a CLOSE leaves marks that count for nothing.
  of.marks = of.closed and {} or marksOf(of.key, of.rows)
end
local function put(of, row, mark)
  of.marks[row] = mark
  of.new[#of.new + 1] = row
  of.new[#of.new + 1] = mark
end
-- Without a mark of its own a row is judged by its group's first, which may have ended otherwise.
local function leadDiffers(e, of)
  if not e.lead then return false end
  local lead = of.marks[e.lead]
  if lead == nil then lead = marksOf(of.key, {e.lead})[e.lead] end
  if not lead then return false end
  if string.sub(lead, 1, 1) == '[' then return cjson.decode(lead)[4] ~= e.outcome end
  return taker(lead) ~= taker(e.mark) and not e.accepted
end
local suspect
-- A lost worker's intent, between this take's withdrawal and now, may itself be lost.
local function isUnsure(e)
  if REPLAYED or e.repeatable then return false end
  suspect = suspect or tonumber(call('HGET', KEYS[1], 'suspect') or '0')
  return e.chunk <= suspect
end
for _, e in ipairs(entries) do
  local row, outcome = e.row, e.outcome
  local of = chunks[e.chunk]
  local current = of.marks[row]
  local settled = current and string.sub(current, 1, 1) == '['
  local closed = of.closed
  local doubted = (settled or closed) and call('HEXISTS', KEYS[5], row) == 1
  local foreign = current and not settled and taker(current) ~= taker(e.mark) and not e.accepted
  local gaveUp = outcome == 'failed' and e.mark == ''
  local mayEndDoubt = outcome ~= 'in-doubt' and not gaveUp and not e.shared
  if not current and not closed then
    foreign = leadDiffers(e, of) or (gaveUp and isUnsure(e))
  end
  if e.shared and isUnsure(e) then foreign = true end
  if e.answered then
    answered = true
    ANSWERED[e.mark] = true
  end
  local ended = (settled or closed) and not doubted
  local decided = e.accepted and ended and call('HGET', KEYS[10], row)
  local overruled = decided and string.find(decided, '"decision":"not-created"', 1, true)
  local recorded = true
  if closed and (doubted or overruled) and call('HEXISTS', KEYS[1], 'purged') == 1 then
    -- Its report is closed; its key must be known all the same.
    recorded = false
    if e.accepted and e.key then identity(row, e.key.bucket, e.key.digest, e.key.becomes, e.key.id) end
  elseif foreign then
    recorded = false
    local isContested = REPLAYED and current and outcome == 'in-doubt'
    if isContested then put(of, row, '${CONTESTED_MARK}') end
  elseif not settled and not closed then
    put(of, row, e.settlement)
  elseif overruled or (doubted and mayEndDoubt) then
    put(of, row, e.settlement)
    if overruled then overrules[row] = decided end
    count(overruled and 'failed' or 'in-doubt', -1)
    undoubted[#undoubted + 1] = e
  else
    recorded = false
  end
  local body = e.body and (recorded or not closed) and keepBody(e.body)
  if recorded then
    if e.accepted then endStreaks() elseif e.streak then follow(e.streak) end
    local isUnreadable = e.streak and e.streak.of == 'unreadable'
    if e.answered and not isUnreadable then streaks.unreadable = nil end
    count(outcome, 1)
    if not closed then of.recorded = of.recorded + 1 end
    if outcome == 'in-doubt' then call('HSET', KEYS[5], row, e.chunk) end
    if e.key then identity(row, e.key.bucket, e.key.digest, e.key.becomes, e.key.id) end
    fields(e.fields)
    keep(KEYS[6], row, e.source)
    keep(KEYS[7], row, body)
    keep(KEYS[8], row, e.documents)
  else out[#out + 1] = row end
end
-- Last: half a transaction may be carried out, and its repetition goes by marks.
for _, of in pairs(chunks) do
  if #of.new > 0 then call('HSET', of.closed and KEYS[4] or of.key, unpack(of.new)) end
  if of.recorded > 0 then call('HINCRBY', of.key, 'n', of.recorded) end
end
for row, decided in pairs(overrules) do
  call('HSET', KEYS[10], row .. ' overruled', decided)
  call('HDEL', KEYS[10], row)
end
for _, e in ipairs(undoubted) do
  call('HDEL', KEYS[5], e.row)
  if not e.source then call('HDEL', KEYS[6], e.row) end
end
for outcome, by in pairs(counts) do call('HINCRBY', KEYS[1], 'o:' .. outcome, by) end
if answered then ${SUCCESS} end
local left = next(streaks) and cjson.encode(streaks)
if left and left ~= known[1] then
  call('HSET', KEYS[1], 'streaks', left)
elseif known[1] and not left then
  call('HDEL', KEYS[1], 'streaks')
end
return out
end
`;

/**
 * One exchange with a sender: records what ended, takes back what was not sent, then grants
 * what is next, so that the service's answers count for the rows that ask after them.
 * KEYS: as of record. ARGV: run, JSON (`Ask` of exchange.ts).
 * Answers {the rows that were not recorded}, {for each that is taken back 1: its intent was there},
 * {row, reason, …} of rows that were not granted.
 */
export const EXCHANGE = `${KEY_ENTRIES}${OPEN_CHUNK}${BY_TAKE}${RECORD}${WITHDRAW}${GRANT}
-- Before anything is written: a script that fails half-way is not undone, nor counted.
local ask = cjson.decode(ARGV[2])
local rows = ask.ended.rows
for _, e in ipairs(ask.unsent) do rows[#rows + 1] = e end
local unrecorded = record(ask.ended.together, rows)
local withdrawn = withdraw(ask.withdrawn)
return {unrecorded, withdrawn, ask.next and grant(ask.next, ask.probeMs) or {}}
`;

/**
 * Outcomes from the journal of the process that settled. That journal knows its own intents best:
 * where another of its takes' intents stands on the row, Redis went back to before its withdrawal.
 * Over another process' intent, a row in doubt is contested: that process' withdrawal must not free
 * it.
 * KEYS: as of record. ARGV: run, JSON of entries.
 */
export const REPLAY_SETTLED = `${KEY_ENTRIES}${OPEN_CHUNK}${BY_PROCESS}
local REPLAYED = true
${RECORD}
return record({}, cjson.decode(ARGV[2]))
`;

/**
 * Settles rows in doubt by a person's decision and remembers who took it; or only adds what is
 * known of a row that stays in doubt.
 * KEYS: record, prefix of chunks, blocks, late, doubts, sources, resolutions, the audit's chain.
 * ARGV: run, JSON of entries (`ResolveEntry` of resolve.ts), stub of the audit's entry, its `what`.
 * Answers per row: 'resolved'; 'noted'; 'unchanged': decided so before; 'otherwise <resolution>':
 * decided otherwise before; 'settled': not in doubt. Sent again after a lost reply, it answers the
 * same.
 */
export const RESOLVE = `${KEY_ENTRIES}${AUDIT_ENTRY}
local run = ARGV[1]
local out = {}
local created, not_created = {}, {}
local function identity(row, key, becomes, id)
  local bucket, digest = key.bucket, key.digest
  local _, text, form = placeOf(digest)
  -- The entry itself says whether the row's job is an exact one.
  local exact = call('HGET', bucket, form .. '=' .. text)
  if exact and isOf(exact, text, run, row) then digest = form .. '=' .. text end
  if hasKey(bucket, digest, run, row) then putKey(bucket, digest, becomes, run, row, id) end
end
local function replace(chunk, row, settlement)
  if call('HEXISTS', KEYS[3], chunk) == 1 then
    call('HSET', KEYS[4], row, settlement)
  else
    call('HSET', KEYS[2] .. chunk, row, settlement)
    call('HINCRBY', KEYS[2] .. chunk, 'n', 1)
  end
end
local function decidedBefore(row, resolution)
  local earlier = call('HGET', KEYS[7], row)
  if not earlier or not resolution then return 'settled' end
  if earlier == resolution then return 'resolved' end
  local before, now = cjson.decode(earlier), cjson.decode(resolution)
  if before.decision == now.decision and before.id == now.id then return 'unchanged' end
  return 'otherwise ' .. earlier
end
for i, e in ipairs(cjson.decode(ARGV[2])) do
  local row, settled, resolution = tostring(e.row), e.settled, e.resolution
  local chunk = call('HGET', KEYS[5], row)
  local answer
  if not chunk or not settled then
    answer = decidedBefore(row, resolution)
  elseif not resolution then
    replace(chunk, row, settled)
    answer = 'noted'
  else
    replace(chunk, row, settled)
    call('HINCRBY', KEYS[1], 'o:in-doubt', -1)
    call('HINCRBY', KEYS[1], 'o:' .. e.outcome, 1)
    call('HDEL', KEYS[5], row)
    if e.created then call('HDEL', KEYS[6], row) end
    call('HSET', KEYS[7], row, resolution)
    if e.key then identity(row, e.key, e.created and 'k' or 'x', e.id) end
    local decided = e.created and created or not_created
    decided[#decided + 1] = string.format('%.0f', e.row)
    answer = 'resolved'
  end
  out[i] = answer
end
if #created + #not_created > 0 then
  local of = '{"created":[' .. table.concat(created, ',') .. '],"notCreated":['
  audit(KEYS[8], ARGV[3], ARGV[4], of .. table.concat(not_created, ',') .. ']}', KEYS[1])
end
return out
`;
