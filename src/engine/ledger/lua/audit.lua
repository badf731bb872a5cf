-- An act without a script of its own; sent again, it is among the latest entries.
-- KEYS: chain, then records whose stories tell it. ARGV: link, stub, what, of.
-- Answers 1: appended; 0: it is there.

--- @include "parts/audit"

local chain = table.remove(KEYS, 1)
local records = KEYS
local link, stub, what, of = unpack(ARGV)

local said = stub .. ',"what":"' .. what .. '","of":' .. of .. ',"prev":'
for _, entry in ipairs(call('LRANGE', chain, -100, -1)) do
  if string.find(entry, said, 1, true) then return 0 end
end

if isLinkStale(chain, link) then return staleLink() end
audit(chain, {link = link, stub = stub, what = what, of = of}, records)
return 1
