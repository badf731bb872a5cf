-- Takes out of the index of accounts what a run has put there.
-- KEYS: buckets, or the shared accounts. ARGV: run.

--- @include "parts/key-entries"

local run, places = ARGV[1], KEYS

-- A mark of who met an entry begins with the run, a shared account has it alone.
local function isOf(text)
  local _, _, entryRun = partsOf(text)
  return entryRun == run or string.match(text, '^%S+') == run
end

for _, bucket in ipairs(places) do
  local all = call('HGETALL', bucket)
  for i = 1, #all, 2 do
    if isOf(all[i + 1]) then call('HDEL', bucket, all[i]) end
  end
end
return 1
