-- The decision on rows that ended, each a compare-and-set on the row's mark. Whatever an outcome
-- changes (mark, key, source, counters) changes in one step. settle-entry.ts has the form of rows
-- and of batches of them, recorded together.
--
-- - The first definite outcome stays. It replaces 'in-doubt', never the other way round, also after
--   the chunk was closed.
-- - A take that sent nothing (no mark: it gave up, skipped or cancelled the row) says nothing about
--   a doubt: that is another's request. Nor does a `shared` refusal.
-- - An acceptance also replaces a person's decision that the row was not created.
-- - All intents of one take count as the same: a replayed journal may meet an earlier attempt's.
-- - Over another take's intent only an acceptance is recorded: a refusal says nothing of the
--   other's request.
-- - A row of a group without a mark of its own ends only as the group's first row does.
-- - A take that gave up a create is not believed in a chunk of which a lost worker may have sent
--   rows: the next take leaves the row in doubt. Nor is a `shared` refusal.

--- @include "parts/key-entries"
--- @include "parts/accounts"
--- @include "parts/content"
--- @include "parts/open-chunk"
--- @include "parts/whose-intent"
--- @include "parts/breaker-success"
--- @include "parts/row-keys"
--- @include "parts/streaks"

local function count(of, outcome, by)
  of.counts[outcome] = (of.counts[outcome] or 0) + by
end

local function keepIdentity(of, row, key, isClaimed)
  -- Claimed in this epoch: nobody else can have it, so no look is needed.
  if isClaimed or hasKey(key.bucket, key.digest, of.run, row) then
    putKey(key.bucket, key.digest, key.becomes, of.run, row, key.id, key.content)
  end
  putAccounts(key.accounts, key.becomes, of.run, row)
end

-- Also of a row that is not recorded: others were told by the digest alone.
local function keepBody(bodies, body)
  if call('HEXISTS', bodies, body.digest) == 1 then return body.digest end
  local kept = body
  if body.part then
    -- Counted over all workers.
    local isWhole = body.text and call('HINCRBY', bodies, body.cause, 1) <= protocol.wholeBodies
    if not isWhole then kept = body.part end
  end
  if kept.text then call('HSETNX', bodies, kept.digest, kept.text) end
  return kept.digest
end

-- Nearly all rows were accepted under the watermark's intents: those are recorded as one text.
-- Answers whether that is so here, and whether their keys were claimed in this epoch.
local function isInOrder(chunkKey, batch, rows, epochName)
  local found = call('HMGET', chunkKey, protocol.watermark, protocol.together .. rows[1], unpack(rows))
  local watermark, isRecorded = found[1], found[2]
  local token, last, claimedIn = parseWatermark(watermark)
  if token ~= batch.fencingToken or isRecorded then return false end
  for j, row in ipairs(rows) do
    local ownMark = found[j + 2]
    if ownMark or tonumber(row) > last then return false end
  end
  return true, claimedIn == epochName
end

