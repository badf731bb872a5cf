-- What has become of an open chunk's rows by now; changes nothing.
-- KEYS: chunk. Answers as parts/chunk-marks, without intents by the watermark.

--- @include "parts/chunk-marks"

local chunkKey = KEYS[1]

return {chunkMarks(chunkKey, {})}
