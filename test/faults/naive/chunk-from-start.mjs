// Naive: a chunk whose worker was killed is run again from its start.
import { startNaiveWorker } from './naive-worker.mjs';

startNaiveWorker((keys, { create }) => Promise.all(keys.map(create)));
