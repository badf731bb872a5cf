/**
 * Reads what stands at places of the identity ledger or of the field digests; changes nothing.
 * ARGV: bucket key, field, … Answers per place its text, '' where there is nothing.
 */
export const LOOK_UP = `
local out = {}
for i = 1, #ARGV, 2 do out[#out + 1] = redis.call('HGET', ARGV[i], ARGV[i + 1]) or '' end
return out
`;
