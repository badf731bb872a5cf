/**
 * Claims keys for rows, in file order. Running it again for the same rows gives the same answers.
 * KEYS: prefix of the identity buckets. ARGV: run, seconds the bucket lives (0: for ever), then bucket, digest, row, …
 * An entry is '<kind> <run> <row> <id>', kind c: claimed, k: known (created), d: in doubt, x: given back by a row that was not created.
 * A given-back key is free for other runs, yet still a duplicate within its own, so that what a file's
 * second row with the key becomes never depends on timing. '<digest>s' marks who met a key of another run.
 * Answers per row: '' claimed, 'dup <row>', or the other run's entry.
 */
export const CLAIM = `
local run = ARGV[1]
local out = {}
for i = 3, #ARGV, 3 do
  local bucket, digest, row = KEYS[1] .. ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local held = redis.call('HGET', bucket, digest)
  local answer = ''
  local kind, hrun, hrow
  if held then kind, hrun, hrow = string.match(held, '^(%a) (%S+) (%d+)') end
  if hrun == run then
    if hrow ~= row then answer = 'dup ' .. hrow end
  elseif not held or kind == 'x' then
    redis.call('HSET', bucket, digest, 'c ' .. run .. ' ' .. row .. ' ')
  else
    answer = held
    local seen = redis.call('HGET', bucket, digest .. 's')
    local srun, srow
    if seen then srun, srow = string.match(seen, '^(%S+) (%d+)') end
    if srun == run and srow ~= row then answer = 'dup ' .. srow
    else redis.call('HSET', bucket, digest .. 's', run .. ' ' .. row) end
  end
  if ARGV[2] ~= '0' then redis.call('EXPIRE', bucket, ARGV[2]) end
  out[#out + 1] = answer
end
return out
`;
