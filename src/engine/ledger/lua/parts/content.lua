-- What is known of a record's content: in its key's entry, and per field where a job updates.

-- Of a key that is known; '': nothing is known of the record any more.
local function putContent(key, content)
  local field, text = placeOf(key.digest)
  local entry = call('HGET', key.bucket, field)
  local kind, ownText, run, row, before = partsOf(entry)
  if kind ~= protocol.known or ownText ~= text or before == content then return end
  call('HSET', key.bucket, field, entryOf(kind, text, run, row, idOf(entry), content))
end

-- An update is under way: what the service has is unknown until its outcome is recorded.
local function forgetFields(of)
  local stored = call('HGET', of.bucket, of.digest) or ''
  local isKnown = stored == of.before or stored == of.own
  call('HSET', of.bucket, of.digest, isKnown and of.own or protocol.fieldsUnknown)
  putContent(of.key, '')
end

local function keepFields(change)
  local stored = call('HGET', change.bucket, change.digest) or ''
  if stored ~= change.before then
    call('HSET', change.bucket, change.digest, protocol.fieldsUnknown)
    return putContent(change.key, '')
  end

  if change.after == '' then
    call('HDEL', change.bucket, change.digest)
  else
    call('HSET', change.bucket, change.digest, change.after)
  end
  putContent(change.key, change.content)
end
