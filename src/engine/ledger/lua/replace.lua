-- A key is wrapped anew, with an entry in each of the audit's chains.
-- KEYS: hash, chains. ARGV: field, its text, another one, JSON of {of, links, stubs}: of the
-- entries, one for each chain.
-- Answers 1: replaced, now or before; 0: it is a third one by now.

--- @include "parts/audit"

local hash = table.remove(KEYS, 1)
local chains = KEYS
local field, before, after = unpack(ARGV, 1, 3)
local entries = cjson.decode(ARGV[4])

local found = call('HGET', hash, field)
if found ~= before then return found == after and 1 or 0 end
for i, chain in ipairs(chains) do
  if isLinkStale(chain, entries.links[i]) then return staleLink() end
end

call('HSET', hash, field, after)
for i, chain in ipairs(chains) do
  local act = {link = entries.links[i], stub = entries.stubs[i], what = 'key-rotated', of = entries.of}
  audit(chain, act, {})
end
return 1
