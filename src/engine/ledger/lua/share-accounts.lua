-- Several payees may have these accounts, or no longer.
-- KEYS: shared accounts, chain, record. ARGV: run, '1' where they may, link, stub, what, of, then
-- the accounts. Answers how many it was not so of before; sent again, nothing is changed.

--- @include "parts/audit"

local shared, chain, record = unpack(KEYS)
local run, mayShare, link, stub, what, of = unpack(ARGV)
local accounts = {unpack(ARGV, 7)}

local changed = {}
for _, account in ipairs(accounts) do
  local isShared = call('HEXISTS', shared, account) == 1
  if isShared ~= (mayShare == '1') then changed[#changed + 1] = account end
end
if #changed == 0 then return 0 end
if isLinkStale(chain, link) then return staleLink() end

for _, account in ipairs(changed) do
  if mayShare == '1' then
    call('HSET', shared, account, run)
  else
    call('HDEL', shared, account)
  end
end
audit(chain, {link = link, stub = stub, what = what, of = of}, {record})
return #changed
