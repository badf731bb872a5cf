-- What a worker needs to begin a chunk.
-- KEYS: record, chunk, blocks. ARGV: chunk, JSON of its rows' numbers.
-- Answers {run state, closed (0|1), may a lost worker have sent its unmarked rows (0|1), and what
-- parts/chunk-marks says of an open chunk}.

--- @include "parts/in-epoch"
--- @include "parts/chunk-marks"

local record, chunkKey, blocks = unpack(KEYS)
local chunk, rows = ARGV[1], cjson.decode(ARGV[2])

local found = call('HMGET', record, 'state', protocol.possiblySent)
local state, upTo = found[1] or '', tonumber(found[2] or '0')
local isClosed = call('HEXISTS', blocks, chunk)
local possiblySent = tonumber(chunk) <= upTo and 1 or 0
if isClosed == 1 then return {state, isClosed, possiblySent, '', '0', {}, {}} end
return {state, isClosed, possiblySent, chunkMarks(chunkKey, rows)}
