/**
 * Collects what is asked for within one turn of the event loop into one call, so that rows that
 * start or end together share one command and one fsync. `flush` answers the items in order; when
 * it fails, every item of the batch fails.
 */
export function tickBatch<Item, Result>(
  flush: (items: readonly Item[]) => Promise<readonly Result[]>,
  maxItems: number,
): (item: Item) => Promise<Result> {
  type Waiting = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void };
  let batch: Waiting[] = [];

  const send = async (waiting: readonly Waiting[]) => {
    try {
      const results = await flush(waiting.map((w) => w.item));
      waiting.forEach((w, i) => {
        const result = results[i];
        if (result === undefined) w.reject(new Error('the batch answered fewer items than it was given'));
        else w.resolve(result);
      });
    } catch (error) {
      for (const w of waiting) w.reject(error);
    }
  };
  const sendBatch = () => {
    const waiting = batch;
    batch = [];
    if (waiting.length > 0) void send(waiting);
  };

  return (item) =>
    new Promise((resolve, reject) => {
      if (batch.length === 0) setImmediate(sendBatch);
      batch.push({ item, resolve, reject });
      if (batch.length >= maxItems) sendBatch();
    });
}
