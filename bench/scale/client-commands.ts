import { type Bench, succeeded } from '../bench.ts';
import { startWatch } from '../inbox-file.ts';
import { startOnboard } from '../onboard.ts';
import { startRedis } from '../redis.ts';
import { startNodeService } from '../service/node-service.ts';
import { DELAY_MS } from '../service/service-numbers.ts';
import { askRedis } from './ask-redis.ts';

/** MONITOR tells of every command; it costs Redis so much that it has a short run of its own. */
const ROWS = 3_000;

/** Commands a row that one worker and the reader give, without those that scripts give. */
export async function clientCommandsPerRow(bench: Bench): Promise<number> {
  const redis = await startRedis(bench);
  const service = await startNodeService(bench, DELAY_MS);
  const place = { serviceUrl: service.url, redisUrl: redis.url };
  const worker = startOnboard(bench, ['work'], { ...place, home: await bench.home() });
  await worker.said('Working for');
  const admin = askRedis(redis.url);
  const monitor = await admin.monitor();
  let commands = 0;
  monitor.on('monitor', (_time: string, _words: readonly string[], source: string) => {
    if (source !== 'lua') commands += 1;
  });
  const watch = await startWatch(bench, ROWS, place);
  succeeded(await watch.ended, 'onboard watch');
  monitor.disconnect();
  admin.disconnect();
  await worker.stop();
  await service.stop();
  await redis.stop();
  return commands / ROWS;
}