-- A batch's cells: row, bucket, digest, id, content and accounts of each.
local function rowsOfBatch(batch)
  local cells, rows, keys = batch.rows, {}, {}
  for at = 1, #cells, 6 do
    rows[#rows + 1] = tostring(cells[at])
    if cells[at + 1] ~= '' then
      keys[#rows] = {
        bucket = cells[at + 1],
        digest = cells[at + 2],
        id = cells[at + 3],
        content = cells[at + 4],
        accounts = cells[at + 5],
        becomes = protocol.known,
      }
    end
  end
  return rows, keys
end

-- Adds the rows that have to be recorded one by one to the entries.
local function recordTogether(of, batch, entries)
  local chunkKey = of.keys.chunks .. batch.chunk
  local rows, keys = rowsOfBatch(batch)
  local inOrder, isClaimed = isInOrder(chunkKey, batch, rows, of.epochName)
  local settlements = not inOrder and rowsTogether(batch.settlements)

  for j, row in ipairs(rows) do
    local mark = intentOf(batch.fencingToken, row)
    of.answered[mark] = true
    if not inOrder then
      entries[#entries + 1] = {
        chunk = batch.chunk,
        row = row,
        settlement = settlements[j],
        mark = mark,
        outcome = batch.outcome,
        accepted = 1,
        key = keys[j],
      }
    elseif keys[j] then
      keepIdentity(of, row, keys[j], isClaimed)
    end
  end

  if inOrder then
    call('HINCRBY', chunkKey, protocol.changes, #rows)
    call('HSET', chunkKey, protocol.together .. rows[1], batch.settlements)
    count(of, batch.outcome, #rows)
    endStreaks(of.streaks)
  end
  of.isAnswered = true
end

-- Marks are read and written chunk by chunk: a command per row would cost several times as much.
local function openChunks(of, entries)
  local chunks = {}
  for _, e in ipairs(entries) do
    local chunk = chunks[e.chunk]
    if not chunk then
      chunk = {key = of.keys.chunks .. e.chunk, rows = {}, new = {}, recorded = 0}
      chunks[e.chunk] = chunk
    end
    chunk.rows[#chunk.rows + 1] = e.row
  end
  for number, chunk in pairs(chunks) do
    chunk.isClosed = call('HEXISTS', of.keys.blocks, number) == 1
    -- Half a close leaves marks that count for nothing.
    chunk.marks = chunk.isClosed and {} or marksOf(chunk.key, chunk.rows)
  end
  return chunks
end

local function putMark(chunk, row, mark)
  chunk.marks[row] = mark
  chunk.new[#chunk.new + 1] = row
  chunk.new[#chunk.new + 1] = mark
end

-- Without a mark of its own a row is judged by its group's first, which may have ended otherwise.
local function leaderDiffers(of, e, chunk)
  if not e.lead then return false end
  local leader = chunk.marks[e.lead]
  if leader == nil then leader = marksOf(chunk.key, {e.lead})[e.lead] end
  if not leader then return false end
  if isSettlement(leader) then return cjson.decode(leader)[protocol.outcomeAt] ~= e.outcome end
  return of.ownerOf(leader) ~= of.ownerOf(e.mark) and not e.accepted
end

local function gaveUp(e)
  return e.outcome == protocol.failed and e.mark == ''
end

-- Whoever sent nothing knows nothing of the request that is in doubt, whatever it makes of the row.
local function speaksOfDoubt(e)
  if e.accepted then return true end
  return e.outcome ~= protocol.inDoubt and e.mark ~= '' and not e.shared
end

-- A lost worker's intent, between this take's withdrawal and now, may itself be lost.
local function isUnsure(of, e)
  if of.isReplayed or e.repeatable then return false end
  of.possiblySent = of.possiblySent or tonumber(call('HGET', of.keys.record, protocol.possiblySent) or '0')
  return e.chunk <= of.possiblySent
end

-- For a row without an outcome: another take's request may be what it depends on.
local function isAnothers(of, e, chunk)
  if e.shared and isUnsure(of, e) then return true end
  local current = chunk.marks[e.row]
  if current then return of.ownerOf(current) ~= of.ownerOf(e.mark) and not e.accepted end
  return leaderDiffers(of, e, chunk) or (gaveUp(e) and isUnsure(of, e))
end

-- 'first': it is the row's first outcome; 'conflicts': two processes' journals each have an intent
-- on the row; 'nothing'.
local function effectOnOpen(of, e, chunk)
  if not isAnothers(of, e, chunk) then return 'first' end
  local isConflict = of.isReplayed and chunk.marks[e.row] and e.outcome == protocol.inDoubt
  return isConflict and 'conflicts' or 'nothing'
end

-- A person's decision that a row was not created; nil: there is none.
local function decidedNotCreated(of, row)
  local text = call('HGET', of.keys.resolutions, row)
  if text and cjson.decode(text).decision == protocol.notCreated then return text end
end

-- Only a doubt and a person's "not created" give way to what is known later: 'ends-doubt';
-- 'overrules', with that decision; 'key': of a purged run, whose report is closed, the key alone
-- becomes known; 'nothing'.
local function effectOnEnded(of, e, chunk)
  local isDoubted = call('HEXISTS', of.keys.doubts, e.row) == 1
  local decided = e.accepted and not isDoubted and decidedNotCreated(of, e.row)
  local isLate = chunk.isClosed and (isDoubted or decided)
  if isLate and call('HEXISTS', of.keys.record, 'purged') == 1 then return 'key' end

  if e.shared and isUnsure(of, e) then return 'nothing' end
  if decided then return 'overrules', decided end
  return isDoubted and speaksOfDoubt(e) and 'ends-doubt' or 'nothing'
end

-- What an entry does to its row.
local function effectOf(of, e, chunk)
  local hasEnded = chunk.isClosed or isSettlement(chunk.marks[e.row])
  if hasEnded then return effectOnEnded(of, e, chunk) end
  return effectOnOpen(of, e, chunk)
end

local RECORDS = {first = true, ['ends-doubt'] = true, overrules = true}

local function keepStreak(of, e)
  if of.isReplayed then return end
  if e.accepted then
    endStreaks(of.streaks)
  elseif e.streak then
    follow(of.streaks, e.streak)
  end
  local isUnreadable = e.streak and e.streak.of == protocol.unreadable
  if e.answered and not isUnreadable then of.streaks.counts[protocol.unreadable] = nil end
end

-- What is kept of a row beside its mark.
local function keepBeside(of, e, chunk, body)
  keepStreak(of, e)
  count(of, e.outcome, 1)
  if not chunk.isClosed then chunk.recorded = chunk.recorded + 1 end
  if e.outcome == protocol.inDoubt then call('HSET', of.keys.doubts, e.row, e.chunk) end
  if e.key then keepIdentity(of, e.row, e.key) end
  if e.fields then keepFields(e.fields) end
  if e.source then call('HSET', of.keys.sources, e.row, e.source) end
  if body then call('HSET', of.keys.bodies, e.row, body) end
  if e.documents then call('HSET', of.keys.documents, e.row, e.documents) end
end

local function recordEntry(of, e, chunk)
  if e.answered then
    of.isAnswered = true
    of.answered[e.mark] = true
  end

  local effect, decided = effectOf(of, e, chunk)
  local isRecorded = RECORDS[effect]
  if isRecorded then putMark(chunk, e.row, e.settlement) end
  if effect == 'conflicts' then putMark(chunk, e.row, protocol.conflicting) end
  if effect == 'key' and e.accepted and e.key then keepIdentity(of, e.row, e.key) end
  if effect == 'overrules' then
    of.overruled[e.row] = decided
    count(of, protocol.failed, -1)
  end
  if effect == 'ends-doubt' then count(of, protocol.inDoubt, -1) end
  if effect == 'overrules' or effect == 'ends-doubt' then of.undoubted[#of.undoubted + 1] = e end

  local body = e.body and (isRecorded or not chunk.isClosed) and keepBody(of.keys.bodies, e.body)
  if isRecorded then
    keepBeside(of, e, chunk, body)
  else
    of.unrecorded[#of.unrecorded + 1] = e.row
  end
end

-- Last: half a transaction may be carried out, and its repetition goes by marks.
local function writeMarks(of, chunks)
  for _, chunk in pairs(chunks) do
    if #chunk.new > 0 then call('HSET', chunk.isClosed and of.keys.late or chunk.key, unpack(chunk.new)) end
    if chunk.recorded > 0 then call('HINCRBY', chunk.key, protocol.changes, chunk.recorded) end
  end
end

local function writeEnds(of)
  for row, decided in pairs(of.overruled) do
    call('HSET', of.keys.resolutions, row .. ' overruled', decided)
    call('HDEL', of.keys.resolutions, row)
  end
  for _, e in ipairs(of.undoubted) do
    call('HDEL', of.keys.doubts, e.row)
    if not e.source then call('HDEL', of.keys.sources, e.row) end
  end
  for outcome, by in pairs(of.counts) do
    call('HINCRBY', of.keys.record, protocol.outcomeField .. outcome, by)
  end
end

-- `ended`: {together, rows}. `by`: {run, epochName, isReplayed, ownerOf: whose an intent is}.
-- Answers the rows that were not recorded: they had their outcome, or belong to another take.
local function record(keys, ended, by)
  local of = {
    keys = keys,
    run = by.run,
    epochName = by.epochName,
    isReplayed = by.isReplayed,
    ownerOf = by.ownerOf,
    streaks = by.isReplayed and {counts = {}} or openStreaks(keys.record),
    isAnswered = false,
    answered = {},
    counts = {},
    overruled = {},
    undoubted = {},
    unrecorded = {},
  }
  local entries = {}
  for _, batch in ipairs(ended.together) do recordTogether(of, batch, entries) end
  for _, e in ipairs(ended.rows) do
    -- As Lua has it a number may become a field's name in another form: 1e+08.
    e.row, e.lead = tostring(e.row), e.lead and tostring(e.lead)
    entries[#entries + 1] = e
  end

  local chunks = openChunks(of, entries)
  for _, e in ipairs(entries) do recordEntry(of, e, chunks[e.chunk]) end

  writeMarks(of, chunks)
  writeEnds(of)
  if of.isAnswered then closeBreaker(keys.breaker, of.answered) end
  if not of.isReplayed then keepStreaks(of.streaks) end
  return of.unrecorded
end
