// The frame of a naive worker: a BullMQ worker on chunks of keys with the settings of src/queue/chunk-worker.ts, but
// for a shorter lock, so that a test sees a killed worker's chunks taken over. It records nothing of its own.
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { Agent, request } from 'undici';

const IN_FLIGHT = 20;
const { REDIS_URL, SERVICE_URL, SERVICE_TOKEN } = process.env;

/** Takes chunks until it is killed; `deliver` gets a chunk's keys and what it may use. */
export function startNaiveWorker(deliver) {
  const redis = new Redis(REDIS_URL, { maxRetriesPerRequest: null });
  const agent = new Agent({ connections: IN_FLIGHT, pipelining: 1 });
  const create = (key) => createSubclient(key, agent);
  const worker = new Worker('naive', (job) => deliver(job.data.keys, { redis, create }), {
    connection: redis,
    concurrency: 8,
    lockDuration: 2000,
    stalledInterval: 1000,
    maxStalledCount: Number.MAX_SAFE_INTEGER,
  });
  worker.on('error', (error) => process.stderr.write(`${error.message}\n`));
}

async function createSubclient(key, dispatcher) {
  const { statusCode, body } = await request(`${SERVICE_URL}/v1/subclients`, {
    method: 'POST',
    dispatcher,
    headers: { authorization: `Bearer ${SERVICE_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ details: { name: `Company ${key}` }, additionalInformation: { crmId: key } }),
  });
  await body.dump();
  if (statusCode !== 200) throw new Error(`${key}: ${statusCode}`);
}
