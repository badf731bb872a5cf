-- Reads what stands in the way of another row with each key, or who gave it back; changes nothing.
-- ARGV: bucket key, digest, … in one text, with spaces between: Redis takes several times as long
-- over as many arguments. Answers per key an entry (`answerOf`), '' where there is none.

--- @include "parts/key-entries"

local places = ARGV[1]

local out = {}
for bucket, digest in string.gmatch(places, '(%S+) (%S+)') do
  local field, text = placeOf(digest)
  local entry = otherOf(bucket, digest) or call('HGET', bucket, field)
  out[#out + 1] = entry and answerOf(entry, text) or ''
end
return out
