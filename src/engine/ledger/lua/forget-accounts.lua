-- Takes out of the index of accounts what a run has put there.
-- KEYS: buckets, or the shared accounts. ARGV: run.

--- @include "parts/accounts"

local run, buckets = ARGV[1], KEYS

local function ofOthers(holders)
  local left = {}
  for _, of in ipairs(holders) do
    if of.run ~= run then left[#left + 1] = of end
  end
  return left
end

local function forget(bucket, account, text)
  if text == run then return call('HDEL', bucket, account) end
  local holders = holdersIn(text)
  local left = ofOthers(holders)
  if #left < #holders then keepHolders(bucket, account, left) end
end

for _, bucket in ipairs(buckets) do
  local all = call('HGETALL', bucket)
  for i = 1, #all, 2 do forget(bucket, all[i], all[i + 1]) end
end
return 1
