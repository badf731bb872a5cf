-- The index of accounts: a bucket has for an account the rows that name it, '<kind><name> <run>
-- <row>' with ';' between, in the order of their claims; kinds as of keys. A place is told as a
-- bucket and a digest, of the account and of the name after it; several with spaces between.

local function holdersIn(text)
  local holders = {}
  for kind, name, run, row in string.gmatch(text or '', '(%a)([^%s;]+) (%S+) (%d+)') do
    holders[#holders + 1] = {kind = kind, name = name, run = run, row = row}
  end
  return holders
end

local function keepHolders(bucket, account, holders)
  local texts = {}
  for i, of in ipairs(holders) do texts[i] = of.kind .. of.name .. ' ' .. of.run .. ' ' .. of.row end
  if #texts == 0 then
    call('HDEL', bucket, account)
  else
    call('HSET', bucket, account, table.concat(texts, ';'))
  end
end

-- Those that count for a row of this run: of its own run also rows that gave the account back, so
-- that what a later row is told never depends on timing.
local function countingFor(run, holders)
  local counting = {}
  for _, of in ipairs(holders) do
    if of.kind ~= protocol.givenBack or of.run == run then counting[#counting + 1] = of end
  end
  return counting
end

-- The row is one of those that name the account, as that; beyond the most that are kept it isn't.
-- Claimed again, it stays what has become of it since. Answers who was before.
local function putHolder(place, row)
  local account = string.sub(place.digest, 1, protocol.accountLength)
  local name = string.sub(place.digest, protocol.accountLength + 1)
  local text = call('HGET', place.bucket, account)
  local holders = countingFor(row.run, holdersIn(text))
  for _, of in ipairs(holders) do
    if of.run == row.run and of.row == row.row then
      if row.kind == protocol.claimed then return text end
      of.kind = row.kind
      keepHolders(place.bucket, account, holders)
      return text
    end
  end

  if row.kind == protocol.givenBack or #holders >= protocol.mostHolders then return text end
  holders[#holders + 1] = {name = name, kind = row.kind, run = row.run, row = row.row}
  keepHolders(place.bucket, account, holders)
  return text
end

local function putAccounts(places, kind, run, row)
  for bucket, digest in string.gmatch(places or '', '(%S+) (%S+)') do
    putHolder({bucket = bucket, digest = digest}, {kind = kind, run = run, row = row})
  end
end
