-- The ids of all records whose keys are known in these buckets, with what made them known; changes
-- nothing.
-- KEYS: buckets. Answers run, row, id, …

--- @include "parts/key-entries"

local buckets = KEYS

local out = {}
for _, bucket in ipairs(buckets) do
  for _, entry in ipairs(call('HVALS', bucket)) do
    local kind, _, run, row = partsOf(entry)
    local id = kind == protocol.known and idOf(entry) or ''
    if id ~= '' then
      for _, part in ipairs({run, row, id}) do out[#out + 1] = part end
    end
  end
end
return out
