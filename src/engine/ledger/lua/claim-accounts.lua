-- Names accounts for rows that have their keys, in file order. Again for the same rows it changes
-- nothing and gives the same answers, but for what has become of others since.
-- KEYS: prefix of the buckets. ARGV: run, then bucket, digest, row, …
-- Answers the epoch, then of each account that a row named before: its number (1: the first), and
-- who named it.

--- @include "parts/in-epoch"
--- @include "parts/accounts"

local prefix = KEYS[1]
local run = table.remove(ARGV, 1)
local asked = ARGV

local out = {opened}
for i = 1, #asked, 3 do
  local place = {bucket = prefix .. asked[i], digest = asked[i + 1]}
  local before = putHolder(place, {kind = protocol.claimed, run = run, row = asked[i + 2]})
  if before then out[#out + 1] = {tostring((i + 2) / 3), before} end
end
return out
