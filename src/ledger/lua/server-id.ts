/** Lua that names the running server: another one after every restart and failover. */
export const SERVER_ID = `string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')`;
