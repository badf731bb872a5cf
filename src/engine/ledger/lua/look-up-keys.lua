-- Reads what stands in the way of another row with each key, or who gave it back; changes nothing.
-- ARGV: bucket key, digest, … Answers per key an entry (as `answerOf`), empty where there is none.

--- @include "parts/key-entries"

local places = ARGV

local out = {}
for i = 1, #places, 2 do
  local bucket, digest = places[i], places[i + 1]
  local field, text = placeOf(digest)
  local entry = otherOf(bucket, digest) or call('HGET', bucket, field)
  out[#out + 1] = entry and answerOf(entry, text) or {}
end
return out
