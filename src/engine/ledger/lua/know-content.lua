-- What is known of records' content from now on, by a person's word.
-- ARGV: of each record bucket and digest of its key, the content, …

--- @include "parts/key-entries"
--- @include "parts/content"

local records = ARGV

for i = 1, #records, 3 do putContent({bucket = records[i], digest = records[i + 1]}, records[i + 2]) end
return 1
