-- Rows are written off.
-- KEYS: written off, files, chain, record. ARGV: field, its text, what whoever is about to take
-- rows compares, link, stub, of. Answers 1: they are now; 0: that field was there.

--- @include "parts/audit"

local writtenOff, files, chain, record = unpack(KEYS)
local field, text, taken, link, stub, of = unpack(ARGV)

if call('HEXISTS', writtenOff, field) == 1 then return 0 end
if isLinkStale(chain, link) then return staleLink() end
call('HSET', writtenOff, field, text)
call('HSET', files, 'taken', taken)
audit(chain, {link = link, stub = stub, what = 'written-off', of = of}, {record})
return 1
