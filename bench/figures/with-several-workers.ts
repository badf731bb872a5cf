import { type Bench, CONCURRENCY, succeeded } from '../bench.ts';
import { startBusyMeter } from '../busy-meter.ts';
import type { FigureId } from '../figures.ts';
import { startWatch } from '../inbox-file.ts';
import { startOnboard } from '../onboard.ts';
import { startRedis } from '../redis.ts';
import type { Samples } from '../samples.ts';
import { startNodeService } from '../service/node-service.ts';
import { DELAY_MS } from '../service/service-numbers.ts';

/** Few enough for four processes that the processors have room. */
const LIGHT_CONCURRENCY = 20;

/** Requests in flight of each process, and the figures of two and of four processes. */
type Setting = { readonly concurrency: number; readonly two: FigureId; readonly four: FigureId };
/** Rows per second in the middle of a run, and the share of the processors' time in use during the run. */
type Rate = { readonly rowsPerSecond: number; readonly busy: number };
/** Of one, two and four workers. */
type Round = { readonly one: Rate; readonly two: Rate; readonly four: Rate };

/** Two and four worker processes against one, on the service that answers after 50 ms. */
export function measureWithSeveralWorkers(bench: Bench): Promise<readonly Samples[]> {
  return measure(bench, { concurrency: CONCURRENCY, two: 'workers-2', four: 'workers-4' });
}

/** The same with so few requests in flight that the processors are not what is measured. */
export function measureWithLightWorkers(bench: Bench): Promise<readonly Samples[]> {
  return measure(bench, { concurrency: LIGHT_CONCURRENCY, two: 'light-workers-2', four: 'light-workers-4' });
}

async function measure(bench: Bench, { concurrency, two, four }: Setting): Promise<readonly Samples[]> {
  const rounds: Round[] = [];
  for (let round = 0; round < bench.options.sizes.rounds; round += 1)
    rounds.push({
      one: await rateOf(bench, 1, concurrency),
      two: await rateOf(bench, 2, concurrency),
      four: await rateOf(bench, 4, concurrency),
    });
  return [samplesOf(two, rounds, 'two'), samplesOf(four, rounds, 'four')];
}

function samplesOf(figure: FigureId, rounds: readonly Round[], several: 'two' | 'four'): Samples {
  return {
    figure,
    values: rounds.map((round) => round[several].rowsPerSecond / round.one.rowsPerSecond),
    details: {
      rowsPerSecond: rounds.map((round) => round[several].rowsPerSecond),
      oneRowsPerSecond: rounds.map(({ one }) => one.rowsPerSecond),
      busy: rounds.map((round) => round[several].busy),
    },
  };
}

async function rateOf(bench: Bench, count: number, concurrency: number): Promise<Rate> {
  const redis = await startRedis(bench);
  const service = await startNodeService(bench, DELAY_MS);
  const place = { serviceUrl: service.url, redisUrl: redis.url };
  const workers = [];
  for (let n = 0; n < count; n += 1) {
    const worker = startOnboard(bench, ['work'], { ...place, home: await bench.home() });
    workers.push(worker);
    await worker.said('Working for');
  }
  const rows = Math.round((bench.options.sizes.rowsPerWorker * count * concurrency) / CONCURRENCY);
  const watch = await startWatch(bench, rows, { ...place, job: await bench.jobWith(concurrency) });
  const busy = startBusyMeter();
  succeeded(await watch.ended, 'onboard watch');
  const share = busy();
  const { middleRate, heldMeanMs } = await service.numbers();
  await Promise.all(workers.map((worker) => worker.stop()));
  await service.stop();
  await redis.stop();
  bench.tell(
    `  ${count}: ${Math.round(middleRate)} rows/s, answers held for ${heldMeanMs.toFixed(2)} ms, processors ${Math.round(share * 100)} % in use`,
  );
  return { rowsPerSecond: middleRate, busy: share };
}
