import { StoreUnavailableError } from '@tallyhook/platform/errors';

interface Waiting<Item, Result> extends PromiseWithResolvers<Result> {
  readonly item: Item;
}

/**
 * Runs an operation for several items together: those that arrive at the same time, or while others are running. Up to `maxRunning` batches run
 * at once. If a batch fails, its items run one by one, so that one that fails takes no other with it.
 * @param nameOf items with the same name are never in one batch
 * @param run returns the results in the order of the items
 */
export function createBatches<Item, Result>(
  { maxItems, maxRunning }: { readonly maxItems: number; readonly maxRunning: number },
  nameOf: (item: Item) => string,
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let running = 0;
  let isScheduled = false;

  /** Plans a batch with the items that arrive in the same turn of the event loop. */
  function schedule(): void {
    if (isScheduled || running >= maxRunning || waiting.length === 0) return;
    isScheduled = true;
    setImmediate(startBatches);
  }

  function startBatches(): void {
    isScheduled = false;
    while (running < maxRunning && waiting.length > 0) void start(takeBatch());
  }

  function takeBatch(): Waiting<Item, Result>[] {
    const batch = new Map<string, Waiting<Item, Result>>();
    const rest: Waiting<Item, Result>[] = [];
    for (const each of waiting) {
      const name = nameOf(each.item);
      if (batch.size >= maxItems || batch.has(name)) rest.push(each);
      else batch.set(name, each);
    }
    waiting = rest;
    return [...batch.values()];
  }

  async function start(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    running += 1;
    await runBatch(batch);
    running -= 1;
    schedule();
  }

  async function runBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await run(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      if (batch.length === 1 || error instanceof StoreUnavailableError) {
        for (const { reject } of batch) reject(error);
      } else {
        for (const each of batch) await runBatch([each]);
      }
    }
  }

  return (item) => {
    const each = { item, ...Promise.withResolvers<Result>() };
    waiting.push(each);
    schedule();
    return each.promise;
  };
}
