/**
 * The scripts of the identity ledgers: keys are claimed by rows, and looked up.
 */
/**
 * Claims keys for rows, in file order. Running it again for the same rows gives the same answers.
 * KEYS: prefix of the identity buckets. ARGV: run, seconds the bucket lives (0: for ever), then bucket, digest, row, …
 * An entry is '<kind> <run> <row> <id>', kind c: claimed, k: known (created), d: in doubt, x: given back by a row that was not created.
 * A given-back key is free for other runs, yet still a duplicate within its own, so that what a file's
 * second row with the key becomes never depends on timing. '<digest>s' marks who met a key of another run.
 * Answers the epoch, then place (1: the first row), what keeps the row from its key ('dup <row>', or the other run's entry), … of those that did not get theirs.
 */
export const CLAIM = `
local run = ARGV[1]
-- What stands in the way of the row; nil: the key is the row's.
local function obstacle(bucket, digest, row, claimed)
  local held = redis.call('HGET', bucket, digest)
  local kind, hrun, hrow = string.match(held, '^(%a) (%S+) (%d+)')
  if hrun == run then return hrow ~= row and 'dup ' .. hrow or nil end
  if kind == 'x' then
    redis.call('HSET', bucket, digest, claimed)
    return nil
  end
  local seen = redis.call('HGET', bucket, digest .. 's')
  local srun, srow
  if seen then srun, srow = string.match(seen, '^(%S+) (%d+)') end
  if srun == run and srow ~= row then return 'dup ' .. srow end
  redis.call('HSET', bucket, digest .. 's', run .. ' ' .. row)
  return held
end
local out = {OPENED}
for i = 3, #ARGV, 3 do
  local bucket, digest, row = KEYS[1] .. ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local claimed = 'c ' .. run .. ' ' .. row .. ' '
  -- Most keys are free: to look first would be another command for each.
  if redis.call('HSETNX', bucket, digest, claimed) == 0 then
    local answer = obstacle(bucket, digest, row, claimed)
    if answer then
      out[#out + 1] = tostring(i / 3)
      out[#out + 1] = answer
    end
  end
  if ARGV[2] ~= '0' then redis.call('EXPIRE', bucket, ARGV[2]) end
end
return out
`;
/**
 * Reads what stands at places of the identity ledger or of the field digests; changes nothing.
 * ARGV: bucket key, field, … Answers per place its text, '' where there is nothing.
 */
export const LOOK_UP = `
local out = {}
for i = 1, #ARGV, 2 do out[#out + 1] = redis.call('HGET', ARGV[i], ARGV[i + 1]) or '' end
return out
`;
//# sourceMappingURL=keys.js.map