-- The audit's chain (model/audit.ts), which the scripts that change something append to, so that
-- neither happens without the other. An entry names the SHA-256 of the one before, which Redis' Lua
-- can't make: whoever sends the script read the last entry, and says by a link '<sha1> <sha256>'
-- which one that was.

-- Whether the link is to another entry than the last one: to be asked before anything is written.
local function isLinkStale(chain, link)
  local last = call('LINDEX', chain, -1) or ''
  return string.match(link, '^%x+') ~= redis.sha1hex(last)
end

local function staleLink()
  return redis.error_reply(protocol.staleLink)
end

-- The counts of a run's outcomes, as JSON.
local function countsOf(record)
  local of = {}
  for _, outcome in ipairs(protocol.outcomes) do
    local n = call('HGET', record, protocol.outcomeField .. outcome) or '0'
    if n ~= '0' then of[#of + 1] = '"' .. outcome .. '":' .. n end
  end
  return '{' .. table.concat(of, ',') .. '}'
end

-- Appends an entry, also to the stories of these records. `act`: {link, stub: the entry's fields
-- before `what` (`stubOf`), what, of: JSON}.
local function audit(chain, act, records)
  local n, prev = call('LLEN', chain) + 1, string.match(act.link, ' (%x*)$')
  local said = act.stub .. ',"what":"' .. act.what .. '","of":' .. act.of
  local entry = '{"n":' .. n .. ',' .. said .. ',"prev":"' .. prev .. '"}'
  call('RPUSH', chain, entry)
  for _, record in ipairs(records) do
    call('RPUSH', record .. protocol.storySuffix, entry)
    call('LTRIM', record .. protocol.storySuffix, -protocol.storyLength, -1)
  end
end
