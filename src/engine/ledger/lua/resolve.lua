-- Settles rows in doubt by a person's decision and remembers who took it; or only adds what is
-- known of a row that stays in doubt.
-- KEYS: record, prefix of chunks, blocks, late, doubts, sources, resolutions, the audit's chain.
-- ARGV: link, run, JSON of entries (`ResolveEntry` of resolve.ts), stub of the audit's entry, its
-- `what`.
-- Answers per row: 'resolved'; 'noted'; 'unchanged': decided so before; 'otherwise <resolution>':
-- decided otherwise before; 'settled': not in doubt. Sent again after a lost reply, it answers the
-- same.

--- @include "parts/audit"
--- @include "parts/key-entries"
--- @include "parts/accounts"

local record, chunks, blocks, late, doubts, sources, resolutions, chain = unpack(KEYS)
local link, run, entries, stub, what = ARGV[1], ARGV[2], cjson.decode(ARGV[3]), ARGV[4], ARGV[5]

local function keepIdentity(row, key, becomes, id)
  local bucket, digest = key.bucket, key.digest
  local _, text, form = placeOf(digest)
  -- The entry itself says whether the row's job is an exact one.
  local exact = call('HGET', bucket, form .. protocol.exact .. text)
  if exact and isEntryOf(exact, text, run, row) then digest = form .. protocol.exact .. text end
  if hasKey(bucket, digest, run, row) then putKey(bucket, digest, becomes, run, row, id) end
  putAccounts(key.accounts, becomes, run, row)
end

local function replace(chunk, row, settlement)
  if call('HEXISTS', blocks, chunk) == 1 then
    call('HSET', late, row, settlement)
  else
    call('HSET', chunks .. chunk, row, settlement)
    call('HINCRBY', chunks .. chunk, protocol.changes, 1)
  end
end

local function decidedBefore(row, resolution)
  local earlier = call('HGET', resolutions, row)
  if not earlier or not resolution then return 'settled' end
  if earlier == resolution then return 'resolved' end
  local before, now = cjson.decode(earlier), cjson.decode(resolution)
  if before.decision == now.decision and before.id == now.id then return 'unchanged' end
  return 'otherwise ' .. earlier
end

local function decide(chunk, row, e)
  replace(chunk, row, e.settled)
  call('HINCRBY', record, protocol.outcomeField .. protocol.inDoubt, -1)
  call('HINCRBY', record, protocol.outcomeField .. e.outcome, 1)
  call('HDEL', doubts, row)
  if e.created then call('HDEL', sources, row) end
  call('HSET', resolutions, row, e.resolution)
  if e.key then keepIdentity(row, e.key, e.created and protocol.known or protocol.givenBack, e.id) end
end

local function isDecided()
  for _, e in ipairs(entries) do
    local isOpen = e.settled and e.resolution and call('HEXISTS', doubts, tostring(e.row)) == 1
    if isOpen then return true end
  end
  return false
end

-- As JSON: the rows that were decided so.
local function list(rows)
  return '[' .. table.concat(rows, ',') .. ']'
end

local audits = isDecided()
if audits and isLinkStale(chain, link) then return staleLink() end

local out, created, notCreated = {}, {}, {}
for i, e in ipairs(entries) do
  local row = tostring(e.row)
  local chunk = call('HGET', doubts, row)
  if not chunk or not e.settled then
    out[i] = decidedBefore(row, e.resolution)
  elseif not e.resolution then
    replace(chunk, row, e.settled)
    out[i] = 'noted'
  else
    decide(chunk, row, e)
    local decided = e.created and created or notCreated
    decided[#decided + 1] = string.format('%.0f', e.row)
    out[i] = 'resolved'
  end
end

if audits then
  local of = '{"created":' .. list(created) .. ',"notCreated":' .. list(notCreated) .. '}'
  audit(chain, {link = link, stub = stub, what = what, of = of}, {record})
end
return out
