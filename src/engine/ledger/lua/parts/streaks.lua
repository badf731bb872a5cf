-- Answers that are alike, each kind counted since the last accepted row, over all workers.

local function openStreaks(record)
  local found = call('HMGET', record, 'streaks', 'lifted')
  local before, lifted = found[1], found[2]
  return {record = record, before = before, lifted = lifted, counts = before and cjson.decode(before) or {}}
end

local function endStreaks(streaks)
  streaks.counts = {}
end

-- Whoever asks to send next pauses the run.
local function follow(streaks, streak)
  if streak.reason == streaks.lifted then return end
  local counts = streaks.counts
  counts[streak.of] = (counts[streak.of] or 0) + 1
  if counts[streak.of] >= streak.limit then call('HSET', streaks.record, 'pauseFor', streak.reason) end
end

local function keepStreaks(streaks)
  local now = next(streaks.counts) and cjson.encode(streaks.counts)
  if now and now ~= streaks.before then
    call('HSET', streaks.record, 'streaks', now)
  elseif streaks.before and not now then
    call('HDEL', streaks.record, 'streaks')
  end
end
