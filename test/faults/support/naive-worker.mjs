// A naive program: a row is marked as done after its reply, and nothing before it is sent. A BullMQ worker on chunks of keys with the
// settings of src/engine/queue/chunk-worker.ts, but for a shorter lock, so that a test sees a killed worker's chunks taken over.
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { Agent, request } from 'undici';

const IN_FLIGHT = 20;
const { REDIS_URL, SERVICE_URL, SERVICE_TOKEN } = process.env;

const redis = new Redis(REDIS_URL, { maxRetriesPerRequest: null });
const dispatcher = new Agent({ connections: IN_FLIGHT, pipelining: 1 });

const worker = new Worker('naive', (job) => deliver(job.data.keys), {
  connection: redis,
  concurrency: 2,
  lockDuration: 2000,
  stalledInterval: 1000,
  maxStalledCount: Number.MAX_SAFE_INTEGER,
});
worker.on('error', (error) => process.stderr.write(`${error.message}\n`));

async function deliver(keys) {
  const done = new Set(await redis.hkeys('done'));
  const createOnce = async (key) => {
    await createSubclient(key);
    await redis.hset('done', key, '1');
  };
  await Promise.all(keys.filter((key) => !done.has(key)).map(createOnce));
}

async function createSubclient(key) {
  const { statusCode, body } = await request(`${SERVICE_URL}/v1/subclients`, {
    method: 'POST',
    dispatcher,
    headers: { authorization: `Bearer ${SERVICE_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ details: { name: `Company ${key}` }, additionalInformation: { crmId: key } }),
  });
  await body.dump();
  if (statusCode !== 200) throw new Error(`${key}: ${statusCode}`);
}
