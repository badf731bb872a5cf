-- Outcomes from the journal of the process that settled. That journal knows its own intents best:
-- where another of its takes' intents stands on the row, Redis went back to before its withdrawal.
-- Over another process' intent, a row in doubt is conflicting: that process' withdrawal must not
-- free it. May run twice, and on a ledger that lost nothing.
-- KEYS: as of parts/row-keys. ARGV: run, JSON of entries.

--- @include "parts/record"

local keys = rowKeysIn(KEYS)
local run, rows = ARGV[1], cjson.decode(ARGV[2])

return record(keys, {together = {}, rows = rows}, {run = run, isReplayed = true, ownerOf = processOf})
