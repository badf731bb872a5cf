-- A row has accounts from now on, by a person's word, but for those that another row has.
-- ARGV: run, row, the accounts' places (parts/key-entries).

--- @include "parts/key-entries"

local run, row, places = unpack(ARGV)

for bucket, digest in eachPlace(places) do
  if not otherOf(bucket, digest) then putKey(bucket, digest, protocol.known, run, row, '') end
end
return 1
