import type { Clock } from '@tallyhook/platform/clock';
import { minute } from '@tallyhook/platform/durations';

/** TTL of every cache entry (ms). */
const lifetime = minute;

/** The lookups of each command. */
const needs: Readonly<Record<string, (userId: string) => readonly string[]>> = {
  canvote: (userId) => ['profile', `votes ${userId}`],
  stats: () => ['profile'],
  reviews: () => ['reviews'],
};

/** A common cache with a TTL of a minute for everything. It only counts the requests it would send. */
export function createPlainCache(clock: Clock): { use(command: string, userId: string): void; requests(): number } {
  const until = new Map<string, number>();
  let requests = 0;
  return {
    use(command, userId) {
      for (const question of needs[command]?.(userId) ?? []) {
        if (clock.now() < (until.get(question) ?? 0)) continue;
        until.set(question, clock.now() + lifetime);
        requests += 1;
      }
    },
    requests: () => requests,
  };
}
