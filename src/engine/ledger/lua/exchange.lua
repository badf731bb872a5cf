-- One exchange with a sender: records what ended, takes back what was not sent, then grants
-- what is next, so that the service's answers count for the rows that ask after them.
-- KEYS: as of parts/row-keys.
-- ARGV: run, JSON of {ended, unsent, withdrawn, next, probeMs} (exchange.ts).
-- Answers {the rows that were not recorded}, {for each that is taken back 1: its intent was there},
-- {row, reason, …} of rows that were not granted.

--- @include "parts/in-epoch"
--- @include "parts/record"
--- @include "parts/withdraw"
--- @include "parts/grant"

local keys = rowKeysIn(KEYS)
-- Before anything is written: a script that fails half-way is not undone, nor counted.
local run, asked = ARGV[1], cjson.decode(ARGV[2])

local ended = asked.ended
for _, e in ipairs(asked.unsent) do ended.rows[#ended.rows + 1] = e end

local unrecorded = record(keys, ended, {run = run, epochName = opened, ownerOf = tokenOf})
local withdrawn = withdraw(keys, asked.withdrawn)
local by = {run = run, epochName = opened, probeMs = asked.probeMs}
return {unrecorded, withdrawn, asked.next and grant(keys, asked.next, by) or {}}
