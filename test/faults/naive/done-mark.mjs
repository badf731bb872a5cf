// Naive: a row is marked as done after its reply, and nothing before it is sent.
import { startNaiveWorker } from './naive-worker.mjs';

startNaiveWorker(async (keys, { create, redis }) => {
  const done = new Set(await redis.hkeys('done'));
  const createOnce = async (key) => {
    await create(key);
    await redis.hset('done', key, '1');
  };
  await Promise.all(keys.filter((key) => !done.has(key)).map(createOnce));
});
