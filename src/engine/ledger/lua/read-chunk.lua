-- What has become of an open chunk's rows by now; changes nothing.
-- KEYS: chunk. ARGV: JSON of the rows whose intents are wanted. Answers as parts/chunk-marks.

--- @include "parts/chunk-marks"

local chunkKey, rows = KEYS[1], cjson.decode(ARGV[1])

return {chunkMarks(chunkKey, rows)}
