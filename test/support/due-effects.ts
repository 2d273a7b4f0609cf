import { minute } from '@tallyhook/platform/durations';
import type { Effect } from '../../src/core/outbox/effect-kind.ts';
import type { QueueName } from '../../src/core/outbox/queue.ts';
import type { Store } from '../../src/features/store.ts';

/** Moves the planned effects that are due into their queues, and returns all that wait there, as if they were carried out. */
export async function takeDue(store: Store, now: number): Promise<readonly Effect[]> {
  const queues = await store.outbox.enqueuePlanned(now, 100);
  const taken: Effect[] = [];
  for (const queue of new Set(queues)) {
    for (;;) {
      const effects = await store.outbox.claim(queue as QueueName, now, now + minute, 10);
      if (effects.length === 0) break;
      taken.push(...effects.filter((effect) => 'content' in effect));
      await store.outbox.done(effects, now);
    }
  }
  return taken;
}

/** An effect as it is claimed for the first time. */
export function effectOf<Content extends object>(
  { kind, queue, content }: { readonly kind: string; readonly queue: QueueName; readonly content: Content },
  changes: Partial<Effect<Content>> = {},
): Effect<Content> {
  const row = { id: 1, deliveryId: null, attempts: 1, createdAt: 0, nonce: 'nonce', possiblySentSince: null };
  return { ...row, kind, queue, content, ...changes };
}
