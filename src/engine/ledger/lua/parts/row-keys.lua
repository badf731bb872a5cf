-- By their names, the keys of a script that records rows.
local function rowKeysIn(keys)
  return {
    record = keys[1],
    -- Prefix.
    chunks = keys[2],
    blocks = keys[3],
    late = keys[4],
    doubts = keys[5],
    sources = keys[6],
    bodies = keys[7],
    documents = keys[8],
    breaker = keys[9],
    resolutions = keys[10],
  }
end
