import type { Clock } from '../../src/platform/clock.ts';
import { minute } from '../../src/platform/durations.ts';

/** How long an answer is kept, whatever it says (ms). */
const lifetime = minute;

/** What each command needs of the service. */
const needs: Readonly<Record<string, (userId: string) => readonly string[]>> = {
  canvote: (userId) => ['profile', `votes ${userId}`],
  stats: () => ['profile'],
  reviews: () => ['reviews'],
};

/** The cache that most bots have: every answer lives for a minute. It only counts the requests that it would send. */
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
